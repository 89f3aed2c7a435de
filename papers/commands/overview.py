"""The papers, one line each."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape
from rich.table import Column
from rich.table import Table as RichTable

from core.experiment.catalogue import Catalogue


def overview(catalogue: Catalogue, scale: str, console: Console) -> None:
    """Print one line per paper, then how to see more."""
    columns = [Column("paper", no_wrap=True)]
    columns += [Column(name, justify="right", no_wrap=True) for name in ("artifacts", "drawn", "cells", "shipped")]
    columns.append(Column("title", no_wrap=True, overflow="ellipsis", ratio=1))
    table = RichTable(*columns, box=None, padding=(0, 1), expand=True)
    for name, paper in catalogue.papers.items():
        cells = [cell for each in paper.experiments for cell in catalogue.cells(name, each, scale)]
        shipped = sum(cell.path(catalogue.root, "reference").exists() for cell in cells)
        drawn = sum((catalogue.root / f"figures/{name}/{artifact}.pdf").exists() for artifact in paper.artifacts)
        counts = (len(paper.artifacts), drawn, len(cells), shipped)
        table.add_row(name, *map(str, counts), escape(paper.title))
    console.print(table)
    if catalogue.papers:
        name, paper = next(iter(catalogue.papers.items()))
        more = f"more: python -m papers list {name}, or its cells: python -m papers list {name}/{paper.quickstart}"
        console.print(more, soft_wrap=True)
