"""How far a command has come: bars in a terminal, or one line per minute where the output is a file.

Bars and times left are rich's. The bar of all cells counts the seconds that they took in earlier runs, so that the
time left follows this machine's speed.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

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

from core.experiment.durations import in_words

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
