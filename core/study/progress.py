"""The progress of a run: a bar on a terminal, elsewhere a line now and then."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from core.study.record import Record, counts, rank

LINE_SECONDS = 30.0  # seconds between two lines where there is no terminal


class Tally:
    """The counts of a run: its evaluations, its failures, and the best so far.

    Args:
        total: Number of evaluations of the run; infinite if only its time is limited.
        sign: -1 if losses are shown as the values that are maximized.
    """

    def __init__(self, total: float, sign: int = 1) -> None:
        self.total, self.sign, self.done, self.failed = total, sign, 0, 0
        self.best: Record | None = None

    def add(self, record: Record) -> None:
        """Count a record."""
        self.done += 1
        self.failed += bool(record.failure)
        if counts(record) and (self.best is None or rank(record) < rank(self.best)):
            self.best = record

    def __str__(self) -> str:
        failed = f", {self.failed} failed" if self.failed else ""
        if self.best is None:
            return f"no success yet{failed}"
        budget = "" if self.best.budget is None else f" on {self.best.budget:g}"
        return f"best {self.sign * self.best.loss:.5g}{budget}{failed}"

    @property
    def of_total(self) -> str:
        """How many evaluations of how many are done."""
        return f"{self.done} of {self.total}" if isinstance(self.total, int) else f"{self.done}"


@contextmanager
def shown(tally: Tally, done: Sequence[Record], visible: bool = True) -> Iterator[Callable[[Record], None]]:
    """A function that counts a record and shows the progress of the run.

    Args:
        done: Records that a journal held at the start.
        visible: Whether anything is shown at all.
    """
    for record in done:
        tally.add(record)
    if not visible:
        yield tally.add
    elif sys.stderr.isatty():
        with _bar(tally) as report:
            yield report
    else:
        yield _lines(tally)


@contextmanager
def _bar(tally: Tally) -> Iterator[Callable[[Record], None]]:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = MofNCompleteColumn(), BarColumn(), TextColumn("{task.description}"), TimeElapsedColumn()
    with Progress(*columns, TextColumn("left"), TimeRemainingColumn(), console=Console(stderr=True)) as bar:
        task = bar.add_task(
            str(tally), total=tally.total if isinstance(tally.total, int) else None, completed=tally.done
        )

        def report(record: Record) -> None:
            tally.add(record)
            bar.update(task, completed=tally.done, description=str(tally))

        yield report


def _lines(tally: Tally) -> Callable[[Record], None]:
    start = last = time.monotonic()
    begun = tally.done

    def report(record: Record) -> None:
        nonlocal last
        tally.add(record)
        now = time.monotonic()
        if now - last >= LINE_SECONDS:
            left = (now - start) / (tally.done - begun) * (tally.total - tally.done)
            about = f", about {left:.0f} s left" if math.isfinite(left) else ""
            print(f"{tally.of_total} evaluations, {tally}{about}", file=sys.stderr)
            last = now

    return report
