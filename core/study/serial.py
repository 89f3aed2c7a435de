"""Evaluation in this process, one trial at a time."""

from __future__ import annotations

from pathlib import Path

from core.benchmarks.base import Objective
from core.optimizers.base import Optimizer, Trial
from core.study.evaluation import TrialResult, evaluate_trial
from core.study.journal import open_journal
from core.study.loop import RealTime, Report, drive
from core.study.record import Record
from core.study.replay import run_header
from core.validation import require_count


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
        return drive(optimizer, InProcess(objective, seed), evaluations, book, report)


class InProcess(RealTime):
    """A pool that consists of this process alone and evaluates a trial when its result is waited for."""

    def __init__(self, objective: Objective, seed: int) -> None:
        super().__init__()
        self.objective, self.seed, self.worst_loss = objective, seed, float(objective.worst_loss)
        self._trials: list[Trial] = []  # at most one

    def slots(self) -> int:
        return 1

    def submit(self, trial: Trial) -> None:
        self._trials = [trial]

    def wait(self, seconds: float | None) -> list[tuple[Trial, TrialResult]]:
        if seconds is not None:  # interrupted: nothing more is evaluated
            return []
        return [(trial, evaluate_trial(self.objective, trial, self.seed)) for trial in self._trials]


def check_run(evaluations: int, seed: int) -> tuple[int, int]:
    """Both as Python numbers; raises UserError for anything that is not a valid number."""
    return require_count("evaluations", evaluations), require_count("seed", seed, least=0)
