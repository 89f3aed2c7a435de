"""How far a command has come: a bar in a terminal, or one line per minute where the output is a file."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

from core.experiment.durations import in_words
from core.experiment.pace import Pace

LINE_SECONDS = 60.0
"""Time between two lines of a log."""
REFRESH_SECONDS = 0.5
"""Time between two updates from the clock, so that the seconds left go down even when no progress is reported."""


class Display(Protocol):
    """What shows the progress."""

    console: Console

    def begin(self, title: str) -> None: ...

    def update(self, fraction: float) -> None: ...

    def end(self) -> None: ...

    def leave_out(self) -> None: ...


@contextmanager
def progress_display(console: Console, pace: Pace, cells: int) -> Iterator[Display]:
    """A display of the cells that are computed, in order; `begin` and `end`, or `leave_out`, enclose each."""
    display = Bar(console, pace, cells) if console.is_terminal else Log(console, pace, cells)
    stopped = threading.Event()

    def tick() -> None:
        while not stopped.wait(display.interval):
            display.refresh()

    with display.shown():
        ticking = threading.Thread(target=tick, daemon=True)
        ticking.start()
        try:
            yield display
        finally:
            stopped.set()
            ticking.join()


class Bar:
    """The cell in progress, and all cells where there are several, with seconds left."""

    interval = REFRESH_SECONDS

    def __init__(self, console: Console, pace: Pace, cells: int) -> None:
        self.console, self._pace, self._cells, self._done = console, pace, cells, 0
        columns = (TextColumn("{task.description}"), BarColumn(24), TaskProgressColumn(), TimeElapsedColumn())
        self._progress = Progress(*columns, TextColumn("{task.fields[left]}"), console=console)
        self._all = self._progress.add_task(f"all {cells} cells", total=cells, left="", visible=cells > 1)
        self._cell = self._progress.add_task("", total=1.0, left="", visible=False)

    def shown(self) -> Progress:
        return self._progress

    def begin(self, title: str) -> None:
        self._pace.begin()
        self._progress.reset(self._cell, description=escape(title), visible=True)
        self.refresh()

    def update(self, fraction: float) -> None:
        self._pace.update(fraction)

    def end(self) -> None:
        self._pace.end()
        self.leave_out()

    def leave_out(self) -> None:
        self._done += 1
        self._progress.update(self._all, completed=self._done)
        self._progress.update(self._cell, visible=False)

    def refresh(self) -> None:
        cell, fraction = cell_left(self._pace), self._pace.fraction
        self._progress.update(self._cell, completed=fraction, left=cell)
        self._progress.update(self._all, completed=min(self._done + fraction, self._cells), left=all_left(self._pace))


class Log:
    """A line when a cell begins and ends, and one per minute in between."""

    def __init__(self, console: Console, pace: Pace, cells: int, interval: float = LINE_SECONDS) -> None:
        self.console, self.interval, self._pace, self._cells, self._number = console, interval, pace, cells, 0
        self._title, self._running = "", False

    @contextmanager
    def shown(self) -> Iterator[None]:
        yield

    def begin(self, title: str) -> None:
        self._pace.begin()
        self._number += 1
        self._title, self._running = title, True
        self._say(f"started, {cell_left(self._pace) or 'no earlier run to estimate from'}")

    def update(self, fraction: float) -> None:
        self._pace.update(fraction)

    def end(self) -> None:
        self._running = False
        elapsed = self._pace.elapsed
        self._pace.end()
        self._say(f"100% after {in_words(elapsed)}")

    def leave_out(self) -> None:
        self._running = False

    def refresh(self) -> None:
        if self._running:
            left = cell_left(self._pace)
            after = f"{self._pace.fraction:.0%} after {in_words(self._pace.elapsed)}"
            rest = f"; all {self._cells} cells: {all_left(self._pace)}" if self._cells > 1 else ""
            self._say(f"{after}{', ' if left else ''}{left}{rest}")

    def _say(self, text: str) -> None:
        place = f"[{self._number}/{self._cells}] " if self._cells > 1 else ""
        self.console.print(f"{place}{self._title}: {text}", markup=False, soft_wrap=True)


def cell_left(pace: Pace) -> str:
    """`41 s left`, or nothing where nothing is known."""
    left = pace.cell_left
    return "" if left is None else f"{in_words(left)} left"


def all_left(pace: Pace) -> str:
    """`14 min left`, and how many cells were never timed."""
    seconds, unknown = pace.all_left
    rest = f"{unknown} cell{'s' if unknown > 1 else ''} never timed" if unknown else ""
    return ", ".join(filter(None, ["" if seconds is None else f"{in_words(seconds)} left", rest]))
