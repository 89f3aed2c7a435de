"""The return value of a function: a loss, or a pair of a loss and a cost."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from core.errors import brief

ONE_LOSS = (
    "allowed: one loss, or (loss, cost) with a finite cost from 0; two objectives have to be weighed into one loss"
)


def loss_and_cost(returned: Any, seconds: float) -> tuple[float, float]:
    """The loss and the cost; if the function returns no cost, it is the seconds that the evaluation took.

    Raises:
        TypeError, ValueError: anything else, in words that say what is allowed.
    """
    return _pair(returned) if isinstance(returned, tuple) else (_number(returned), seconds)


def _pair(returned: tuple[Any, ...]) -> tuple[float, float]:
    """The loss and the cost that a function returned."""
    if len(returned) != 2:
        raise ValueError(f"the function returned {brief(returned)}, a tuple of {len(returned)}; {ONE_LOSS}")
    loss, cost = map(_number, returned)
    if not 0 <= cost < math.inf:
        raise ValueError(f"the function returned {brief(returned)}, whose cost is {cost:g}; {ONE_LOSS}")
    return loss, cost


def _number(value: Any) -> float:
    """A single real number: not text, not a boolean, not an array of several."""
    if type(value) is float:  # the fast path for what most functions return
        return value
    array = np.asarray(value.detach().cpu() if hasattr(value, "detach") else value)  # a tensor
    if array.dtype.kind not in "fiu":
        raise TypeError(f"the function returned {brief(value)} of type {type(value).__name__}, not a number")
    if array.size != 1:
        raise ValueError(f"the function returned {array.size} numbers of shape {array.shape}, not one")
    return float(array.reshape(()))
