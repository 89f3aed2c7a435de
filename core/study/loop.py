"""The loop of every run: keep the workers busy, tell each result as it arrives, write everything down first.

Where trials are evaluated is the pool's business: `core.study.serial` has this process, `core.study.pool` worker
processes. Both return the same records for an optimizer that does not learn, whatever the order of the results. Trials
that are pending when the loop starts, by the journal or in an optimizer that was restored, are evaluated first.

Optimizers propose on one thread, since their matrices are small: on a machine where others work as well, threads that
wait for each other make a Gaussian process ten times slower. Evaluations have all threads.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from typing import Protocol

from threadpoolctl import ThreadpoolController

from core.optimizers.base import Optimizer, Trial
from core.optimizers.records import Record
from core.study.evaluation import Result, evaluation_of
from core.study.journal import Journal
from core.study.replay import Snapshots, replay

Report = Callable[[Record], None]


class Pool(Protocol):
    """Where trials are evaluated."""

    def slots(self) -> int:
        """How many trials can be under way at once."""

    def submit(self, trial: Trial) -> None:
        """Start a trial."""

    def wait(self, seconds: float | None) -> list[tuple[Trial, Result]]:
        """Results that have arrived: of those that are there at once, else of the first within so many seconds."""


def drive(optimizer: Optimizer, pool: Pool, evaluations: int, journal: Journal, report: Report) -> list[Record]:
    """The loop. On an interruption, the results that have already arrived are told before it passes on."""
    threads = ThreadpoolController()
    with threads.limit(limits=1):
        records = replay(optimizer, journal)
    run = _Run(optimizer, journal, report, records, threads)
    waiting = list(optimizer.pending.values())
    try:
        while len(records) < evaluations:
            idle = False  # whether the optimizer was asked and had nothing
            while not idle and len(run.places) < min(pool.slots(), evaluations - len(records)):
                trial = waiting.pop(0) if waiting else run.ask()
                idle = trial is None
                if not idle:
                    run.start(trial)
                    pool.submit(trial)
            if idle and not run.places:
                if optimizer.finished:
                    journal.end()
                    break
                raise RuntimeError(f"{type(optimizer).__name__} proposes nothing though no trial is pending")
            run.arrived.extend(pool.wait(None))
            run.tell()
    except BaseException:
        try:
            run.arrived.extend(pool.wait(0.0))
        finally:
            run.tell()
        raise
    return records


class _Run:
    """What the loop keeps: the clock, the records, and the trials under way.

    Attributes:
        places: of each trial under way, by number: when it started, and the place that it takes among the workers.
        arrived: results that are not yet written down and told.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        journal: Journal,
        report: Report,
        records: list[Record],
        threads: ThreadpoolController,
    ) -> None:
        self.optimizer, self.journal, self.report, self.records = optimizer, journal, report, records
        self._threads = threads
        self.places: dict[int, tuple[float, int]] = {}
        self.arrived: deque[tuple[Trial, Result]] = deque()
        self._snapshots = Snapshots(optimizer, journal)
        self._zero = time.monotonic() - max((record.finished for record in records), default=0.0)

    def now(self) -> float:
        """Seconds of the run."""
        return time.monotonic() - self._zero

    def ask(self) -> Trial | None:
        """One trial, written down."""
        start = time.perf_counter()
        with self._threads.limit(limits=1):
            trials = self.optimizer.ask(1)
        seconds = time.perf_counter() - start
        for trial in trials:
            self.journal.asked(trial)
        self._snapshots.add(seconds)
        return trials[0] if trials else None

    def start(self, trial: Trial) -> None:
        """Note that a trial starts now, in the first free place."""
        taken = {place for _, place in self.places.values()}
        self.places[trial.number] = (self.now(), min(set(range(len(taken) + 1)) - taken))

    def tell(self) -> None:
        """Write down and tell what has arrived. Where an interruption stops it, the next call goes on.

        A report that was interrupted or failed was the last one.
        """
        while self.arrived:
            trial, result = self.arrived[0]
            if trial.number in self.places:
                self._write(trial, result)
            record = self.records[-1]
            if trial.number in self.optimizer.pending:
                self.optimizer.tell(trial, evaluation_of(record))
            self.arrived.popleft()
            report, self.report = self.report, lambda record: None
            report(record)
            self.report = report

    def _write(self, trial: Trial, result: Result) -> None:
        started, place = self.places[trial.number]
        record = Record(
            **{"number": trial.number, "configuration": trial.configuration, "budget": trial.budget},
            **vars(result),
            **{"started": started, "finished": self.now(), "worker": place, "notes": trial.info},
        )
        self.journal.told(record)
        self.records.append(record)
        del self.places[trial.number]
