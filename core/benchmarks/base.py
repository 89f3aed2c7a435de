"""What is optimized: the contract of an objective, and the guard that turns failures into records.

    class Objective:                    # any object with these names
        space: ConfigurationSpace
        fidelity: Fidelity | None       # what a budget means, None if there is only one
        optimum: float | None           # the smallest noise-free loss, None if unknown
        worst_loss: float               # finite; recorded for a failed evaluation
        def evaluate(self, configurations, budget, generator) -> Evaluation

Losses are minimized. `guarded_evaluate` is how an optimizer calls an objective that others wrote: whatever it raises
or returns, an evaluation comes back, and the run goes on. `FunctionObjective` makes an objective from a plain function
of one configuration.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from ConfigSpace import ConfigurationSpace
from numpy.typing import NDArray

from core.benchmarks.returned import loss_and_cost
from core.errors import UserError, WriteError
from core.spaces import SpaceLike, as_space
from core.validation import require_number

FAILURE = "failure"  # the key of `info` that holds the message of a failed evaluation
LEARNING_CURVE = "learning_curve"  # the key of `info` for the losses after each epoch, the last of them the loss


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
    return (str(said) or repr(said)) if said else ""


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
    `guarded_evaluate` records it.

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
    require_number("worst_loss", value, _is_finite, "a finite number")
    return float(value)


def guarded_evaluate(
    objective: Objective, configurations: Configurations, budget: float | None, generator: np.random.Generator
) -> Evaluation:
    """Evaluate and record every failure: the worst-case loss, the seconds until it failed, and a message.

    A failure is an exception, a result that is not one loss and one cost per configuration, or a loss or a cost that is
    not finite. When a batch of several fails as a whole, its configurations are evaluated again one by one, so that
    only those that fail alone are recorded as failed. Interrupts (KeyboardInterrupt, SystemExit) pass.

    Raises:
        WriteError: a file that the evaluation needed cannot be written, which is no outcome of it.
        UserError: a budget outside the fidelity's range; that is the caller's mistake, not the objective's.
    """
    check_budget(objective.fidelity, budget)
    n = len(configurations)
    if n == 0:
        return Evaluation(np.empty(0), np.empty(0), ())
    start = time.perf_counter()
    try:
        loss, cost, info = _read(objective.evaluate(configurations, budget, generator), n)
    except WriteError:
        raise
    except Exception as error:
        if n > 1:
            parts = [guarded_evaluate(objective, [one], budget, generator) for one in configurations]
            return Evaluation(
                np.concatenate([part.loss for part in parts]),
                np.concatenate([part.cost for part in parts]),
                sum((part.info for part in parts), ()),
            )
        loss, cost = np.array([np.nan]), np.array([time.perf_counter() - start])
        info = ({FAILURE: f"{type(error).__name__}: {error}"},)
    return _without_nonfinite(loss, cost, info, objective.worst_loss, time.perf_counter() - start)


def _read(result: Any, n: int) -> tuple[NDArray[np.float64], NDArray[np.float64], tuple[Mapping[str, Any], ...]]:
    if not isinstance(result, Evaluation):
        raise TypeError(f"evaluate returned {type(result).__name__}, not an Evaluation")
    loss, cost = np.asarray(result.loss), np.asarray(result.cost)
    for name, array in (("loss", loss), ("cost", cost)):
        if array.dtype.kind not in "fiu":
            raise TypeError(f"evaluate returned a {name} of type {array.dtype}, not of numbers")
        if array.shape != (n,):
            raise ValueError(f"evaluate returned a {name} of shape {array.shape}, not ({n},)")
    if len(result.info) != n:
        raise ValueError(f"evaluate returned {len(result.info)} entries of info, not {n}")
    for entry in result.info:
        if not isinstance(entry, (dict, Mapping)):  # checked for dict first, which is faster
            raise TypeError(f"evaluate returned an entry of info of type {type(entry).__name__}, not a mapping")
    return loss.astype(np.float64), cost.astype(np.float64), tuple(result.info)


def _without_nonfinite(
    loss: NDArray[np.float64],
    cost: NDArray[np.float64],
    info: tuple[Mapping[str, Any], ...],
    worst_loss: float,
    seconds: float,
) -> Evaluation:
    finite = all(map(math.isfinite, loss.tolist())) and all(map(math.isfinite, cost.tolist()))
    if finite and not any(FAILURE in entry for entry in info):  # the usual case, to be fast in simulations
        return Evaluation(loss, cost, info)
    entries = []
    for value, price, entry in zip(loss, cost, info):
        wrong = f"loss is {value}" if not np.isfinite(value) else f"cost is {price}" if not np.isfinite(price) else ""
        if wrong or FAILURE in entry:
            message = failure_of(entry) or wrong
            entry = {key: said for key, said in entry.items() if key != FAILURE}
            entry |= {FAILURE: message} if message else {}
        entries.append(entry)
    failed = np.array([FAILURE in entry for entry in entries], dtype=bool)
    share = seconds / len(cost)
    return Evaluation(np.where(failed, worst_loss, loss), np.where(np.isfinite(cost), cost, share), tuple(entries))


def _is_finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # an integer too large for a float
        return False
