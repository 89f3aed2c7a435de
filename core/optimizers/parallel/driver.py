"""The loop of every driver: keep the workers busy, tell each result as it arrives, write everything down first.

`run_serial` evaluates in this process, one trial at a time; `core.optimizers.parallel.pool` has the worker processes.
Both return the same records for an optimizer that does not learn, whatever the order of the results.

Trials that are pending when a driver starts, by the journal or in an optimizer that was restored, are evaluated first.
An optimizer that was restored from its own saved state skips what it already knows of the journal, which spares an
expensive one its proposals; any other is asked and told all of it again.
"""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from core.benchmarks.objective import Objective
from core.errors import UserError
from core.optimizers.base import Optimizer, Trial
from core.optimizers.checks import require_count
from core.optimizers.parallel.evaluation import Result, evaluate_trial, evaluation_of
from core.optimizers.parallel.journal import Journal, open_journal, record_of, trial_entry
from core.optimizers.records import Record

Report = Callable[[Record], None]


class Pool(Protocol):
    """Where trials are evaluated."""

    def slots(self) -> int:
        """How many trials can be under way at once."""

    def submit(self, trial: Trial) -> None:
        """Start a trial."""

    def wait(self, seconds: float | None) -> list[tuple[Trial, Result]]:
        """Results that have arrived: of those that are there at once, else of the first within so many seconds."""


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
        evaluations: of the whole run, those in the journal included.
        seed: of the trials' generators, a whole number from 0.
        journal: a file that makes the run resumable; see `core.optimizers.parallel.journal`.
        report: called with each new record after the optimizer was told: to show progress, or to save the optimizer.

    Returns:
        The records in the order of telling, those in the journal included.

    Raises:
        UserError: bad arguments, a journal of another run, or a budget outside of the objective's fidelity.
    """
    evaluations, seed = check_run(evaluations, seed)
    with open_journal(journal, run_header(optimizer, seed)) as book:
        return drive(optimizer, _Here(objective, seed), evaluations, book, report)


def drive(optimizer: Optimizer, pool: Pool, evaluations: int, journal: Journal, report: Report) -> list[Record]:
    """The loop. On an interruption, the results that have already arrived are told before it passes on."""
    records = _replay(optimizer, journal)
    run = _Run(optimizer, journal, report, records)
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

    def __init__(self, optimizer: Optimizer, journal: Journal, report: Report, records: list[Record]) -> None:
        self.optimizer, self.journal, self.report, self.records = optimizer, journal, report, records
        self.places: dict[int, tuple[float, int]] = {}
        self.arrived: deque[tuple[Trial, Result]] = deque()
        self._zero = time.monotonic() - max((record.finished for record in records), default=0.0)

    def now(self) -> float:
        """Seconds of the run."""
        return time.monotonic() - self._zero

    def ask(self) -> Trial | None:
        """One trial, written down."""
        trials = self.optimizer.ask(1)
        for trial in trials:
            self.journal.asked(trial)
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


class _Here:
    """Evaluates in this process, when it is waited for."""

    def __init__(self, objective: Objective, seed: int) -> None:
        self.objective, self.seed = objective, seed
        self._trial: Trial | None = None

    def slots(self) -> int:
        return 1

    def submit(self, trial: Trial) -> None:
        self._trial = trial

    def wait(self, seconds: float | None) -> list[tuple[Trial, Result]]:
        if seconds is not None:  # interrupted: nothing is evaluated any more
            return []
        return [(self._trial, evaluate_trial(self.objective, self._trial, self.seed))]


def check_run(evaluations: int, seed: int) -> tuple[int, int]:
    """Both as Python's numbers; raises UserError for what is none."""
    return require_count("evaluations", evaluations), require_count("seed", seed, least=0)


def run_header(optimizer: Optimizer, seed: int) -> dict[str, object]:
    """What tells one run's journal from another's; the proposals themselves are compared as they are replayed."""
    return {"optimizer": type(optimizer).__name__, "seed": seed}


def _replay(optimizer: Optimizer, journal: Journal) -> list[Record]:
    """Bring the optimizer to where the journal ends."""
    records, known = [], optimizer.state_dict()["asked"]
    for kind, entry in journal.events:
        if kind == "asked":
            if entry["number"] >= known:
                _ask_again(optimizer, entry, journal)
            continue
        record = record_of(entry, journal.path)
        records.append(record)
        if record.number in optimizer.pending:
            optimizer.tell(optimizer.pending[record.number], evaluation_of(record))
    return records


def _ask_again(optimizer: Optimizer, entry: dict, journal: Journal) -> None:
    trials = optimizer.ask(1)
    proposed = json.dumps(trial_entry(trials[0])) if trials else "nothing"
    if proposed != json.dumps(entry):
        raise UserError(
            f"{journal.path}: the optimizer proposes {proposed} where the journal has {json.dumps(entry)}; "
            "allowed: an optimizer with the same space, settings and seed"
        )
