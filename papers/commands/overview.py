"""The papers that are here and those that are coming, one line each."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape
from rich.table import Column
from rich.table import Table as RichTable

from core.experiment.catalogue import Catalogue

COMING = {
    "fabolas": "Fast Bayesian Optimization of Machine Learning Hyperparameters on Large Datasets",
    "lcnet": "Learning Curve Prediction with Bayesian Neural Networks",
    "profet": "Meta-Surrogate Benchmarking for Hyperparameter Optimization",
    "ablr": "Scalable Hyperparameter Transfer Learning",
}
"""Papers without a folder yet; once a paper has one, it is no longer listed as coming."""


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
    console.print(f"coming: {', '.join(coming(catalogue))}", soft_wrap=True)
    if catalogue.papers:
        name, paper = next(iter(catalogue.papers.items()))
        more = f"more: python -m papers list {name}, or its cells: python -m papers list {name}/{paper.quickstart}"
        console.print(more, soft_wrap=True)


def coming(catalogue: Catalogue) -> dict[str, str]:
    """The papers that have no folder yet, with their titles."""
    return {name: title for name, title in COMING.items() if name not in catalogue.names}
