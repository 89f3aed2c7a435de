"""An objective as `minimize` evaluates it: values that are maximized become losses, constraints are judged, and
programming errors are told from failures.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from ConfigSpace import ConfigurationSpace

from core.foundation.errors import brief
from core.objectives.base import FAILURE, Configurations, Evaluation, Fidelity, Objective, Own, failure_of
from core.objectives.guard import message_of
from core.objectives.returned import WrongReturnError, number
from core.optimizers.base import Trial
from core.study.programming_errors import described, is_programming_error
from core.study.record import CONSTRAINTS, MARKS, PRUNED, TOLD_LOSS


@dataclass(frozen=True)
class Judged:
    """The objective around another.

    Attributes:
        inner: Objective that is evaluated.
        worst_loss: Loss of failures.
        sign: -1 if values of the inner objective are maximized.
        constraints: Names of outcomes in the inner objective's `info` that must be at most 0; "failure" stands for the
            failure of an evaluation.
        errors: The last programming error raised in this process; at most one.
    """

    inner: Objective
    worst_loss: float
    sign: int = 1
    constraints: tuple[str, ...] = ()
    errors: list[Exception] = field(default_factory=list, compare=False)

    @property
    def space(self) -> ConfigurationSpace:
        return self.inner.space

    @property
    def fidelity(self) -> Fidelity | None:
        return self.inner.fidelity

    @property
    def optimum(self) -> float | None:
        """None: nobody asks."""
        return None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "errors": []}

    def of_trial(self, trial: Trial) -> Judged:
        """The same for the evaluation of a trial, which functions may ask for; errors go to the same list."""
        of_trial = getattr(self.inner, "of_trial", None)
        return self if of_trial is None else replace(self, inner=of_trial(trial))

    def evaluate(
        self, configurations: Configurations, budget: float | None, generator: np.random.Generator
    ) -> Evaluation:
        """The evaluation of one configuration; raises whatever the inner objective does, unless it is a mistake."""
        start = time.perf_counter()
        try:
            returned = self.inner.evaluate(configurations, budget, generator)
            return self._judge(returned) if isinstance(returned, Evaluation) and len(returned.info) == 1 else returned
        except Exception as error:
            if not is_programming_error(error, configurations[0], list(self.space)):
                raise
            self.errors[:] = [error]
            info: dict[Any, Any] = {FAILURE: message_of(error), MARKS: described(error)}
            return Evaluation(np.array([np.nan]), np.array([time.perf_counter() - start]), (info,))

    def _judge(self, evaluation: Evaluation) -> Evaluation:
        [info] = evaluation.info
        if failure_of(info) or (self.sign == 1 and not self.constraints):
            return evaluation
        if self.constraints:
            info = self._constrained(info)
        return Evaluation(self.sign * np.asarray(evaluation.loss), evaluation.cost, (info,))

    def _constrained(self, info: Mapping[Any, Any]) -> Mapping[Any, Any]:
        """The same with the constraints among the marks, and what an optimizer is told if one is violated."""
        if FAILURE in self.constraints and Own.FAILURE in info:
            raise WrongReturnError(
                f"the function returned an outcome 'failure', {brief(info[Own.FAILURE])}, but the constraint 'failure' "
                "is that an evaluation does not fail; allowed: another name for the outcome"
            )
        names = [name for name in self.constraints if name != FAILURE]
        missing = [name for name in names if name not in info]
        if missing and PRUNED in info.get(MARKS, {}):  # given up before they were known
            return info
        if missing:
            said = sorted(str(name) for name in info if not isinstance(name, Own))
            raise WrongReturnError(
                f"the function returned no {missing[0]!r} among {brief(said)}; allowed: a dictionary with the "
                f"loss and all constraints, such as {{'loss': 0.1, {missing[0]!r}: -2.0}}"
            )
        values = {name: _constraint(name, info[name]) for name in names}
        others: dict[Any, Any] = {name: value for name, value in info.items() if name not in values}
        for name, value in values.items():
            if math.isnan(value):
                return {**others, FAILURE: f"{name} is nan"}
        violated = any(value > 0 for value in values.values())
        marks = {CONSTRAINTS: values, **({TOLD_LOSS: self.worst_loss} if violated else {})}
        return {**others, MARKS: {**info.get(MARKS, {}), **marks}}


def _constraint(name: str, value: Any) -> float:
    allowed = "allowed: a number that is at most 0 where the constraint is satisfied, such as used - limit"
    if isinstance(value, (bool, np.bool_)):
        raise WrongReturnError(f"the function returned {name!r} {bool(value)}, but it is a constraint; {allowed}")
    return number(value, f"for the constraint {name!r} the function returned", allowed)
