"""`python -m papers run` and `quickstart`: cells one after the other, with the time left, and what came out."""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table as RichTable

from core.errors import UserError
from core.experiment.catalogue import Catalogue
from core.experiment.cells import Cell
from core.experiment.durations import announcement, in_words, recorded_seconds
from core.experiment.finished import is_finished
from core.experiment.pace import Pace
from core.interruption import prompt_interruption
from papers.commands import KEPT
from papers.commands.progress import progress_display


def run(catalogue: Catalogue, options: argparse.Namespace, console: Console) -> int:
    """Run the cells that a name or pattern matches, then say what came out."""
    cells = catalogue.find_cells(options.name, options.scale, options.runs, _each_once(options.overrides))
    _check_device(options.device)
    run_cells(catalogue, _without_missing_extras(cells, console), options.device, console)
    return 0


def _each_once(overrides: list[tuple[str, Any]]) -> dict[str, Any]:
    """The settings of `--set` by their keys."""
    for key, _ in overrides:
        values = [value for other, value in overrides if other == key]
        if len(values) > 1:
            raise UserError(f"--set {key} = {' and '.join(map(str, values))}; allowed: each setting once")
    return dict(overrides)


def _without_missing_extras(cells: list[Cell], console: Console) -> list[Cell]:
    """The cells whose optional packages are installed; all where none is, so that the first raises what to do."""
    able = [cell for cell in cells if cell.can_run]
    for cell in cells if able else ():
        if not cell.can_run:
            console.print(
                f"left out: {cell.name}; it needs the optional package {cell.extra}: "
                f"pip install -r envs/requirements-{cell.extra}.txt",
                markup=False,
                soft_wrap=True,
            )
    return able or cells


def quickstart(catalogue: Catalogue, options: argparse.Namespace, console: Console) -> int:
    """Run each paper's quickstart experiment live at each call, replacing the results of earlier calls.

    Files with more repetitions than a quickstart makes are kept.
    """
    from core.experiment.runner import discard

    for name, paper in catalogue.papers.items():
        cells = list(catalogue.cells(name, paper.quickstart, "smoke"))
        for cell in cells:
            discard(cell, catalogue.root)
        run_cells(catalogue, cells, "cpu", console)
    catalogue.require_all()
    return 0


def run_cells(catalogue: Catalogue, cells: list[Cell], device: str, console: Console) -> None:
    """Run the cells that are missing, and print a summary of each cell's numeric columns.

    Where all are finished, neither an experiment's module nor torch is imported. An interruption ends it within two
    seconds.
    """
    root = catalogue.root
    missing = []
    for cell in cells:
        if is_finished(cell, root):
            _summarize(cell, root, "finished already", "kept", console)
        else:
            missing.append(cell)
    if not missing:
        return
    pace = Pace([recorded_seconds(cell, root) for cell in missing])
    console.print(announcement(missing, root, len(cells) - len(missing)), markup=False, soft_wrap=True)
    with prompt_interruption(KEPT), progress_display(console, pace, len(missing)) as display:
        from core.experiment.runner import run_cell

        for cell in missing:
            display.begin(f"{cell.name} ({cell.scale}, {cell.runs} runs)")
            start = time.perf_counter()
            function = catalogue.function(cell)
            say = lambda text: display.console.print(text, markup=False, soft_wrap=True)  # noqa: E731
            run_cell(cell, function, root, device, say=say, progress=display.update)
            display.end()
            _summarize(cell, root, f"{in_words(time.perf_counter() - start)} here", "wrote", display.console)


def _summarize(cell: Cell, root: Path, spent: str, verb: str, console: Console) -> None:
    """Mean, standard deviation and range of each numeric column that varies; Arrow only, as pandas takes a second."""
    import pyarrow as pa
    import pyarrow.compute as pc

    from core.experiment.storage import read_table

    path = cell.path(root)
    records, provenance = read_table(path)
    table = RichTable("metric", "mean", "sd", "min", "max", box=None, padding=(0, 2))
    for name in records.column_names:
        column = records[name]
        if name == "run" or not (pa.types.is_floating(column.type) or pa.types.is_integer(column.type)):
            continue
        values = column.filter(pc.is_finite(column.cast(pa.float64()))).cast(pa.float64())
        if len(values) and (len(records) == 1 or len(values.unique()) > 1):
            sd = pc.stddev(values, ddof=1).as_py()
            numbers = (
                pc.mean(values).as_py(),
                float("nan") if sd is None else sd,
                *pc.min_max(values).as_py().values(),
            )
            table.add_row(escape(name), *(f"{number:.4g}" for number in numbers))
    states = zip(records["run"].to_pylist(), records["status"].to_pylist(), strict=True)
    failed = len({run for run, status in states if status == "failed"})
    note = f", {failed} of {provenance['runs']} runs failed or diverged" if failed else ""
    computing = in_words(provenance["wall_seconds"])
    text = f"{cell.name}: {provenance['runs']} runs, {spent}, {computing} of computing{note}"
    console.print(text, markup=False, soft_wrap=True)
    console.print(table)
    console.print(f"{verb} {path.relative_to(root)}", markup=False, soft_wrap=True)


def _check_device(device: str) -> None:
    if device == "cpu":
        return
    import torch

    try:
        torch.zeros(1, device=device).item()
    except (RuntimeError, AssertionError) as error:
        available = ["cpu", *(f"cuda:{i}" for i in range(torch.cuda.device_count()))]
        raise UserError(f"device {device!r} cannot be used here; available: {', '.join(available)}") from error
