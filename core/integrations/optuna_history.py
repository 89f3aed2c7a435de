"""What the trials of a study say about a group of parameters: losses to be minimized, failures, and budgets.

* A completed trial counts with its value, of a study that maximizes with the negative.
* A failed one, also one whose value is infinite, counts as a failure, which a method does not search near. (Optuna's
  own samplers forget failures, and may repeat what failed.)
* A pruned one counts with its last report, but as no better than the median of the completed ones: it was stopped
  because others were better, and what it would have come to is not known. One without a report is a failure.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np

from core.benchmarks.base import FAILURE, Evaluation
from core.extras import needed_for

with needed_for("core.integrations"):
    from optuna.study import Study, StudyDirection
    from optuna.trial import FrozenTrial, TrialState

BUDGET = "hpo:budget"  # the key of a trial's system attributes for the budget on which it is to be evaluated
COST = "cost"  # the key of its user attributes for what it cost
FINISHED = (TrialState.COMPLETE, TrialState.PRUNED, TrialState.FAIL)


@dataclass(frozen=True)
class History:
    """The trials of a study before one of them.

    Attributes:
        finished, running: Trials in the order of their numbers.
        sign: 1 if the study minimizes, -1 if it maximizes.
    """

    finished: Sequence[FrozenTrial]
    running: Sequence[FrozenTrial]
    sign: float

    @classmethod
    def before(cls, study: Study, trial: FrozenTrial) -> History:
        """The history of all other trials of a study."""
        others = [other for other in study.get_trials(deepcopy=False) if other.number != trial.number]
        finished = [other for other in others if other.state in FINISHED]
        running = [other for other in others if other.state == TrialState.RUNNING]
        return cls(finished, running, -1.0 if study.direction == StudyDirection.MAXIMIZE else 1.0)

    @property
    def told(self) -> list[FrozenTrial]:
        """The finished trials that say something about the space."""
        return [trial for trial in self.finished if trial.params]

    def evaluations(self) -> dict[int, Evaluation]:
        """The evaluation of every finished trial, by number; failures have the largest loss of the others."""
        losses = {trial.number: self.loss(trial) for trial in self.finished}
        complete = [losses[each.number] for each in self.finished if each.state == TrialState.COMPLETE]
        floor = median(finite) if (finite := [loss for loss in complete if math.isfinite(loss)]) else -math.inf
        for trial in self.finished:
            if trial.state == TrialState.PRUNED:
                losses[trial.number] = max(losses[trial.number], floor)
        worst = max((loss for loss in losses.values() if math.isfinite(loss)), default=0.0)
        return {trial.number: _evaluation(losses[trial.number], worst, trial) for trial in self.finished}

    def loss(self, trial: FrozenTrial) -> float:
        """The value of a completed trial or the last report of a pruned one, to be minimized; else infinite."""
        value = trial.value if trial.state == TrialState.COMPLETE else self.report(trial, math.inf)
        return math.inf if value is None or not math.isfinite(value) else self.sign * value

    def report(self, trial: FrozenTrial, budget: float) -> float | None:
        """What a trial reported at the last step up to a budget; None if it failed or reported nothing until then."""
        steps = [step for step in trial.intermediate_values if step <= budget]
        return trial.intermediate_values[max(steps)] if steps and trial.state != TrialState.FAIL else None


def cost_of(trial: FrozenTrial) -> float:
    """The user attribute `cost` of a trial, or the seconds that it took."""
    given = trial.user_attrs.get(COST)
    if isinstance(given, (int, float)):
        return float(given)
    return trial.duration.total_seconds() if trial.duration is not None else math.nan


def budget_attribute(trial: FrozenTrial) -> float | None:
    """The budget that the sampler gave a trial."""
    budget: Any = trial.system_attrs.get(BUDGET)
    return None if budget is None else float(budget)


def _evaluation(loss: float, worst: float, trial: FrozenTrial) -> Evaluation:
    failed = not math.isfinite(loss)
    info = {FAILURE: trial.state.name.lower()} if failed else {}
    return Evaluation(np.array([worst if failed else loss]), np.array([cost_of(trial)]), (info,))
