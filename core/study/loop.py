"""The loop of every run: keep the workers busy, tell each result as it arrives, write everything down first.

Where trials are evaluated, and what time it is there, is the pool's business: `core.study.serial` has this process,
`core.study.pool` worker processes, `core.study.simulated` workers on a clock that jumps. All return the same records
for an optimizer that does not learn, whatever the order of the results. Trials that are pending when the loop starts,
by the journal or in an optimizer that was restored, are evaluated first.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from contextlib import AbstractContextManager
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

    def now(self) -> float:
        """Seconds since the pool was made, or whatever its clock counts."""

    def proposing(self) -> AbstractContextManager:
        """What surrounds a proposal."""

    def slots(self) -> int:
        """How many trials can be under way at once."""

    def submit(self, trial: Trial) -> None:
        """Start a trial."""

    def wait(self, seconds: float | None) -> list[tuple[Trial, Result]] | None:
        """Results that have arrived: of those that are there at once, else of the first within so many seconds.

        None where no result will ever arrive: the run is over.
        """


class RealTime:
    """The part of a pool that real time has in common.

    Optimizers propose on one thread, since their matrices are small: on a machine where others work as well, threads
    that wait for each other make a Gaussian process ten times slower. Evaluations have all threads.
    """

    def __init__(self) -> None:
        self._zero, self._threads = time.monotonic(), ThreadpoolController()

    def now(self) -> float:
        """See `Pool`."""
        return time.monotonic() - self._zero

    def proposing(self) -> AbstractContextManager:
        """See `Pool`."""
        return self._threads.limit(limits=1)


def drive(optimizer: Optimizer, pool: Pool, evaluations: float, journal: Journal, report: Report) -> list[Record]:
    """The loop, until so many evaluations are told, the optimizer has finished, or the pool's clock has stopped.

    On an interruption, the results that have already arrived are told before it passes on.
    """
    with pool.proposing():
        records = replay(optimizer, journal)
    run = _Run(optimizer, pool, journal, report, records)
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
            arrived = pool.wait(None)
            if arrived is None:
                break
            run.arrived.extend(arrived)
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
        self, optimizer: Optimizer, pool: Pool, journal: Journal, report: Report, records: list[Record]
    ) -> None:
        self.optimizer, self.pool, self.journal, self.report, self.records = optimizer, pool, journal, report, records
        self.places: dict[int, tuple[float, int]] = {}
        self.arrived: deque[tuple[Trial, Result]] = deque()
        self._snapshots = Snapshots(optimizer, journal)
        self._before = max((record.finished for record in records), default=0.0) - (pool.now() if records else 0.0)

    def now(self) -> float:
        """Seconds of the run, those before it was resumed included."""
        return self._before + self.pool.now()

    def ask(self) -> Trial | None:
        """One trial, written down."""
        start = time.perf_counter()
        with self.pool.proposing():
            trials = self.optimizer.ask(1)
        seconds = time.perf_counter() - start
        for trial in trials:
            self.journal.asked(trial)
        self._snapshots.add(seconds)
        return trials[0] if trials else None

    def start(self, trial: Trial) -> None:
        """Note that a trial starts now, in the first free place."""
        taken = {place for _, place in self.places.values()}
        place = next(place for place in range(len(taken) + 1) if place not in taken)
        self.places[trial.number] = (self.now(), place)

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
            number=trial.number,
            configuration=trial.configuration,
            budget=trial.budget,
            loss=result.loss,
            cost=result.cost,
            failure=result.failure,
            started=started,
            finished=self.now(),
            worker=place,
            notes=trial.info,
            info=result.info,
        )
        self.journal.told(record)
        self.records.append(record)
        del self.places[trial.number]
