"""Where a search over configurations and a fidelity may evaluate: points (x, s) of a configuration and, in the last
column, a share of the data: of any size, of a few sizes, or all of it.

SubsetSizes   s in [0, 1], the logarithm of the share between the smallest and the largest (thesis 4.2): Fabolas
Tasks         s the number of a task, 0 for the full data, the others for given shares of it: MTBO
FullData      no column for s: entropy search

Each kind stands in for the `CubeEncoding` of the configurations that it wraps, so that the code which proposes or
decodes points need not know the kind.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch import Tensor

from core.foundation.errors import UserError
from core.foundation.randomness import Generators, normal_, uniform_
from core.models.kernels import LOG_COST, LOSS, Basis, tasks
from core.optimizers.features import Features, fills_cube, of_points
from core.spaces import CubeEncoding

SUBSETS = (1 / 64, 1 / 32, 1 / 16, 1 / 8)  # thesis 4.4.3, of the largest budget


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


class FullData(FidelityEncoding):
    """Every evaluation is on the full data: points are those of the configurations."""

    priced = False

    def __init__(self, inner: CubeEncoding) -> None:
        super().__init__(inner)
        self.dimension = inner.dimension

    def budgets(self, points: ArrayLike) -> None:
        """None."""
        return

    def place(self, budget: float | None) -> list[float]:
        """No number."""
        return []

    def _last(self, n: int, generator: np.random.Generator) -> NDArray[np.float64]:
        return np.empty((n, 0))

    def design(self, x: Tensor) -> Tensor:
        """x itself."""
        return x

    def anywhere(self, x: Tensor, generators: Generators) -> Tensor:
        """x itself."""
        return x

    def refine(self, X: Tensor, spread: float, generators: Generators) -> Tensor:
        """Points near X (runs, n, d)."""
        return self.project(self.near(X, spread, generators))

    def on_full(self, x: Tensor) -> Tensor:
        """x itself."""
        return x

    def configuration(self, X: Tensor) -> Tensor:
        """X itself."""
        return X


class SubsetSizes(FidelityEncoding):
    """A continuous share of the data.

    Args:
        inner: Encoding of the configurations.
        smallest, largest: Smallest and largest budget.
        subsets: Shares of the largest budget on which the initial design is evaluated. None for those of thesis 4.4.3,
            or, if the smallest budget is above them, for four shares from the smallest budget to half way, in
            logarithms, to the largest.
        points_per_subset: Number of configurations of the initial design on each subset, from the smallest on. None if
            each configuration is evaluated on all subsets.

    Raises:
        UserError: subsets that are not ascending budgets below the largest.
    """

    loss_basis, cost_basis = LOSS, LOG_COST

    def __init__(
        self,
        inner: CubeEncoding,
        smallest: float,
        largest: float,
        subsets: Sequence[float] | None = None,
        points_per_subset: Sequence[int] | None = None,
    ) -> None:
        super().__init__(inner)
        self.smallest, self.largest = self.budget_range = smallest, largest
        if subsets is None:
            given = smallest <= SUBSETS[0] * largest
            subsets = SUBSETS if given else [(smallest / largest) ** (1 - step / 6) for step in range(4)]
        self.subsets = tuple(sorted(subsets))
        for share in self.subsets:
            if not smallest * (1 - 1e-9) <= share * largest < largest or self.subsets.count(share) > 1:
                raise UserError(
                    f"method 'fabolas': subsets = {self.subsets}; allowed: different shares of the largest budget, "
                    f"from {smallest / largest:g} and below 1"
                )
        self.points_per_subset = None if points_per_subset is None else tuple(points_per_subset)

    def column(self, share: float) -> float:
        """The last column for a share of the largest budget."""
        return 1 - math.log(share) / math.log(self.smallest / self.largest)

    def budgets(self, points: ArrayLike) -> list[float]:
        """The budgets of points (n, d + 1)."""
        unclipped = self.largest * (self.smallest / self.largest) ** (1 - np.asarray(points)[:, -1])
        budgets: list[float] = np.clip(unclipped, self.smallest, self.largest).tolist()
        return budgets

    def place(self, budget: float | None) -> list[float]:
        """The last column for a budget, which is moved into the range."""
        share = 1.0 if budget is None else budget / self.largest
        return [min(max(self.column(share), 0.0), 1.0)]

    def _last(self, n: int, generator: np.random.Generator) -> NDArray[np.float64]:
        return generator.random(n)

    def design(self, x: Tensor) -> Tensor:
        """All configurations on the smallest subset, then all on the next: k times their number.

        With numbers of points, the first configurations are on the smallest subset, the next on the next.
        """
        columns = [max(0.0, self.column(share)) for share in self.subsets]
        parts = [x] * len(columns) if self.points_per_subset is None else x.split(self.points_per_subset, -2)
        on = [torch.cat([part, torch.full_like(part[..., :1], s)], -1) for part, s in zip(parts, columns, strict=True)]
        return torch.cat(on, -2)

    def _refine_last(self, s: Tensor, spread: float, generators: Generators) -> Tensor:
        return self.near(s, 2 * spread, generators)

    def anywhere(self, x: Tensor, generators: Generators) -> Tensor:
        """Each configuration on a random share."""
        return torch.cat([x, uniform_(torch.empty_like(x[..., :1]), generators)], -1)


class Tasks(FidelityEncoding):
    """The full data and a few shares of it.

    Args:
        inner: Encoding of the configurations.
        largest: Budget of the full data.
        auxiliary: Shares of the largest budget for the other tasks.
        smallest: Smallest budget; a share that is below it by rounding is moved to it.
    """

    full = 0.0

    def __init__(self, inner: CubeEncoding, largest: float, auxiliary: Sequence[float], smallest: float = 0.0) -> None:
        super().__init__(inner)
        self.shares = (1.0, *sorted(auxiliary))
        self.smallest, self.largest = smallest, largest
        self.budget_range = max(smallest, largest * self.shares[1]), largest
        self.loss_basis = self.cost_basis = tasks(len(self.shares))

    def budgets(self, points: ArrayLike) -> list[float]:
        """The budgets of points (n, d + 1)."""
        chosen = np.asarray(points)[:, -1].round().astype(int)
        return [max(self.smallest, self.largest * self.shares[task]) for task in chosen]

    def place(self, budget: float | None) -> list[float]:
        """The number of the task with the nearest share."""
        share = 1.0 if budget is None else budget / self.largest
        return [float(np.abs(np.array(self.shares) - share).argmin())]

    def _last(self, n: int, generator: np.random.Generator) -> NDArray[np.float64]:
        return generator.integers(len(self.shares), size=n).astype(float)

    def design(self, x: Tensor) -> Tensor:
        """All configurations on each auxiliary task, as in the authors' code; the thesis does not say."""
        return torch.cat([self._on(x, task) for task in range(1, len(self.shares))], -2)

    def anywhere(self, x: Tensor, generators: Generators) -> Tensor:
        """Each configuration on every task."""
        return torch.cat([self._on(x, task) for task in range(len(self.shares))], -2)

    def _on(self, x: Tensor, task: int) -> Tensor:
        return torch.cat([x, torch.full_like(x[..., :1], task)], -1)
