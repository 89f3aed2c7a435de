"""A trial, and its outcome as it is told: a loss, a pair of loss and cost, or an evaluation."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.foundation.errors import UserError, brief
from core.objectives.base import FAILURE, Evaluation, MissingValueError, Own, failure_of, number

ENQUEUED = "enqueued"  # the origin of a trial that the caller chose
OBSERVED: Any = Own.OBSERVED  # the key of `info` for the loss of what failed only by violating a constraint
EvaluationLike = Evaluation | float | tuple[float, float]
LARGEST = 1e100
"""Size up to which optimizers see losses as they are: models form squares and sums of them."""
NO_COST = 1.0  # of evaluations whose costs have no meaning, see `Evaluation`
ALLOWED = "a loss, a pair (loss, cost), or an Evaluation of one configuration"
FINITE = (
    "a finite number; a failed evaluation is told as Evaluation(np.array([loss]), np.array([cost]), "
    "({'failure': 'why'},)) with a loss worse than all others"
)


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
    """What was told about one trial: loss, cost, the message of a failure, empty if it succeeded, and `info`.

    Losses beyond 1e100 in size are replaced by logarithms, in their order.
    """

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
        loss = loss if abs(loss) <= LARGEST else within_reach(np.array([loss])).item()
        try:
            cost, info = float(evaluation.cost[0]), evaluation.info[0]
            if not isinstance(info, (dict, Mapping)):  # checked for dict first, which is faster
                raise TypeError
        except (IndexError, TypeError, ValueError) as error:
            raise UserError(
                f"tell: the evaluation has the costs {brief(evaluation.cost)} and the info {brief(evaluation.info)}; "
                "allowed: one number and one mapping"
            ) from error
        return cls(loss, cost, failure_of(info), info)


@dataclass(frozen=True)
class Past:
    """Evaluations that were made elsewhere, n of them in their order.

    Attributes:
        configurations: The configurations, and `points` (n, d), their points of the cube, see `core.spaces.encoding`.
        budgets: Budgets; None is the largest, or stands for no fidelity.
        losses, costs: Losses (n,), of failures the worst-case loss, and costs (n,).
        failed: Whether each failed or violated a constraint, (n,).
        observed: Losses (n,) of all that have one, also of what violated a constraint; else nan.
    """

    configurations: Sequence[Mapping[str, Any]]
    points: NDArray[np.float64]
    budgets: Sequence[float | None]
    losses: NDArray[np.float64]
    costs: NDArray[np.float64]
    failed: NDArray[np.bool_]
    observed: NDArray[np.float64]

    def evaluation(self, place: int) -> Evaluation:
        """One of them as it is told."""
        info: dict[Any, Any] = {FAILURE: "made elsewhere"} if self.failed[place] else {}
        if self.failed[place] and math.isfinite(self.observed[place]):
            info[OBSERVED] = float(self.observed[place])
        return Evaluation(self.losses[place : place + 1], self.costs[place : place + 1], (info,))


def as_evaluation(given: EvaluationLike, needs_cost: bool = False) -> Evaluation:
    """An evaluation of one configuration; an argument that is already an evaluation is returned unchanged.

    Raises:
        UserError: neither an evaluation, nor a number, nor a pair of a number and a cost from 0, or no cost where one
            is needed.
    """
    if isinstance(given, Evaluation):
        return given
    paired = isinstance(given, tuple)
    numbers = given if isinstance(given, tuple) else (given, NO_COST)
    if len(numbers) != 2:
        raise UserError(f"tell: the evaluation is {brief(given)}; allowed: {ALLOWED}")
    loss, cost = (told_number("evaluation", each, given) for each in numbers)
    if paired and not 0 <= cost < math.inf:
        raise UserError(f"tell: the pair {brief(given)} is a loss and its cost; allowed: a finite cost from 0")
    if needs_cost and not paired:
        raise UserError(
            f"tell: the loss {brief(given)} has no cost, which decides about the next trial; allowed: (loss, cost)"
        )
    return Evaluation(np.array([loss]), np.array([cost]), ({},))


def within_reach(losses: NDArray[np.float64]) -> NDArray[np.float64]:
    """Losses (n,) as optimizers see them, in the same order: beyond +-`LARGEST` only their logarithm counts.

    Losses of +-1e308 are then +-4.8e102, so that their squares, sums and differences are finite. A nan stays nan.
    """
    sizes = np.abs(losses)
    if not (far := sizes > LARGEST).any():
        return losses
    reached = losses.copy()
    reached[far] = np.sign(losses[far]) * LARGEST * (1 + np.log(sizes[far]) - math.log(LARGEST))
    return reached


def told_number(what: str, value: Any, given: Any) -> float:
    """The number that stands for `what` in what was given, as `core.objectives.base.number` sees it.

    Raises:
        UserError: no number; one that is not known is nan.
    """
    try:
        return number(value)
    except MissingValueError:
        return math.nan
    except Exception as error:  # of the value's own class, too
        raise UserError(f"tell: the {what} is {brief(given)}; allowed: {ALLOWED}") from error
