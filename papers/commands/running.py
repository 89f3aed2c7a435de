"""`python -m papers run` and `quickstart`: cells one after the other, and what came out.

How far a command has come is shown by bars in a terminal, or by one line a minute where the output is a file. Bars and
times left are rich's. The bar of all cells counts the seconds that they took in earlier runs, so that the time left
follows this machine's speed.
"""

from __future__ import annotations

import argparse
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.progress import (
    BarColumn,
    Progress,
    Task,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Table as RichTable

from core.experiment.cells import Cell
from core.experiment.costs import announcement, counted, in_words, recorded_seconds
from core.experiment.finished import is_finished
from core.experiment.paper import Papers
from core.experiment.selection import find_cells
from core.foundation.errors import UnavailableError, UserError
from core.foundation.progress import prompt_interruption

KEPT = "interrupted; finished shards are kept, and the same command continues from there"


def run(papers: Papers, options: argparse.Namespace, console: Console) -> int:
    """Run the cells that a name or pattern matches, then say what came out."""
    cells = find_cells(papers, options.name, options.scale, options.runs, _each_once(options.overrides))
    _check_device(options.device)
    run_cells(papers, _without_missing_extras(cells, console), options.device, console)
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


def quickstart(papers: Papers, options: argparse.Namespace, console: Console) -> int:
    """Run each paper's quickstart experiment live at each call, replacing the results of earlier calls.

    Files with more repetitions than a quickstart makes are kept.
    """
    from core.experiment.runner import discard

    for paper in papers.valid.values():
        cells = list(paper.cells(paper.spec.quickstart, "smoke"))
        for cell in cells:
            discard(cell, papers.root)
        run_cells(papers, cells, "cpu", console)
    papers.require_all()
    return 0


def run_cells(papers: Papers, cells: list[Cell], device: str, console: Console) -> None:
    """Run the cells that are missing, and print a summary of each cell's numeric columns.

    Where all are finished, neither an experiment's module nor torch is imported. An interruption ends it within two
    seconds. A cell whose data set or needed records are not here costs none of the others.

    Raises:
        UnavailableError: at the end, for the cells that could not be run.
    """
    root = papers.root
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
        lacking |= _run_missing(papers, able, len(cells) - len(missing), device, console)
    if lacking:
        _raise_what_is_lacking(lacking, len(missing))


def _run_missing(
    papers: Papers, missing: list[Cell], finished: int, device: str, console: Console
) -> dict[str, UnavailableError]:
    """Run cells one after the other; returns, by name, what the cells that could not be run lack."""
    root, lacking = papers.root, {}
    estimates = [recorded_seconds(cell, root) for cell in missing]
    console.print(announcement(missing, root, finished), markup=False, soft_wrap=True)
    with prompt_interruption(KEPT), progress_display(console, estimates) as display:
        from core.experiment.runner import run_cell

        for cell in missing:
            display.begin(f"{cell.name} ({cell.scale}, {counted(cell.runs)})")
            start = time.perf_counter()
            function = _Noted(papers.function(cell))
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
    from core.experiment.finished import require_file

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


LINE_SECONDS = 60.0
"""Time between two lines of a log."""
SPEED_SECONDS = 86_400.0
"""Period whose progress gives the speed: shards of cells may take hours."""
BEGUN = 1e-9  # rich measures the speed from the first progress above zero


class Display:
    """The cell in progress, and all cells where there are several. `begin`, then `end` or `leave_out`, enclose each.

    Args:
        console: Console to write to.
        estimates: Recorded seconds of each cell in order; None if nothing is known.
        clock: Monotonic clock in seconds.
        unit: What is computed, where it is not cells.
    """

    def __init__(
        self,
        console: Console,
        estimates: Sequence[float | None],
        clock: Callable[[], float] = time.monotonic,
        unit: str = "cells",
    ) -> None:
        known = [seconds for seconds in estimates if seconds]
        usual = sum(known) / len(known) if known else 1.0
        self.console, self._weights, self._number = console, [seconds or usual for seconds in estimates], 0
        columns = (TextColumn("{task.description}"), BarColumn(24), TaskProgressColumn())
        self._progress = Progress(
            *columns,
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=console,
            speed_estimate_period=SPEED_SECONDS,
            get_time=clock,
            disable=not console.is_terminal,
        )
        several = len(self._weights) > 1
        self._whole = f"all {len(self._weights)} {unit}"
        self._all = self._task(self._whole, sum(self._weights), visible=several)
        self._cell = self._task("", 1.0, visible=False)
        self._running = False

    @property
    def bars(self) -> Progress:
        """The bars, shown from the beginning to the end of a `with` block if the console is a terminal."""
        return self._progress

    def begin(self, title: str) -> None:
        """Show the next cell."""
        self._number += 1
        self._running = True
        self._progress.reset(self._cell.id, description=escape(title), visible=True)
        self._say("started")

    def update(self, fraction: float) -> None:
        """Show that this fraction of the cell is done; the first one is what an earlier attempt had done."""
        done = sum(self._weights[: self._number - 1]) + fraction * self._weights[self._number - 1]
        self._progress.update(self._cell.id, completed=max(fraction, BEGUN))
        self._progress.update(self._all.id, completed=max(done, BEGUN))

    def end(self) -> None:
        """Show that the cell is finished."""
        self.update(1.0)
        self._say(f"100% after {in_words(self._cell.elapsed or 0.0)}")
        self._hide()

    def leave_out(self) -> None:
        """Count the cell as done without a word."""
        self.update(1.0)
        self._hide()

    def line(self) -> None:
        """Print how far the cell is, and when all are expected to end, where no bar shows it."""
        if self._running:
            after = f"{self._cell.percentage:.0f}% after {in_words(self._cell.elapsed or 0.0)}"
            several = f"{self._whole}: " if len(self._weights) > 1 else ""
            left = "; ".join(filter(None, [_left(self._cell), several and _left(self._all, several)]))
            self._say(f"{after}{', ' if left else ''}{left}")

    def _task(self, description: str, total: float, visible: bool) -> Task:
        number = self._progress.add_task(description, total=total, visible=visible)
        return next(task for task in self._progress.tasks if task.id == number)

    def _hide(self) -> None:
        self._running = False
        self._progress.update(self._cell.id, visible=False)

    def _say(self, text: str) -> None:
        if self.console.is_terminal:
            return
        place = f"[{self._number}/{len(self._weights)}] " if len(self._weights) > 1 else ""
        title = self._cell.description.replace("\\[", "[")
        self.console.print(f"{place}{title}: {text}", markup=False, soft_wrap=True)


@contextmanager
def progress_display(
    console: Console, estimates: Sequence[float | None], interval: float = LINE_SECONDS, unit: str = "cells"
) -> Iterator[Display]:
    """A display of the cells that are computed, in order; in a file it adds a line every `interval` seconds."""
    display, stopped = Display(console, estimates, unit=unit), threading.Event()

    def tick() -> None:
        while not stopped.wait(interval):
            display.line()

    ticking = threading.Thread(target=tick, daemon=True)
    with display.bars:
        if not console.is_terminal:
            ticking.start()
        try:
            yield display
        finally:
            stopped.set()
            if ticking.is_alive():
                ticking.join()


def _left(task: Task, name: str = "") -> str:
    """`41 s left`, or nothing where nothing is known."""
    return "" if task.time_remaining is None else f"{name}{in_words(task.time_remaining)} left"
