"""Where a search over configurations and a fidelity may evaluate: points (x, s) of a configuration and, in the last
column, a share of the data. `core.optimizers.data_shares` has the three kinds.

Each kind stands in for the `CubeEncoding` of the configurations that it wraps, so that the code which proposes or
decodes points need not know the kind.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch import Tensor

from core.foundation.errors import UserError
from core.foundation.randomness import Generators, normal_
from core.models.kernels import Basis
from core.optimizers.allowed import fills_cube, of_points
from core.optimizers.features import Features
from core.spaces import CubeEncoding


class FidelityEncoding(ABC):
    """Base of all kinds.

    Args:
        inner: Encoding of the configurations.

    Attributes:
        space: Space of the configurations.
        dimension: Number of columns of a point.
        full: Value of the last column for the full data.
        loss_basis, cost_basis: Bases that describe how loss and log cost vary with the fidelity; None without one.
        budget_range: Smallest and largest budget; None without a fidelity.
        priced: Whether the cost of an evaluation counts.
    """

    loss_basis: Basis | None = None
    cost_basis: Basis | None = None
    budget_range: tuple[float, float] | None = None
    priced = True
    full = 1.0

    def __init__(self, inner: CubeEncoding) -> None:
        self.inner, self.space, self.dimension = inner, inner.space, inner.dimension + 1
        self.features = Features(inner)

    @abstractmethod
    def budgets(self, points: ArrayLike) -> list[float] | None:
        """The budgets of points (n, d + 1); None without a fidelity."""

    @abstractmethod
    def place(self, budget: float | None) -> list[float]:
        """The last column for a budget, by default the largest: one number, none without a fidelity."""

    @abstractmethod
    def _last(self, n: int, generator: np.random.Generator) -> NDArray[np.float64]:
        """n random values of the last column, (n,)."""

    @abstractmethod
    def design(self, x: Tensor) -> Tensor:
        """The initial evaluations (runs, n, d + 1) of configurations x (runs, k, d), the cheapest first."""

    @abstractmethod
    def anywhere(self, x: Tensor, generators: Generators) -> Tensor:
        """Candidates (runs, m, d + 1) for configurations x (runs, n, d), on random fidelities or all of them."""

    def near(self, x: Tensor, spread: float, generators: Generators) -> Tensor:
        """Normal steps of this standard deviation from points (runs, n, d), into the unit cube."""
        return (x + spread * normal_(torch.empty_like(x), generators)).clamp(0, 1)

    def refine(self, X: Tensor, spread: float, generators: Generators) -> Tensor:
        """Points near X (runs, n, d + 1)."""
        x = self.project(self.near(X[..., :-1], spread, generators))
        return torch.cat([x, self._refine_last(X[..., -1:], spread, generators)], -1)

    def _refine_last(self, s: Tensor, spread: float, generators: Generators) -> Tensor:
        """Values of the last column near s."""
        return s

    def on_full(self, x: Tensor) -> Tensor:
        """Configurations (..., d) at the full data, (..., d + 1)."""
        return torch.cat([x, torch.full_like(x[..., :1], self.full)], -1)

    def configuration(self, X: Tensor) -> Tensor:
        """The configurations (..., d) of points (..., d + 1)."""
        return X[..., :-1]

    def seen(self, X: Tensor) -> Tensor:
        """Points (..., d + 1) as models see them: the features of the configuration, then the fidelity."""
        if self.features.trivial:
            return X
        return torch.cat([self.features(self.configuration(X)), X[..., self.inner.dimension :]], -1)

    def where_allowed(self, values: Tensor, X: Tensor, otherwise: float) -> Tensor:
        """Values (..., n) at points (..., n, d + 1), another one where the space forbids the configuration."""
        if not self.space.forbidden_clauses:
            return values
        return torch.where(of_points(self.inner.allowed, self.configuration(X)), values, otherwise)

    def project(self, x: Tensor) -> Tensor:
        """The nearest configurations that exist to points (..., d)."""
        return x if fills_cube(self.inner) else of_points(self.inner.canonical, x).to(x)

    def sample(self, n: int, generator: np.random.Generator) -> NDArray[np.float64]:
        """n random points, (n, d + 1)."""
        return np.column_stack([self.inner.sample(n, generator), self._last(n, generator)])

    def decode(self, points: ArrayLike) -> list[dict[str, Any]]:
        """The configurations of points (n, d + 1)."""
        return self.inner.decode(np.asarray(points)[:, : self.inner.dimension])


def budgets_of(encoding: CubeEncoding | FidelityEncoding, points: ArrayLike) -> list[float] | list[None]:
    """The budget of each point (n, d), None where the encoding has no fidelity."""
    budgets = encoding.budgets(points) if isinstance(encoding, FidelityEncoding) else None
    return [None] * len(np.asarray(points)) if budgets is None else budgets


def encoded(
    encoding: CubeEncoding | FidelityEncoding, configuration: Mapping[str, Any], budget: float | None
) -> NDArray[np.float64]:
    """The point (d,) of a configuration on a budget; raises UserError as `CubeEncoding.encode`."""
    (point,) = configurations_of(encoding).encode([configuration])
    return np.append(point, encoding.place(budget)) if isinstance(encoding, FidelityEncoding) else point


def budget_range(encoding: CubeEncoding | FidelityEncoding) -> tuple[float, float] | None:
    """The smallest and the largest budget, None where the encoding has no fidelity."""
    return encoding.budget_range if isinstance(encoding, FidelityEncoding) else None


def priced(encoding: Any) -> bool:
    """Whether a policy with this encoding gets costs beside losses."""
    return isinstance(encoding, FidelityEncoding) and encoding.priced


def initial_evaluations(encoding: CubeEncoding | FidelityEncoding, x: Tensor) -> Tensor:
    """The points (runs, n, ...) at which an initial design evaluates configurations x (runs, k, d)."""
    return encoding.design(x) if isinstance(encoding, FidelityEncoding) else x


def configurations_of(encoding: CubeEncoding | FidelityEncoding) -> CubeEncoding:
    """The encoding of the configurations alone."""
    return encoding.inner if isinstance(encoding, FidelityEncoding) else encoding


def check_cost(number: int, cost: float) -> float:
    """The cost of a trial, if a model of log costs can use it.

    Raises:
        UserError: zero, negative or not finite.
    """
    if not (cost > 0 and math.isfinite(cost)):
        raise UserError(
            f"trial {number} cost {cost}, but the method weighs information against cost; allowed: positive numbers, "
            "such as seconds"
        )
    return cost
