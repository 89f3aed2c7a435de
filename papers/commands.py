"""What the command line does, one function a command: (catalogue, parsed options, console) -> exit status."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Column
from rich.table import Table as RichTable

from core.errors import UserError
from core.experiment.catalogue import Catalogue
from core.experiment.cells import Cell


def list_papers(catalogue: Catalogue, options: argparse.Namespace, console: Console) -> int:
    """A line a paper; of a paper its experiments and artifacts, of a longer name the cells, with what is shipped."""
    from core.experiment.results import inspect_cell

    if options.name and "/" in options.name:
        table = RichTable("cell", "runs", "reference", "own run", box=None)
        for cell in catalogue.find_cells(options.name, options.scale):
            states = [_state(inspect_cell(cell, catalogue.root, source)) for source in ("reference", "run")]
            table.add_row(cell.name, str(cell.runs), *states)
        console.print(table)
        return 0
    if not options.name:
        from papers.overview import overview

        overview(catalogue, options, console)
        for error in catalogue.broken.values():
            print(f"error: {error}", file=sys.stderr)
        return 2 if catalogue.broken else 0
    name, paper = options.name, catalogue.paper(options.name)
    console.print(f"[bold]{name}[/]  {escape(paper.title)}")
    table = RichTable("experiment", "cells", "shipped", "scale", "what", box=None, padding=(0, 2))
    for experiment, spec in paper.experiments.items():
        cells = list(catalogue.cells(name, experiment, options.scale))
        present = sum(cell.path(catalogue.root, "reference").exists() for cell in cells)
        scale, what = spec.resolve_scale(options.scale), escape(spec.description)
        table.add_row(experiment, str(len(cells)), str(present), scale, what)
    console.print(table)
    table = RichTable("artifact", Column("target", no_wrap=True), "drawn", "what", box=None, padding=(0, 2))
    for artifact, shown in paper.artifacts.items():
        target = f"figures/{name}/{artifact}.pdf"
        drawn = "yes" if (catalogue.root / target).exists() else "no"
        table.add_row(artifact, target, drawn, escape(f"{shown.source.place}: {shown.title}"))
    console.print(table)
    return 0


def run(catalogue: Catalogue, options: argparse.Namespace, console: Console) -> int:
    """Run cells one after another with a progress bar, then say what came out."""
    overrides = dict(options.overrides)
    cells = catalogue.find_cells(options.name, options.scale, options.runs, overrides)
    _check_device(options.device)
    for path in run_cells(catalogue, cells, options.device, console):
        console.print(f"wrote {path.relative_to(catalogue.root)}", markup=False, soft_wrap=True)
    return 0


def run_cells(catalogue: Catalogue, cells: list[Cell], device: str, console: Console) -> list[Path]:
    """Run cells with one progress bar each and print a summary of each one's numeric columns."""
    from core.experiment.runner import run_cell

    paths = []
    bar = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.percentage:>3.0f}%"), TimeElapsedColumn())
    with Progress(*bar, console=console) as progress:
        for cell in cells:
            function = catalogue.function(cell)
            task = progress.add_task(f"{cell.name} ({cell.scale}, {cell.runs} runs)", total=1.0)
            start = time.perf_counter()
            path = run_cell(
                cell,
                function,
                catalogue.root,
                device,
                say=lambda message: progress.console.print(message, markup=False, soft_wrap=True),
                progress=lambda fraction, task=task: progress.update(task, completed=fraction),
            )
            _summarise(path, time.perf_counter() - start, progress.console)
            paths.append(path)
    return paths


def promote(catalogue: Catalogue, options: argparse.Namespace, console: Console) -> int:
    """Copy finished cells into results/reference; all are checked before the first is copied."""
    from core.experiment.promote import check, promote

    cells = catalogue.find_cells(options.name, options.scale)
    for cell in cells:
        check(cell, catalogue.root)
    for cell in cells:
        console.print(f"promoted {promote(cell, catalogue.root).relative_to(catalogue.root)}")
    return 0


def quickstart(catalogue: Catalogue, options: argparse.Namespace, console: Console) -> int:
    """Each paper's quickstart experiment, live at each call: an earlier one's results are made anew."""
    for name, paper in catalogue.papers.items():
        cells = list(catalogue.cells(name, paper.quickstart, "smoke"))
        for cell in cells:
            cell.path(catalogue.root).unlink(missing_ok=True)
        run_cells(catalogue, cells, "cpu", console)
    return 0


def _state(info) -> str:
    if not info.present:
        return "-"
    return f"{info.runs} runs" + (" (other settings)" if info.stale else "")


def _check_device(device: str) -> None:
    if device == "cpu":
        return
    import torch

    try:
        torch.zeros(1, device=device).item()
    except (RuntimeError, AssertionError) as error:
        available = ["cpu", *(f"cuda:{i}" for i in range(torch.cuda.device_count()))]
        raise UserError(f"device {device!r} cannot be used here; available: {', '.join(available)}") from error


def _summarise(path: Path, seconds: float, console: Console) -> None:
    from core.experiment.storage import read_records

    records, provenance = read_records(path)
    table = RichTable("metric", "mean", "sd", "min", "max", box=None, padding=(0, 2))
    numbers = records.select_dtypes("number").drop(columns="run")
    for column in numbers.columns[(numbers.nunique() > 1) | (len(numbers) == 1)]:
        values = numbers[column].dropna()
        table.add_row(escape(column), *(f"{v:.4g}" for v in (values.mean(), values.std(), values.min(), values.max())))
    failed = records.loc[records["status"] == "failed", "run"].nunique()
    note = f", {failed} of {provenance['runs']} runs failed or diverged" if failed else ""
    spent = f"{seconds:.1f} s here, {provenance['wall_seconds']:.1f} s of computing"
    console.print(f"{provenance['runs']} runs, {spent}{note}")
    console.print(table)
