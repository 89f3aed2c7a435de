"""The outcome of a trial as `Optimizer.tell` takes it: a loss, a pair of loss and cost, or an evaluation."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.foundation.errors import UserError, brief
from core.objectives.base import Evaluation, MissingValueError, number

EvaluationLike = Evaluation | float | tuple[float, float]
LARGEST = 1e100
"""Size up to which optimizers see losses as they are: models form squares and sums of them."""
NO_COST = 1.0  # of evaluations whose costs have no meaning, see `Evaluation`
ALLOWED = "a loss, a pair (loss, cost), or an Evaluation of one configuration"
FINITE = (
    "a finite number; a failed evaluation is told as Evaluation(np.array([loss]), np.array([cost]), "
    "({'failure': 'why'},)) with a loss worse than all others"
)


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
