"""`python -m papers run` and `quickstart`: cells one after the other, with the time left, and what came out."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table as RichTable

from core.experiment.catalogue import Catalogue
from core.experiment.cells import Cell
from core.experiment.durations import announcement, counted, in_words, recorded_seconds
from core.experiment.finished import is_finished
from core.experiment.selection import find_cells
from core.foundation.errors import UnavailableError, UserError
from core.foundation.progress import prompt_interruption
from papers.commands import KEPT
from papers.commands.progress import progress_display


def run(catalogue: Catalogue, options: argparse.Namespace, console: Console) -> int:
    """Run the cells that a name or pattern matches, then say what came out."""
    cells = find_cells(catalogue, options.name, options.scale, options.runs, _each_once(options.overrides))
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
    seconds. A cell whose data set or needed records are not here costs none of the others.

    Raises:
        UnavailableError: at the end, for the cells that could not be run.
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
    lacking = _lacking_records(missing, root)
    for name, error in lacking.items() if len(missing) > 1 else ():
        console.print(f"left out: {name}; {error}", markup=False, soft_wrap=True)
    able = [cell for cell in missing if cell.name not in lacking]
    if able:
        lacking |= _run_missing(catalogue, able, len(cells) - len(missing), device, console)
    if lacking:
        _raise_what_is_lacking(lacking, len(missing))


def _run_missing(
    catalogue: Catalogue, missing: list[Cell], finished: int, device: str, console: Console
) -> dict[str, UnavailableError]:
    """Run cells one after the other; returns, by name, what the cells that could not be run lack."""
    root, lacking = catalogue.root, {}
    estimates = [recorded_seconds(cell, root) for cell in missing]
    console.print(announcement(missing, root, finished), markup=False, soft_wrap=True)
    with prompt_interruption(KEPT), progress_display(console, estimates) as display:
        from core.experiment.runner import run_cell

        for cell in missing:
            display.begin(f"{cell.name} ({cell.scale}, {counted(cell.runs)})")
            start = time.perf_counter()
            function = _Noted(catalogue.function(cell))
            say = lambda text: display.console.print(text, markup=False, soft_wrap=True)  # noqa: E731
            try:
                run_cell(cell, function, root, device, say=say, progress=display.update)
            except UnavailableError as error:
                lacking[cell.name] = error
                display.leave_out()
                if len(missing) > 1:
                    say(f"left out: {cell.name}; {error}")
                continue
            display.end()
            spent, verb = f"{in_words(time.perf_counter() - start)} here", "wrote"
            if not function.called:  # another process computed it meanwhile
                spent, verb = "finished by another process", "kept"
            _summarize(cell, root, spent, verb, display.console)
    return lacking


class _Noted:
    """An experiment function that notes whether it was called."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function, self.called = function, False

    def __call__(self, context: Any) -> Any:
        self.called = True
        return self._function(context)


def _lacking_records(cells: list[Cell], root: Path) -> dict[str, UnavailableError]:
    """What cells lack of the records that they read, by their names; records of cells before them will be there."""
    errors: dict[Path, UnavailableError | None] = {}
    lacking = {}
    for cell in cells:
        for needed in cell.needs:
            path = needed.path(root)
            if path not in errors:
                errors[path] = _lack_of(needed, root)
            if (error := errors[path]) is not None:
                lacking.setdefault(cell.name, error)
        errors[cell.path(root)] = lacking.get(cell.name)
    return lacking


def _lack_of(needed: Cell, root: Path) -> UnavailableError | None:
    from core.experiment.needs import require_file

    try:
        require_file(needed, root)
    except UnavailableError as error:
        return error
    return None


def _raise_what_is_lacking(lacking: dict[str, UnavailableError], cells: int) -> None:
    """Raise one error: for a single cell its own, for several cells each message once, with the cells it is about."""
    if cells == 1:
        raise next(iter(lacking.values()))
    about: dict[str, list[str]] = {}
    for name, error in lacking.items():
        about.setdefault(str(error), []).append(name)
    lines = [f"{', '.join(names)}: {message.removeprefix(f'{names[0]}: ')}" for message, names in about.items()]
    raise UnavailableError("\n".join([f"{len(lacking)} of {cells} cells could not be run", *lines]))


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
    note = f", {failed} of {counted(provenance['runs'])} failed or diverged" if failed else ""
    computing = in_words(provenance["wall_seconds"])
    text = f"{cell.name}: {counted(provenance['runs'])}, {spent}, {computing} of computing{note}"
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
