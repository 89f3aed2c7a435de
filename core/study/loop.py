"""The loop of every run: keep the workers busy, tell each result as it arrives, and write everything down first.

A pool decides where trials are evaluated and keeps the clock: `InProcess` has this process, `core.study.pool` worker
processes, `core.study.simulated` workers on a clock that jumps. All return the same records for an optimizer that does
not learn, whatever the order of the results. Trials that are pending when the loop starts, in the journal or in a
restored optimizer, are evaluated first.

An evaluation in this process that kills it, by a segmentation fault or for want of memory, would kill every process
that resumes the run. The journal has how often that happened; after `ATTEMPTS` deaths the trial is recorded as failed,
as `core.study.pool` does for its workers, and the run goes on. A process that ends in order, by Ctrl-C, SIGTERM or an
error, says so in the journal, and does not count.
"""

from __future__ import annotations

import time
import warnings
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from threadpoolctl import ThreadpoolController

from core.foundation.validation import require_count
from core.objectives.base import Objective, check_budget
from core.optimizers.base import Optimizer, Trial
from core.study.evaluation import TrialResult, evaluate_trial, evaluation_of
from core.study.journal import Journal, open_journal
from core.study.record import Record
from core.study.replay import Snapshots, replay, run_header

Report = Callable[[Record], None]
GATHER_SECONDS = 0.005
"""How long a proposal waits for others, to be written and started with them, where several workers are free."""
Over = Callable[[float], bool]
"""Whether the run is over at a time of its clock; then nothing new begins, and nothing under way is waited for."""


def never(now: float) -> bool:
    """The run goes on until its evaluations are used up."""
    return False


class Pool(Protocol):
    """Where trials are evaluated."""

    @property
    def worst_loss(self) -> float:
        """The loss of failed evaluations."""
        ...

    def now(self) -> float:
        """Seconds since the pool was created, or whatever its clock counts."""

    def proposing(self) -> AbstractContextManager[object]:
        """The context in which a proposal is made."""

    def slots(self) -> int:
        """The number of trials that can be under way at once."""

    def submit(self, trial: Trial) -> None:
        """Start a trial."""

    def wait(self, seconds: float | None) -> list[tuple[Trial, TrialResult]] | None:
        """All results that have arrived, or else the first ones within the given number of seconds.

        None if no result will ever arrive: the run is over.
        """


class OneThread:
    """The threads of proposals: one.

    Optimizers' matrices are small, and threads that wait for each other make a Gaussian process ten times slower on a
    busy machine. Evaluations have all threads.
    """

    def __init__(self) -> None:
        self._threads = ThreadpoolController()

    def proposing(self) -> AbstractContextManager[object]:
        """A context that limits the proposal to one thread."""
        if all(library.get_num_threads() == 1 for library in self._threads.lib_controllers):
            return nullcontext()  # to set the limit takes four times as long
        limited: AbstractContextManager[object] = self._threads.limit(limits=1)
        return limited


class RealTime(OneThread):
    """What pools that run in real time have in common: proposals on one thread, and the clock."""

    def __init__(self) -> None:
        super().__init__()
        self._zero = time.monotonic()

    def now(self) -> float:
        """Seconds since the pool was created."""
        return time.monotonic() - self._zero


def drive(optimizer: Optimizer, pool: Pool, evaluations: float, journal: Journal, report: Report) -> list[Record]:
    """Run until n evaluations are told, the optimizer has finished, or the pool's clock has stopped.

    On an interruption, results that have already arrived are told before the interruption is passed on.
    """
    return Run(optimizer, pool, evaluations, journal, report).drive()


