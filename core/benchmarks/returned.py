"""The return value of a function: a loss, or a pair of a loss and a cost."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from core.errors import brief

ONE_LOSS = (
    "allowed: one loss, or (loss, cost) with a finite cost from 0; two objectives have to be weighed into one loss, or "
    "searched by a library for several, such as BoTorch with qLogNoisyExpectedHypervolumeImprovement"
)


class WrongReturnError(TypeError, ValueError):
    """A function returned something that can be no loss, whatever the configuration."""


def loss_and_cost(returned: Any, seconds: float) -> tuple[float, float]:
    """The loss and the cost; if the function returns no cost, it is the seconds that the evaluation took.

    Raises:
        WrongReturnError: something else than one number or two, in words that say what is allowed.
        ValueError: a cost below 0, or one that is not finite.
    """
    return _pair(returned) if isinstance(returned, tuple) else (number(returned), seconds)


def _pair(returned: tuple[Any, ...]) -> tuple[float, float]:
    """The loss and the cost that a function returned."""
    if len(returned) != 2:
        raise WrongReturnError(f"the function returned {brief(returned)}, a tuple of {len(returned)}; {ONE_LOSS}")
    return number(returned[0]), checked_cost(number(returned[1]), returned)


def checked_cost(cost: float, returned: Any) -> float:
    """The cost; raises ValueError if it is below 0 or not finite."""
    if not 0 <= cost < math.inf:
        raise ValueError(f"the function returned {brief(returned)}, whose cost is {cost:g}; {ONE_LOSS}")
    return cost


def number(value: Any) -> float:
    """A single real number: not text, not a boolean, not an array of several; raises WrongReturnError for those."""
    if type(value) is float:  # the fast path for what most functions return
        return value
    array = np.asarray(value.detach().cpu() if hasattr(value, "detach") else value)  # a tensor
    if array.dtype.kind not in "fiu":
        raise WrongReturnError(
            f"the function returned {brief(value)} of type {type(value).__name__}, not a number; {ONE_LOSS}"
        )
    if array.size != 1:
        raise WrongReturnError(
            f"the function returned {array.size} numbers of shape {array.shape}, not one; {ONE_LOSS}"
        )
    return float(array.reshape(()))
