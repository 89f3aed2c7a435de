"""`python -m papers list`: papers, experiments, artifacts and cells, and which of them are present."""

from __future__ import annotations

import argparse

from rich.console import Console
from rich.markup import escape
from rich.table import Column
from rich.table import Table as RichTable

from core.experiment.cells import Cell
from core.experiment.costs import counted, in_words, recorded_seconds
from core.experiment.paper import Papers
from core.experiment.selection import find_ablations, find_cells


def list_papers(papers: Papers, options: argparse.Namespace, console: Console) -> int:
    """One line per paper; for a paper its experiments and artifacts; for a longer name its cells, and their runs."""
    if options.name and any(sign in options.name for sign in "/*?["):
        _list_cells(papers, options, console)
        return 0
    if not options.name:
        _list_all(papers, options.scale, console)
        papers.require_all()
        return 0
    name, paper = options.name, papers.paper(options.name)
    console.print(f"[bold]{name}[/]  {escape(paper.spec.title)}")
    table = RichTable("experiment", "cells", "shipped", "scale", "what", box=None, padding=(0, 2))
    for experiment, spec in paper.experiments.items():
        cells = list(paper.cells(experiment, options.scale))
        present = sum(cell.path(papers.root, "reference").exists() for cell in cells)
        scale, what = spec.resolve_scale(options.scale), escape(spec.description)
        table.add_row(experiment, str(len(cells)), str(present), scale, what)
    console.print(table)
    table = RichTable("artifact", Column("target", no_wrap=True), "drawn", "what", box=None, padding=(0, 2))
    for artifact, shown in paper.artifacts.items():
        target = f"figures/{name}/{artifact}.pdf"
        drawn = "yes" if (papers.root / target).exists() else "no"
        table.add_row(artifact, target, drawn, escape(f"{shown.source.place}: {shown.title}"))
    console.print(table)
    return 0


def _list_all(papers: Papers, scale: str, console: Console) -> None:
    """One line per paper, then how to see more."""
    columns = [Column("paper", no_wrap=True)]
    columns += [Column(name, justify="right", no_wrap=True) for name in ("artifacts", "drawn", "cells", "shipped")]
    columns.append(Column("title", no_wrap=True, overflow="ellipsis", ratio=1))
    table = RichTable(*columns, box=None, padding=(0, 1), expand=True)
    for name, paper in papers.valid.items():
        cells = [cell for each in paper.experiments for cell in paper.cells(each, scale)]
        shipped = sum(cell.path(papers.root, "reference").exists() for cell in cells)
        drawn = sum((papers.root / f"figures/{name}/{artifact}.pdf").exists() for artifact in paper.artifacts)
        counts = (len(paper.artifacts), drawn, len(cells), shipped)
        table.add_row(name, *map(str, counts), escape(paper.spec.title))
    console.print(table)
    if papers.valid:
        name, paper = next(iter(papers.valid.items()))
        more = f"more: python -m papers list {name}, or its cells: python -m papers list {name}/{paper.spec.quickstart}"
        console.print(more, soft_wrap=True)


def _list_cells(papers: Papers, options: argparse.Namespace, console: Console) -> None:
    """A table of cells with their files and ablations; what is wrong with files that are damaged stands below it."""
    from core.experiment.storage import ResultFileError  # reads files with Arrow, which the overview does without

    table = RichTable(Column("cell", no_wrap=True), "runs", "reference", "own run", "time", box=None)
    damaged: list[str] = []
    for cell in find_cells(papers, options.name, options.scale):
        states = [_state(papers, cell, source, damaged) for source in ("reference", "run")]
        seconds = recorded_seconds(cell, papers.root)
        table.add_row(cell.name, str(cell.runs), *states, "-" if seconds is None else in_words(seconds))
        try:
            ablations = find_ablations(papers, [cell], options.scale)
        except ResultFileError as error:
            ablations = []
            damaged.append(str(error))
        for ablation in ablations:
            state = _state(papers, ablation, "run", damaged)
            seconds = in_words(recorded_seconds(ablation, papers.root))
            table.add_row(escape(f"  with {', '.join(ablation.overrides)}"), str(cell.runs), "-", state, seconds)
    console.print(table)
    for text in damaged:
        console.print(text, markup=False, soft_wrap=True)


def _state(papers: Papers, cell: Cell, source: str, damaged: list[str]) -> str:
    """A cell's file in a few words; `damaged` receives what is wrong with it."""
    from core.experiment.finished import waiting_runs
    from core.experiment.results import inspect_cell
    from core.experiment.storage import ResultFileError

    try:
        info = inspect_cell(cell, papers.root, source)
    except ResultFileError as error:
        damaged.append(str(error))
        return "damaged"
    whole = info.present and not info.stale and info.runs >= cell.runs
    if source == "run" and not whole and (waiting := waiting_runs(cell, papers.root)):
        return f"{waiting} of {counted(cell.runs)}"
    if not info.present:
        return "-"
    return counted(info.runs) + (" (other settings)" if info.stale else "")
