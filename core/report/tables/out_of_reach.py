"""Tables whose numbers our reduced runs cannot show: every verdict on a cell below the protocol is `outside`."""

from __future__ import annotations

from dataclasses import replace

from core.report.tables.table import ReportTable


def out_of_reach(table: ReportTable, reason: str) -> ReportTable:
    """The table with each verdict on reduced runs turned into `outside`; ours and theirs stay beside each other.

    Args:
        reason: Why runs below the protocol cannot show the numbers.
    """
    cells = {
        key: replace(cell, verdict=cell.verdict.outside(reason)) if cell.verdict and cell.verdict.reduced else cell
        for key, cell in table.cells.items()
    }
    return replace(table, cells=cells)
