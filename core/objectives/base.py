"""What is optimized: the contract of an objective.

    class Objective:                    # any object with these names
        space: ConfigurationSpace
        fidelity: Fidelity | None       # what a budget means, None if there is only one
        optimum: float | None           # the smallest noise-free loss, None if unknown
        worst_loss: float               # finite; recorded for a failed evaluation
        def evaluate(self, configurations, budget, generator) -> Evaluation

Losses are minimized. `FunctionObjective` makes an objective from a plain function of one configuration.
`core.objectives.guard` calls an objective whatever it raises.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Protocol

import numpy as np
from ConfigSpace import ConfigurationSpace
from numpy.typing import NDArray

from core.foundation.errors import UserError
from core.foundation.validation import require_number
from core.objectives.returned import loss_and_cost
from core.spaces import SpaceLike, as_space

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
