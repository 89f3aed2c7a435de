"""A problem of the field benchmark: a space, a loss, and what a search is judged by.

A loss may be noisy; a search is then judged by the loss without noise of the configuration that looked best. An
evaluation may raise or return a loss that is not finite, which is a failure. The same seed gives the same noise to
every method, evaluation by evaluation.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from ConfigSpace import ConfigurationSpace

Loss = Callable[[Mapping[str, Any], np.random.Generator], float | tuple[float, float]]


@dataclass(frozen=True)
class Evaluated:
    """The loss that a search is told, and the one that it is judged by; nan if the evaluation failed."""

    told: float
    judged: float

    @property
    def failed(self) -> bool:
        return not math.isfinite(self.told)


@dataclass(frozen=True)
class Problem:
    """A search space and a function of a configuration and a generator.

    Attributes:
        name: Name in `split.yaml`.
        space: Search space.
        loss: Function that returns the loss, or a pair of it and its value without noise.
        optimum: Smallest loss without noise; None if unknown.
    """

    name: str
    space: ConfigurationSpace
    loss: Loss
    optimum: float | None = None

    def evaluate(self, configuration: Mapping[str, Any], generator: np.random.Generator) -> Evaluated:
        """Evaluate; an exception is a failure."""
        try:
            loss = self.loss(configuration, generator)
        except (ValueError, ArithmeticError, Warning, np.linalg.LinAlgError):
            return Evaluated(math.nan, math.nan)
        told, judged = loss if isinstance(loss, tuple) else (loss, loss)
        return Evaluated(float(told), float(judged)) if math.isfinite(told) else Evaluated(math.nan, math.nan)


def space_of(*hyperparameters: Any, conditions: Callable[[ConfigurationSpace], list[Any]] | None = None) -> Any:
    """A space of hyperparameters, and of the conditions that a function of the space returns."""
    space = ConfigurationSpace()
    space.add(*hyperparameters)
    if conditions is not None:
        space.add(*conditions(space))
    return space
