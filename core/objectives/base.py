"""What is optimized: the contract of an objective.

    class Objective:                    # any object with these names
        space: ConfigurationSpace
        fidelity: Fidelity | None       # what a budget means, None if there is only one
        optimum: float | None           # the smallest noise-free loss, None if unknown
        worst_loss: float               # finite; recorded for a failed evaluation
        def evaluate(self, configurations, budget, generator) -> Evaluation

Losses are minimized. `FunctionObjective` makes an objective from a plain function of one configuration.
`core.objectives.guard` calls an objective whatever it raises.

What counts as a number, and the return value of a function: a loss, or a pair of a loss and a cost.

`number` decides for all: for what a function returns or reports, and for what is told to an optimizer by hand.
"""

from __future__ import annotations

import inspect
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from numbers import Real
from typing import Any, Protocol

import numpy as np
from ConfigSpace import ConfigurationSpace
from numpy.typing import NDArray

from core.foundation.errors import UserError, brief
from core.foundation.validation import require_number
from core.spaces import SpaceLike, as_space

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


FAILURE = "failure"  # the key of `info` that holds the message of a failed evaluation
LEARNING_CURVE = "learning_curve"  # the key of `info` for the losses after each epoch, the last of them the loss


class Own(Enum):
    """Keys of `info` that only the library writes. They are no text, so that no outcome has the same name."""

    MARKS = "marks"  # see `core.study.record`
    OBSERVED = "observed loss"  # see `core.optimizers.trial`
    FAILURE = "failure"  # an outcome of this name of a function, which is no message of a failure


Configurations = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Fidelity:
    """What a budget counts (epochs, seconds, share of the data), and its smallest and largest value."""

    name: str
    minimum: float
    maximum: float

    def checked(self, budget: float | None) -> float:
        """The budget to evaluate with: by default the largest one; raises UserError outside the range."""
        if budget is None:
            return self.maximum
        if not self.minimum <= budget <= self.maximum:
            raise UserError(f"budget {budget}; allowed: {self.name} from {self.minimum} to {self.maximum}")
        return budget


@dataclass(frozen=True)
class Evaluation:
    """The outcome for n configurations.

    Attributes:
        loss: Losses (n,) float64, to be minimized; for failed evaluations the benchmark's worst-case loss.
        cost: Costs (n,) float64 of the evaluations in the benchmark's own unit: seconds, or 1 if cost has no meaning.
        info: Mappings, n of them, with whatever else is worth recording; a failed evaluation has its message under
            "failure", where any false value, including an empty string, means that it did not fail. An iterative
            training may give its losses after each epoch, or any other part of the budget, under "learning_curve".
    """

    loss: NDArray[np.float64]
    cost: NDArray[np.float64]
    info: tuple[Mapping[str, Any], ...]

    @property
    def failed(self) -> NDArray[np.bool_]:
        """Which evaluations failed, (n,)."""
        return np.array([bool(failure_of(entry)) for entry in self.info], dtype=bool)


def failure_of(entry: Mapping[str, Any]) -> str:
    """The message of a failed evaluation from its entry of `info`; empty if it did not fail."""
    said = entry.get(FAILURE)
    if said is None or isinstance(said, str):
        return said or ""
    try:
        return (str(said) or repr(said)) if said else ""
    except Exception:  # of the benchmark's class
        return f"<{type(said).__name__}>"


class Objective(Protocol):
    """Anything with these attributes and `evaluate`: losses and costs of configurations on a budget."""

    @property
    def space(self) -> ConfigurationSpace:
        """The search space."""
        ...

    @property
    def fidelity(self) -> Fidelity | None:
        """What a budget means; None if there is only one."""
        ...

    @property
    def optimum(self) -> float | None:
        """The smallest noise-free loss; None if unknown."""
        ...

    @property
    def worst_loss(self) -> float:
        """The finite loss recorded for a failed evaluation."""
        ...

    def evaluate(
        self, configurations: Configurations, budget: float | None, generator: np.random.Generator
    ) -> Evaluation:
        """The losses and costs of n configurations on a budget, by default the largest."""
        ...


def check_budget(fidelity: Fidelity | None, budget: float | None) -> float | None:
    """The budget to evaluate with: by default the largest one.

    Raises:
        UserError: outside the fidelity's range, or given although there is no fidelity.
    """
    if fidelity is not None:
        return fidelity.checked(budget)
    if budget is not None:
        raise UserError(f"budget {budget}: this objective has no fidelity; allowed: none")
    return None


class FunctionObjective:
    """An objective of `function(configuration, budget, generator) -> loss`, whose cost is the measured seconds.

    A function that returns a pair, a tuple of two numbers, gives the loss and what the evaluation cost, in any unit. It
    is never a pair of objectives: there is one loss. What the function raises passes through `evaluate`;
    `core.objectives.guard` records it.

    Args:
        function: Function of a configuration, a budget and a generator.
        space: Search space, or a dictionary that describes one, see `core.spaces.as_space`.
        worst_loss: Loss of failed evaluations.
        optimum: Smallest noise-free loss, if known.
        fidelity: Meaning of the budget; None if there is only one.

    Raises:
        UserError: a worst-case loss that is not a finite number, or something that describes no space.
    """

    def __init__(
        self,
        function: Callable[[Mapping[str, Any], float | None, np.random.Generator], float | tuple[float, float]],
        space: SpaceLike,
        worst_loss: float,
        *,
        optimum: float | None = None,
        fidelity: Fidelity | None = None,
    ) -> None:
        self.function, self.space, self.worst_loss = function, as_space(space), checked_worst_loss(worst_loss)
        self.optimum, self.fidelity = optimum, fidelity

    def evaluate(
        self, configurations: Configurations, budget: float | None, generator: np.random.Generator
    ) -> Evaluation:
        """One call of the function per configuration.

        Raises:
            UserError: the budget is outside the fidelity's range.
            TypeError, ValueError: the function does not return one number, or a pair of one and a cost from 0.
        """
        budget = check_budget(self.fidelity, budget)
        losses, costs = [], []
        for configuration in configurations:
            start = time.perf_counter()
            returned = self.function(configuration, budget, generator)
            loss, cost = loss_and_cost(returned, time.perf_counter() - start)
            losses.append(loss)
            costs.append(cost)
        return Evaluation(np.array(losses, dtype=np.float64), np.array(costs), tuple({} for _ in losses))


def checked_worst_loss(value: Any) -> float:
    """The worst-case loss as a float; raises UserError if it is not a finite number."""
    require_number("worst_loss", value, math.isfinite, "a finite number")
    return float(value)
