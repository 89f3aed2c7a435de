"""What `Optimizer.tell` takes as the outcome of a trial: a loss, a loss and what it cost, or an evaluation."""

from __future__ import annotations

from numbers import Real

import numpy as np

from core.benchmarks.objective import Evaluation
from core.errors import UserError

Told = Evaluation | float | tuple[float, float]
NO_COST = 1.0  # of evaluations whose costs have no meaning, see `Evaluation`


def as_evaluation(told: Told, needs_cost: bool = False) -> Evaluation:
    """An evaluation of one configuration; one that is given is returned as it is.

    Raises:
        UserError: neither an evaluation nor one or two numbers, or no cost where one is needed.
    """
    if isinstance(told, Evaluation):
        return told
    numbers = told if isinstance(told, tuple) else (told,)
    if len(numbers) not in (1, 2) or any(isinstance(one, bool) or not isinstance(one, Real) for one in numbers):
        raise UserError(
            f"tell: the evaluation is {told!r}; allowed: a loss, (loss, cost), or an Evaluation of one configuration"
        )
    if needs_cost and len(numbers) == 1:
        raise UserError(
            f"tell: the loss {told!r} has no cost, which decides about the next trial; allowed: (loss, cost)"
        )
    loss, cost = (*numbers, NO_COST)[:2]
    return Evaluation(np.array([float(loss)]), np.array([float(cost)]), ({},))
