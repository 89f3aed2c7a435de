"""A pool whose trials know the limits of a pruning rule, and that lets no programming error among the first results."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import replace

from core.optimizers.base import Trial
from core.study.evaluation import TrialResult
from core.study.loop import Pool
from core.study.programming_errors import FIRST, raised_again
from core.study.pruning import LIMITS, Rule, curves_of
from core.study.record import TRACEBACK, Record


class ScreenedPool:
    """The pool around another.

    Args:
        pool: Pool that evaluates.
        records: Records of the run, which grow as it is told.
        rule: Pruning rule; None if nothing is pruned.
        errors: Where the objective leaves a programming error that it raises in this process.
    """

    def __init__(self, pool: Pool, records: Sequence[Record], rule: Rule | None, errors: Sequence[Exception]) -> None:
        self.pool, self.records, self.rule, self.errors = pool, records, rule, errors
        self._submitted: dict[int, Trial] = {}

    @property
    def worst_loss(self) -> float:
        """The loss of failed evaluations."""
        return self.pool.worst_loss

    def now(self) -> float:
        """Seconds since the pool was created."""
        return self.pool.now()

    def proposing(self) -> AbstractContextManager[object]:
        """The context in which a proposal is made."""
        return self.pool.proposing()

    def slots(self) -> int:
        """The number of trials that can be under way at once."""
        return self.pool.slots()

    def submit(self, trial: Trial) -> None:
        """Start a trial, with the limits that hold by now."""
        self._submitted[trial.number] = trial
        if self.rule is not None:
            limits = dict(self.rule.limits(curves_of(self.records)))
            trial = replace(trial, info={**trial.info, LIMITS: limits})
        self.pool.submit(trial)

    def wait(self, seconds: float | None) -> list[tuple[Trial, TrialResult]] | None:
        """As `Pool.wait`.

        Raises:
            Exception: one of the first evaluations of the run failed by a programming error: that error.
        """
        arrived = self.pool.wait(seconds)
        if arrived is None:
            return None
        results = [(self._submitted.pop(trial.number), result) for trial, result in arrived]
        for trial, result in results:
            if seconds is None and TRACEBACK in result.marks and len(self.records) < FIRST:
                error = self.errors[-1] if self.errors else None
                raise raised_again(result.failure, result.marks, trial.configuration, error)
        if seconds is not None and len(self.records) < FIRST:  # the run is ending: it is evaluated again
            return [each for each in results if TRACEBACK not in each[1].marks]
        return results
