"""The pruner that makes Hyperband, successive halving or BOHB of a sampler's trials.

Optuna cannot continue a trial that has ended, as the brackets of Hyperband do. A trial is instead stopped at the
budgets of their rungs as it reaches them, unless it is among the best 1 / eta of the trials of its bracket that have
reached the rung so far: asynchronous successive halving (Li et al., 2020). The budgets and the sizes of the brackets
are those of Hyperband (thesis, Algorithm 6): as many trials as a bracket begins with are in it, then the next begins.
"""

from __future__ import annotations

import math

from core.extras import needed_for
from core.optimizers.brackets import bracket_size, promoted, rung_budgets

with needed_for("core.integrations"):
    from optuna.pruners import BasePruner
    from optuna.study import Study, StudyDirection
    from optuna.trial import FrozenTrial, TrialState


class HPOPruner(BasePruner):
    """Hyperband's brackets for trials that report at steps which are budgets.

    Args:
        minimum_budget, maximum_budget, eta: Budgets of the rungs: maximum_budget eta^-s, not below the minimum.
        brackets: Number of different brackets; 1 is successive halving, None is Hyperband: as many as rungs.

    Raises:
        UserError: budgets not ascending and positive, or eta below 2.
    """

    def __init__(
        self, minimum_budget: float, maximum_budget: float, *, eta: float = 3, brackets: int | None = None
    ) -> None:
        self.budgets, self.eta = rung_budgets(minimum_budget, maximum_budget, eta), eta
        rungs = len(self.budgets)
        self.sizes = [bracket_size(first, rungs, eta) for first in range(rungs)][:brackets]

    def first_rung(self, number: int) -> int:
        """The rung on which the bracket of a trial begins, by the number of the trial."""
        number %= sum(self.sizes)
        for rung, size in enumerate(self.sizes):
            if number < size:
                return rung
            number -= size
        raise AssertionError("number is below the sum of the sizes")

    def prune(self, study: Study, trial: FrozenTrial) -> bool:
        """Whether the trial is to be stopped at the rung that its last report has reached."""
        step = trial.last_step
        reached = [rung for rung, budget in enumerate(self.budgets) if step is not None and budget <= step]
        first = self.first_rung(trial.number)
        if not reached or reached[-1] < first or reached[-1] == len(self.budgets) - 1:
            return False
        rung = reached[-1]
        steps = [each for each in trial.intermediate_values if each >= self.budgets[rung]]
        if len(steps) > 1:  # decided at the first of them
            return False
        others = study.get_trials(deepcopy=False, states=(TrialState.COMPLETE, TrialState.PRUNED, TrialState.RUNNING))
        sign = -1.0 if study.direction == StudyDirection.MAXIMIZE else 1.0
        peers = [each for each in others if self.first_rung(each.number) == first and each.number != trial.number]
        values = [loss for each in peers if (loss := self._loss(each, rung, sign)) is not None]
        own = self._loss(trial, rung, sign)
        return own is None or sum(value < own for value in values) >= promoted(len(values) + 1, self.eta)

    def _loss(self, trial: FrozenTrial, rung: int, sign: float) -> float | None:
        """The first report of a trial at or above a rung's budget, infinite if it is no number; None without one."""
        steps = [step for step in trial.intermediate_values if step >= self.budgets[rung]]
        if not steps:
            return None
        value = trial.intermediate_values[min(steps)]
        return math.inf if math.isnan(value) else sign * value
