"""Claims built from a check of one table: for one data set, or for all that a sentence names.

A sentence about the whole grid is `outside` on a part of it, whether the part agrees or not.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Any

from core.experiment.results import Results
from core.report import Check, NotRunError, all_of, each_of, left_out, outside, worded
from core.tabular.table import Table
from papers.tabular.repetitions import of_table
from papers.tabular.trained_tables import LABELS, WHOLE, grid_table, grid_tables, label


def on(results: Results, name: str, check: Callable[[Table], Check]) -> Check:
    """The check applied to the table of one data set."""
    return check(grid_table(results, name))


def on_all(
    results: Results, check: Callable[[Table], Check], published: str, names: Collection[str] = tuple(LABELS)
) -> Check:
    """The check applied to several tables, by default to all; one part for each.

    Raises:
        NotRunError: none of them was run.
    """
    tables = grid_tables(results)
    if not any(name in tables for name in names):
        raise NotRunError(f"grid on {', '.join(names)}")
    parts = each_of(names, tables, lambda name: worded(check(tables[name]), label(name)), label, left_out)
    return all_of(parts, published)


def of_whole(table: Table, statistic: Callable[[Table], float], published: float | str, **region: Any) -> Check:
    """The check of a statistic of the whole grid, `outside` if the table is a part of it; regions as for `of_table`."""
    return if_whole(of_table(table, statistic, published, **region), [table])


def if_whole(check: Check, tables: Iterable[Table]) -> Check:
    """The check itself, `outside` if one of the tables that it is made from is a part of the grid."""
    least = min(table.grid.size for table in tables)
    return check if least == WHOLE else outside(check, f"{least:,} of {WHOLE:,} configurations")
