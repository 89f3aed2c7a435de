"""The pruner that makes Hyperband, successive halving or BOHB of a sampler's trials.

Optuna cannot continue a trial that has ended, as the brackets of Hyperband do. A trial is instead stopped at the
budgets of their rungs as it reaches them, unless it is among the best 1 / eta of the trials of its bracket that have
reached the rung so far: asynchronous successive halving (Li et al., 2020). The budgets and the sizes of the brackets
are those of Hyperband (thesis, Algorithm 6): as many trials as a bracket begins with are in it, then the next begins.
A trial that violates a constraint ranks behind all that do not.
"""

from __future__ import annotations

import math
import threading
from bisect import bisect_left, insort
from collections import defaultdict
from typing import Any
from weakref import WeakKeyDictionary

from core.foundation.installation import needed_for
from core.integrations.optuna_history import Reading, violates
from core.optimizers.brackets import bracket_size, promoted, rung_budgets

with needed_for("core.integrations"):
    from optuna.pruners import BasePruner
    from optuna.study import Study, StudyDirection
    from optuna.trial import FrozenTrial, TrialState


class _Reached:
    """Ascending losses of finished trials on a rung, by the first rung of their bracket and the rung."""

    def __init__(self) -> None:
        self.reading = Reading()
        self.losses: defaultdict[tuple[int, int], list[float]] = defaultdict(list)


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
        self._begin()

    def _begin(self) -> None:
        self._lock = threading.Lock()
        self._reached: WeakKeyDictionary[Study, _Reached] = WeakKeyDictionary()

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
        rungs = [rung for rung, budget in enumerate(self.budgets) if step is not None and budget <= step]
        first = self.first_rung(trial.number)
        if not rungs or rungs[-1] < first or rungs[-1] == len(self.budgets) - 1:
            return False
        rung, sign = rungs[-1], -1.0 if study.direction == StudyDirection.MAXIMIZE else 1.0
        steps = [each for each in trial.intermediate_values if each >= self.budgets[rung]]
        own = self._loss(trial, rung, sign)
        if own is None or len(steps) > 1:  # decided at the first of them
            return False
        with self._lock:
            reached = self._reached.setdefault(study, _Reached())
            finished, running = reached.reading.pass_over(study)
            for each in finished:
                self._keep(each, reached, sign)
            known = reached.losses[first, rung]
            better, peers = bisect_left(known, own), len(known)
        for each in running:
            if self.first_rung(each.number) == first and each.number != trial.number:
                loss = self._loss(each, rung, sign)
                better, peers = better + (loss is not None and loss < own), peers + (loss is not None)
        return better >= promoted(peers + 1, self.eta)

    def _keep(self, trial: FrozenTrial, reached: _Reached, sign: float) -> None:
        first = self.first_rung(trial.number)
        for rung in range(first, len(self.budgets)) if trial.state != TrialState.FAIL else ():
            if (loss := self._loss(trial, rung, sign)) is not None:
                insort(reached.losses[first, rung], loss)

    def _loss(self, trial: FrozenTrial, rung: int, sign: float) -> float | None:
        """The first report of a trial at or above a rung's budget; None without one.

        It is infinite if it is no number, or the trial violates a constraint.
        """
        steps = [step for step in trial.intermediate_values if step >= self.budgets[rung]]
        if not steps:
            return None
        value = trial.intermediate_values[min(steps)]
        return math.inf if math.isnan(value) or violates(trial) else sign * value

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name not in ("_lock", "_reached")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._begin()
