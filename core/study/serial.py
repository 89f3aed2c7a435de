"""Evaluation in this process, one trial at a time.

An evaluation that kills the process, by a segmentation fault or for want of memory, would kill every process that
resumes the run. The journal has how often that happened; after `ATTEMPTS` deaths the trial is recorded as failed, as
`core.study.pool` does for its workers, and the run goes on. A process that ends in order, by Ctrl-C, SIGTERM or an
error, says so in the journal, and does not count.
"""

from __future__ import annotations

from pathlib import Path

from core.foundation.validation import require_count
from core.objectives.base import Objective, check_budget
from core.optimizers.base import Optimizer, Trial
from core.study.evaluation import TrialResult, evaluate_trial
from core.study.journal import Journal, open_journal
from core.study.loop import RealTime, Report, drive
from core.study.record import Record
from core.study.replay import run_header

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
