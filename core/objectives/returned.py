"""What counts as a number, and the return value of a function: a loss, or a pair of a loss and a cost.

`number` decides for all: for what a function returns or reports, and for what is told to an optimizer by hand.
"""

from __future__ import annotations

import inspect
import math
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.foundation.errors import brief

ONE_LOSS = (
    "allowed: one loss, or (loss, cost) with a finite cost from 0; two objectives have to be weighed into one loss, or "
    "searched by a library for several, such as BoTorch with qLogNoisyExpectedHypervolumeImprovement"
)
BYTES = (bytes, bytearray, memoryview)
UNKNOWN = ("NAType", "NaTType")  # pandas' types of a value that is not known


class WrongReturnError(TypeError, ValueError):
    """A function returned something that can be no loss, whatever the configuration."""


class MissingValueError(ValueError):
    """A number was returned that is not known: a masked one, or pandas' NA."""


def loss_and_cost(returned: Any, seconds: float) -> tuple[float, float]:
    """The loss and the cost; if the function returns no cost, it is the seconds that the evaluation took.

    Raises:
        WrongReturnError: something else than one number or two, in words that say what is allowed.
        ValueError: a cost below 0, or one that is not finite, or a number that is not known.
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


def number(value: Any, what: str = "the function returned", allowed: str = ONE_LOSS) -> float:
    """A single real number, in any type that stands for one: Python's, or an array or tensor with one element.

    Text, booleans, complex numbers and arrays of several are none. What is too large for a float is infinite.

    Args:
        what, allowed: What the messages of errors begin and end with.

    Raises:
        WrongReturnError: anything else.
        MissingValueError: a masked element of an array, or pandas' NA and NaT.
        Exception: whatever a type raises that cannot be converted.
    """
    if isinstance(value, float):  # the fast path for what most functions return
        return float(value)
    if isinstance(value, (Real, Decimal)) and not isinstance(value, (bool, np.timedelta64)):
        return _as_float(value)
    if value is None:
        raise WrongReturnError(f"{what} None, as a function without `return` does; {allowed}")
    if type(value).__name__ in UNKNOWN or value is np.ma.masked:
        raise MissingValueError(f"{what} {brief(value)}, a value that is not known")
    if inspect.iscoroutine(value) or inspect.isgenerator(value) or inspect.isasyncgen(value):
        if not inspect.isasyncgen(value):
            value.close()  # or Python would warn that nobody has waited for it
        raise WrongReturnError(
            f"{what} a {type(value).__name__}, which has not been run; allowed: a function without `yield` that "
            "returns its result, such as one that calls `asyncio.run`"
        )
    array = np.array(None) if isinstance(value, BYTES) else as_array(value)
    if array.size != 1:
        raise WrongReturnError(f"{what} {array.size} numbers of shape {array.shape}, not one; {allowed}")
    if array.dtype.kind == "O":
        (only,) = array.flat
        if isinstance(only, (Real, Decimal)) or type(only).__name__ in UNKNOWN:
            return number(only, what, allowed)
    if array.dtype.kind not in "fiu":
        raise WrongReturnError(f"{what} {brief(value)} of type {type(value).__name__}, not a number; {allowed}")
    if np.ma.getmaskarray(array).any():
        raise MissingValueError(f"{what} {brief(value)}, a value that is masked")
    return float(array.reshape(()))


def as_array(values: Any) -> NDArray[Any]:
    """The array of numbers of any kind: what is masked stays so, and types that NumPy lacks become floats."""
    if hasattr(values, "detach"):  # a tensor of torch
        values = values.detach().cpu()
        values = (values.double() if values.dtype.is_floating_point else values).numpy()
    array: NDArray[Any] = np.asanyarray(values) if isinstance(values, np.ma.MaskedArray) else np.asarray(values)
    # Types that others register with NumPy, such as JAX's bfloat16, are of the kind of raw bytes.
    return array.astype(np.float64) if array.dtype.kind == "V" and array.dtype.names is None else array


def _as_float(value: Any) -> float:
    try:
        return math.nan if isinstance(value, Decimal) and value.is_nan() else float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
