"""Multivariate kernel density over the unit cube with continuous and categorical coordinates (thesis C.3).

    p(x) = 1/N sum_i prod_j k_j(x_j, X_ij)

    continuous, ordinal, integer:   k(x, X) = Normal(x; X, h^2)                      (Gaussian, not truncated)
    categorical, c choices:         k(x, X) = 1 - h where x = X, else h / (c - 1)    (Aitchison and Aitken, 1976)

One product of kernels per datum, so that the density captures interactions; statsmodels' KDEMultivariate is the same
density at the same bandwidths, except that its c is the number of choices that occur in the data, which makes it nan if
only one does. Bandwidths are the normal reference that the thesis calls Scott's rule, h_j = 1.06 sigma_j N^(-1/(4+d)).

Points are those of `core.spaces.CubeEncoding`: choice i of c is at (i + 1/2) / c.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.density.sums import log_sums, truncated_normal
from core.foundation.errors import UserError

MINIMUM_BANDWIDTH = 1e-3


class Layout(NamedTuple):
    """The kind of each coordinate, and the columns of the indicators of all choices, one after the other.

    Attributes:
        continuous, categorical: Indices of the coordinates.
        choices: Number of choices of each categorical coordinate.
        owner: Categorical coordinate to which each indicator belongs, as an index into `categorical`.
        choice: Choice that each indicator stands for.
    """

    continuous: NDArray[np.int64]
    categorical: NDArray[np.int64]
    choices: NDArray[np.int64]
    owner: NDArray[np.int64]
    choice: NDArray[np.int64]

    def codes(self, points: NDArray[np.float64]) -> NDArray[np.int64]:
        """The choices of points (n, d), (n, categorical)."""
        taken = np.take(points, self.categorical, axis=1) * self.choices
        return np.minimum(taken.astype(np.int64), self.choices - 1)

    def indicators(self, codes: NDArray[np.int64]) -> NDArray[np.float64]:
        """1 for each choice taken and 0 for the others, (n, sum of choices)."""
        taken: NDArray[np.bool_] = codes[:, self.owner] == self.choice
        return taken.astype(np.float64)

    def rows(self, codes: NDArray[np.int64]) -> NDArray[np.int64]:
        """The numbers of the indicators of the choices taken, (n, categorical)."""
        return codes + (np.cumsum(self.choices) - self.choices)


@lru_cache(maxsize=256)
def _layout(dimension: int, cardinalities: tuple[tuple[int, int], ...]) -> Layout:
    categorical = np.array([j for j, _ in cardinalities], dtype=np.int64)
    choices = np.array([count for _, count in cardinalities], dtype=np.int64)
    continuous = np.setdiff1d(np.arange(dimension), categorical)
    choice = np.concatenate([np.arange(count) for count in choices] or [np.empty(0, dtype=np.int64)])
    return Layout(continuous, categorical, choices, np.repeat(np.arange(len(choices)), choices), choice)


def layout(dimension: int, cardinalities: Mapping[int, int]) -> Layout:
    """The layout of points whose categorical coordinates have the given numbers of choices."""
    return _layout(dimension, tuple(sorted(cardinalities.items())))


def normal_reference(points: NDArray[np.float64], cardinalities: Mapping[int, int]) -> NDArray[np.float64]:
    """Bandwidths (d,) of points (N, d).

    The deviation of a categorical coordinate is sqrt((1 - sum_c p_c^2) / 2) with p_c the shares of its choices: that of
    the codes 0 and 1 if there are two, and independent of the order of the choices if there are more.
    """
    n, d = points.shape
    kinds = layout(d, cardinalities)
    deviations = points.std(axis=0)
    if len(kinds.categorical):
        shares = kinds.indicators(kinds.codes(points)).mean(axis=0)
        agreement = np.bincount(kinds.owner, shares * shares)
        deviations[kinds.categorical] = np.sqrt(np.maximum(1.0 - agreement, 0.0) / 2)
    bandwidths: NDArray[np.float64] = 1.06 * deviations * n ** (-1 / (4 + d))
    return bandwidths


class KernelDensity:
    """The density of N points with given bandwidths.

    Args:
        points: Points (N, d) in [0, 1], N at least 1.
        bandwidths: Positive bandwidths (d,); those of categorical coordinates are cut to (c - 1) / c, where the kernel
            is flat.
        cardinalities: Number of choices by coordinate, for the categorical ones, at least 2 each.

    Raises:
        UserError: no points, or bandwidths that are not d positive numbers.
    """

    def __init__(self, points: ArrayLike, bandwidths: ArrayLike, cardinalities: Mapping[int, int]) -> None:
        self.points, self.bandwidths = np.asarray(points, dtype=np.float64), np.array(bandwidths, dtype=np.float64)
        h = self.bandwidths
        if self.points.ndim != 2 or not len(self.points) or h.shape != self.points.shape[1:] or not (h > 0).all():
            raise UserError(f"points {self.points.shape}, bandwidths {h}; allowed: (N, d) and d positive numbers")
        self._layout = layout(len(h), cardinalities)
        continuous, categorical, choices, owner, _ = self._layout
        h[categorical] = np.minimum(h[categorical], 1 - 1 / choices)
        self._means, self._deviations = self.points[:, continuous], h[continuous]
        self._scaled = np.ascontiguousarray((self._means / self._deviations).T)
        self._codes = self._layout.codes(self.points)
        same, other = np.log1p(-h[categorical]), np.log(h[categorical] / (choices - 1))
        self._matches = np.ascontiguousarray((self._layout.indicators(self._codes) * (same - other)[owner]).T)
        scale = np.log(self._deviations).sum() + len(continuous) / 2 * math.log(2 * math.pi)
        self._log_constant = other.sum() - scale - math.log(len(self.points))

    @classmethod
    def fit(
        cls, points: NDArray[np.float64], cardinalities: Mapping[int, int], minimum_bandwidth: float = MINIMUM_BANDWIDTH
    ) -> KernelDensity:
        """The density with the normal reference's bandwidths, none below the minimum."""
        return cls(points, np.maximum(normal_reference(points, cardinalities), minimum_bandwidth), cardinalities)

    def log_density(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        """log p at x (n, d), shape (n,): finite however far x is from the data."""
        scaled = np.take(x, self._layout.continuous, axis=1) / self._deviations
        rows = self._layout.rows(self._layout.codes(x))
        log_density: NDArray[np.float64] = log_sums(scaled, self._scaled, rows, self._matches) + self._log_constant
        return log_density

    def sample(
        self,
        n: int,
        generator: np.random.Generator,
        factor: float = 1.0,
        categorical_factor: float = 1.0,
        redraw: bool = False,
    ) -> NDArray[np.float64]:
        """n points (n, d) from the density with its bandwidths multiplied by `factor`.

        Each is drawn from the kernel of a random datum: normal numbers truncated to [0, 1], and choices at the middles
        of their cells.

        Args:
            categorical_factor: Factor for categorical coordinates, in place of `factor`.
            redraw: Whether, with probability h, a choice is drawn again (perhaps the same) instead of another one.
        """
        continuous, categorical, choices, *_ = self._layout
        rows = generator.integers(len(self.points), size=n)
        drawn = np.empty((n, self.points.shape[1]))
        if len(continuous):
            uniforms = generator.random((n, len(continuous)))
            drawn[:, continuous] = truncated_normal(self._means[rows], factor * self._deviations, uniforms)
        if len(categorical):
            h = np.minimum(categorical_factor * self.bandwidths[categorical], 1 - 1 / choices)
            if redraw:
                h *= 1 - 1 / choices
            share = generator.random((n, len(categorical))) / h  # below 1 with probability h, and uniform there
            step = 1 + np.minimum((share * (choices - 1)).astype(np.int64), choices - 2)
            codes = np.where(share < 1, (self._codes[rows] + step) % choices, self._codes[rows])
            drawn[:, categorical] = (codes + 0.5) / choices
        return drawn
