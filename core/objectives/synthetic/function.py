"""A synthetic function: its formula, its domain, and what is known of its extremes; an `Objective` of cost 1."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
import torch
from ConfigSpace import ConfigurationSpace, Float
from torch import Tensor

from core.foundation.errors import UserError
from core.objectives.base import Configurations, Evaluation, Fidelity, check_budget


@dataclass(frozen=True)
class SyntheticFunction:
    """A function to minimize, noise-free and differentiable.

    Attributes:
        name: Name in the experiments.
        formula: Function of X (..., d) that returns values (...), elementwise over the leading axes.
        bounds: Domain, d pairs.
        optimum: Global minimum on the domain.
        optimizers: Points at which the minimum is attained, all of them.
        worst_loss: Upper bound of the values on the domain, except for rounding.
    """

    name: str
    formula: Callable[[Tensor], Tensor] = field(repr=False)
    bounds: tuple[tuple[float, float], ...]
    optimum: float
    optimizers: tuple[tuple[float, ...], ...]
    worst_loss: float
    fidelity: ClassVar[Fidelity | None] = None

    @property
    def dimension(self) -> int:
        """d."""
        return len(self.bounds)

    @property
    def space(self) -> ConfigurationSpace:
        """The domain: floats x1, x2, ..., with as many digits as sorting by name needs."""
        space = ConfigurationSpace(name=self.name)
        space.add(*(Float(name, pair) for name, pair in zip(self._names, self.bounds)))
        return space

    def __call__(self, X: Tensor) -> Tensor:
        """The value at points of the domain, (..., d) -> (...), in X's type, on X's device.

        Raises:
            UserError: the last axis is not d long.
        """
        if X.shape[-1] != self.dimension:
            raise UserError(f"{self.name}: points of shape {tuple(X.shape)}; allowed: (..., {self.dimension})")
        return self.formula(X)

    def on_cube(self, U: Tensor) -> Tensor:
        """The value at points of the unit cube, (..., d) -> (...), scaled linearly to the domain."""
        low, high = U.new_tensor(self.bounds).T
        return self(low + (high - low) * U)

    def regret(self, values: Tensor | np.ndarray) -> Tensor | np.ndarray:
        """How far noise-free values are above the minimum, elementwise; negative only by rounding."""
        return values - self.optimum

    def evaluate(
        self, configurations: Configurations, budget: float | None, generator: np.random.Generator
    ) -> Evaluation:
        """The contract of an objective; draws nothing from the generator.

        Raises:
            UserError: a budget was given; these functions have none.
        """
        check_budget(self.fidelity, budget)
        rows = [[configuration[name] for name in self._names] for configuration in configurations]
        X = torch.tensor(rows, dtype=torch.float64).reshape(-1, self.dimension)
        return Evaluation(self(X).numpy(), np.ones(len(rows)), tuple({} for _ in rows))

    @property
    def _names(self) -> list[str]:
        width = len(str(self.dimension))
        return [f"x{i:0{width}}" for i in range(1, self.dimension + 1)]