class Run:
    """The loop, suspended whenever the optimizer should be asked, so that many runs can be asked together.

        while run.wants():
            run.take(*run.ask())

    Args:
        over: Tells when the run ends before its evaluations are used up.
        records: Empty list for the records, if somebody else is to see it grow.

    Attributes:
        records: Records of everything told, in the order of telling.
        places: Start of each trial under way, its place among the workers, and the duration of its proposal, by the
            trial's number.
        starting: Trials that were written to the journal and not started yet.
        arrived: Results that have not been recorded yet.
        recorded: Those that were, and that have not been told yet.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        pool: Pool,
        evaluations: float,
        journal: Journal,
        report: Report,
        over: Over = never,
        records: list[Record] | None = None,
    ) -> None:
        self.optimizer, self.pool, self.evaluations = optimizer, pool, evaluations
        self.journal, self.report, self.over = journal, report, over
        self.places: dict[int, tuple[float, int, float]] = {}
        self.starting: list[tuple[Trial, float]] = []
        self.arrived: list[tuple[Trial, TrialResult]] = []
        self.recorded: deque[tuple[Trial, Record]] = deque()
        self.records: list[Record] = [] if records is None else records
        with pool.proposing():
            self.records += replay(optimizer, journal)
        self._waiting = list(optimizer.pending.values())
        self._filters = list(warnings.filters)
        self._idle = False  # whether the optimizer, asked since the last results, had nothing to propose
        self._snapshots = Snapshots(optimizer, journal)
        self._before = max((record.finished for record in self.records), default=0.0)
        self._before -= pool.now() if self.records else 0.0

    def drive(self) -> list[Record]:
        """Run to the end, as the function `drive`."""
        try:
            while self.wants():
                self.take(*self.ask())
        except BaseException:
            self.rescue()
            raise
        return self.records

    def now(self) -> float:
        """Seconds of the run, including those before it was resumed."""
        return self._before + self.pool.now()

    def wants(self) -> bool:
        """Continue until the optimizer should be asked; False once the run is over."""
        while len(self.records) < self.evaluations and not self.over(self.now()):
            most = min(self.pool.slots(), self.evaluations - len(self.records)) - len(self.starting)
            while not self._idle and len(self.places) < most:
                if not self._waiting:
                    return True
                self._start(self._waiting.pop(0), 0.0)
            self._start_all()
            if self._idle and not self.places:
                if self.optimizer.finished:
                    self.journal.end()
                    return False
                raise RuntimeError(f"{type(self.optimizer).__name__} proposes nothing though no trial is pending")
            arrived = self.pool.wait(None)
            if arrived is None:
                return False
            self._idle = False
            self.arrived += arrived
            self._tell()
        return False

    @contextmanager
    def proposing(self) -> Iterator[None]:
        """The context of the optimizer's work: the pool's, with the warnings of the beginning.

        An objective that makes errors of warnings does so for itself alone. `core.optimizers.base` keeps away from
        optimizers what else it may set for the whole process.
        """
        with self.pool.proposing(), self._filtered():
            yield

    @contextmanager
    def _filtered(self) -> Iterator[None]:
        """The context in which warnings are filtered as when it was last left, or at the beginning."""
        if warnings.filters == self._filters:
            yield
            self._filters = list(warnings.filters)  # libraries that are imported only now add their own
            return
        with warnings.catch_warnings():
            warnings.resetwarnings()
            warnings.filters[:] = self._filters  # type: ignore[index]  # which it declares as a sequence
            yield
            self._filters = list(warnings.filters)

    def ask(self) -> tuple[Trial | None, float]:
        """One trial of the optimizer, or None if it has nothing to propose, and the seconds that asking took."""
        start = time.perf_counter()
        with self.proposing():
            trials = self.optimizer.ask(1)
        return trials[0] if trials else None, time.perf_counter() - start

    def take(self, trial: Trial | None, seconds: float) -> None:
        """Record what was proposed, and start it, maybe with what is proposed next."""
        self._idle = trial is None
        if trial is not None:
            self.journal.asked(trial)
            self.starting.append((trial, seconds))
        self._snapshots.add(seconds)
        if sum(spent for _, spent in self.starting) > GATHER_SECONDS:
            self._start_all()

    def rescue(self) -> None:
        """After an interruption: tell what has already arrived."""
        try:
            self.arrived += self.pool.wait(0.0) or ()
        finally:
            self._tell()

    def _start_all(self) -> None:
        """Start what was proposed, once all of it is on the disk."""
        self.journal.sync()
        while self.starting:
            self._start(*self.starting.pop(0))

    def _start(self, trial: Trial, seconds: float) -> None:
        """Start a trial in the first free place."""
        taken = {place for _, place, _ in self.places.values()}
        place = next(place for place in range(len(taken) + 1) if place not in taken) if taken else 0
        self.places[trial.number] = (self.now(), place, seconds)
        self.pool.submit(trial)

    def _tell(self) -> None:
        """Record what has arrived together, and tell one after the other. After an interruption, the next call goes on.

        After a report that was interrupted or failed, no further reports are made.
        """
        if self.arrived:
            records = [self._record(trial, result) for trial, result in self.arrived]
            self.journal.told(*records)
            self.recorded.extend((trial, record) for (trial, _), record in zip(self.arrived, records, strict=True))
            self.arrived.clear()
        while self.recorded:
            trial, record = self.recorded[0]
            if trial.number in self.places:
                self.records.append(record)
                del self.places[trial.number]
            if trial.number in self.optimizer.pending:
                with self._filtered():
                    self.optimizer.tell(trial, evaluation_of(record))
            self.recorded.popleft()
            report, self.report = self.report, lambda record: None
            report(record)
            self.report = report

    def _record(self, trial: Trial, result: TrialResult) -> Record:
        started, place, seconds = self.places[trial.number]
        if self.optimizer.weighs_costs and not result.failure and result.cost <= 0:
            failure = f"cost is {result.cost:g}; allowed: positive numbers, such as seconds"
            result = replace(result, loss=self.pool.worst_loss, failure=failure)
        return Record(
            number=trial.number,
            configuration=trial.configuration,
            budget=result.budget if trial.budget is None else trial.budget,
            loss=result.loss,
            cost=result.cost,
            failure=result.failure,
            started=started,
            finished=self.now(),
            worker=place,
            notes=trial.info,
            info=result.info,
            overhead=seconds,
            marks=result.marks,
        )


ATTEMPTS = 3  # times that a trial is begun before the deaths of its process are recorded as its failure


def run_serial(
    optimizer: Optimizer,
    objective: Objective,
    evaluations: int,
    seed: int,
    journal: str | Path | None = None,
    report: Report = lambda record: None,
) -> list[Record]:
    """Evaluate in this process until `evaluations` trials are told, or the optimizer has finished.

    Args:
        evaluations: Number of evaluations of the whole run, including those in the journal.
        seed: Seed of the trials' generators, a whole number from 0.
        journal: Path of a file that makes the run resumable; see `core.study.journal`.
        report: Function called with each new record after the optimizer was told, to show progress or to save the
            optimizer.

    Returns:
        The records in the order of telling, including those in the journal.

    Raises:
        UserError: bad arguments, a journal of another run, or a budget outside the objective's fidelity range.
    """
    evaluations, seed = check_run(evaluations, seed)
    with open_journal(journal, run_header(optimizer, seed), optimizer.space) as book:
        return drive(optimizer, InProcess(objective, seed, book), evaluations, book, report)


class InProcess(RealTime):
    """A pool that consists of this process alone and evaluates a trial when its result is waited for."""

    def __init__(self, objective: Objective, seed: int, journal: Journal | None = None) -> None:
        super().__init__()
        self.objective, self.seed, self.worst_loss = objective, seed, float(objective.worst_loss)
        self.journal = journal or Journal()
        self._trials: list[Trial] = []  # at most one

    def slots(self) -> int:
        return 1

    def submit(self, trial: Trial) -> None:
        self._trials = [trial]

    def wait(self, seconds: float | None) -> list[tuple[Trial, TrialResult]]:
        if seconds is not None:  # interrupted: nothing more is evaluated
            return []
        return [(trial, self._evaluate(trial)) for trial in self._trials]

    def _evaluate(self, trial: Trial) -> TrialResult:
        deaths = self.journal.deaths.get(trial.number, 0)
        if deaths >= ATTEMPTS:
            failure = f"the process that evaluated it died, {deaths} times in a row"
            budget = check_budget(self.objective.fidelity, trial.budget)
            return TrialResult(self.worst_loss, 0.0, failure, budget=budget)
        self.journal.again(trial.number)
        return evaluate_trial(self.objective, trial, self.seed)


def check_run(evaluations: int, seed: int) -> tuple[int, int]:
    """Both as Python numbers; raises UserError for anything that is not a valid number."""
    return require_count("evaluations", evaluations), require_count("seed", seed, least=0)
