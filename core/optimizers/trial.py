"""A trial, and what was told about it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from core.benchmarks.base import FAILURE, Evaluation, Own, failure_of
from core.errors import UserError, brief

from core.optimizers.told import FINITE, told_number
ENQUEUED = "enqueued"  # the origin of a trial that the caller chose
OBSERVED: Any = Own.OBSERVED  # the key of `info` for the loss of what failed only by violating a constraint


@dataclass(frozen=True)
class Trial:
    """A configuration to evaluate.

    Attributes:
        number: Number of the trial, from 0 in the order of asking.
        configuration: Values by name; inactive hyperparameters are left out.
        budget: Budget in the unit of the objective's fidelity; None if there is no fidelity, or for the largest budget.
        info: Notes of the optimizer about the trial, as plain values: its origin, its bracket, its rung.
    """

    number: int
    configuration: Mapping[str, Any]
    budget: float | None = None
    info: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Outcome:
    """What was told about one trial: loss, cost, the message of a failure, empty if it succeeded, and `info`."""

    loss: float
    cost: float
    failure: str = ""
    info: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, evaluation: Evaluation) -> Outcome:
        """The outcome of an evaluation of one configuration.

        Raises:
            UserError: an evaluation of several configurations or of none, or one whose loss is not finite.
        """
        if np.shape(evaluation.loss) != (1,):
            raise UserError(
                f"tell: the evaluation holds {np.shape(evaluation.loss)} losses; allowed: (1,), one trial's"
            )
        loss = told_number("loss", evaluation.loss[0], evaluation.loss)
        if not math.isfinite(loss):
            raise UserError(f"tell: the loss is {loss}; allowed: {FINITE}")
        try:
            cost, info = float(evaluation.cost[0]), evaluation.info[0]
        except (IndexError, TypeError) as error:
            raise UserError(
                f"tell: the evaluation has the costs {brief(evaluation.cost)} and the info {brief(evaluation.info)}; "
                "allowed: one number and one mapping"
            ) from error
        return cls(loss, cost, failure_of(info), info)
