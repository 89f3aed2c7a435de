"""Adaptive Parzen estimators, one per coordinate: the densities of the original TPE (Bergstra et al., 2011, 4.2).

In each coordinate the density on [0, 1] is a mixture of the prior, Normal(1/2, 1), and one normal per point, with the
larger of the distances to its two neighbours as its deviation, at least 1 / min(100, 2 + n) and at most 1, where n
counts the points without the prior; the whole mixture is truncated to [0, 1]. A single point gets its distance to the
mean of the prior, where Hyperopt gives half of the prior's deviation. Points have weight 1, but among more than
25 the older ones have less, down to 1 / n for the oldest. Finite coordinates get a table of probabilities: ordered ones
the mixture's mass of each cell, choices their counts plus one.

Points (n, d) are in the order of their evaluation; NaN marks an inactive hyperparameter, and such a point
does not count in that coordinate. Everything is vectorized over coordinates.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from core.density.sums import mass_inside, mixture_sums, truncated_normal

FULL_WEIGHT = 25  # number of latest points that have weight 1
PRIOR_MEAN, PRIOR_DEVIATION = 0.5, 1.0
SHARPEST = 100  # the smallest deviation is that of the prior divided by this


class Mixture(NamedTuple):
    """Weights that normalize the mixture within [0, 1], means and deviations, each (n + 1, d)."""

    weights: NDArray[np.float64]
    means: NDArray[np.float64]
    deviations: NDArray[np.float64]


def recency_weights(active: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Weights (n, d) by age among the points that count, `active` (n, d)."""
    place = np.cumsum(active, axis=0) - 1  # rank of a point that counts, from the oldest
    count = active.sum(axis=0)
    steps = np.maximum(count - FULL_WEIGHT - 1, 1)
    ramp = 1 / np.maximum(count, 1) + place * (1 - 1 / np.maximum(count, 1)) / steps
    return np.where(active, np.where(place >= count - FULL_WEIGHT, 1.0, ramp), 0.0)


def fit_mixture(points: NDArray[np.float64]) -> Mixture:
    """The mixtures of all coordinates of points (n, d)."""
    active = ~np.isnan(points)
    d = points.shape[1]
    means = np.concatenate([np.full((1, d), PRIOR_MEAN), points])
    weights = np.concatenate([np.ones((1, d)), recency_weights(active)])
    order = np.argsort(means, axis=0, kind="stable")  # NaN last
    means, weights = np.take_along_axis(means, order, axis=0), np.take_along_axis(weights, order, axis=0)
    gaps = np.diff(means, axis=0)
    unknown = np.full((1, d), np.nan)
    deviations = np.fmax(np.concatenate([unknown, gaps]), np.concatenate([gaps, unknown]))
    floor = PRIOR_DEVIATION / np.minimum(SHARPEST, 2 + active.sum(axis=0))
    deviations = np.clip(deviations, floor, PRIOR_DEVIATION)
    prior_or_absent = (order == 0) | np.isnan(means)
    deviations = np.where(prior_or_absent, PRIOR_DEVIATION, deviations)
    means = np.where(np.isnan(means), PRIOR_MEAN, means)
    return Mixture(weights / (weights * mass_inside(means, deviations)).sum(axis=0), means, deviations)


def sample_mixture(mixture: Mixture, n: int, generator: np.random.Generator) -> NDArray[np.float64]:
    """n draws of each coordinate, (n, d), in [0, 1]."""
    cumulated = np.cumsum(mixture.weights * mass_inside(mixture.means, mixture.deviations), axis=0)
    rows = pick(cumulated, generator.random((n, mixture.means.shape[1])))
    means, deviations = (np.take_along_axis(part, rows, axis=0) for part in mixture[1:])
    return truncated_normal(means, deviations, generator.random(rows.shape))


def mixture_density(mixture: Mixture, x: NDArray[np.float64]) -> NDArray[np.float64]:
    """The density of each coordinate at x (m, d), shape (m, d)."""
    weights, means, deviations = (np.ascontiguousarray(part.T) for part in mixture)  # (d, n + 1)
    inverses = 1 / deviations
    sums = mixture_sums(np.ascontiguousarray(x.T), means, inverses, weights * inverses)
    density: NDArray[np.float64] = sums.T / np.sqrt(2 * np.pi)
    return density


def cell_probabilities(mixture: Mixture, edges: NDArray[np.float64]) -> NDArray[np.float64]:
    """The mass of the cells between ascending edges (k + 1, d) of [0, 1], shape (k, d); 0 for a cell of no width."""
    scaled = (edges[:, None] - mixture.means) / mixture.deviations
    cumulated = (ndtr(scaled) * mixture.weights).sum(axis=1)
    return np.diff(cumulated, axis=0)


def choice_probabilities(
    points: NDArray[np.float64], choices: NDArray[np.int64], shares: Mapping[int, NDArray[np.float64]] | None = None
) -> NDArray[np.float64]:
    """Probabilities of the choices at points (n, d): (largest number of choices, d), 0 beyond a coordinate's own.

    The counts plus one are the counts plus c p for the c choices of a coordinate whose probabilities p are in `shares`.
    """
    d = points.shape[1]
    counts = (np.arange(choices.max())[:, None] < choices).astype(np.float64)
    for j, prior in (shares or {}).items():
        counts[: len(prior), j] = len(prior) * prior
    active = ~np.isnan(points)
    codes = np.minimum((np.where(active, points, 0.0) * choices).astype(np.int64), choices - 1)
    np.add.at(counts, (codes, np.broadcast_to(np.arange(d), codes.shape)), recency_weights(active))
    probabilities: NDArray[np.float64] = counts / counts.sum(axis=0)
    return probabilities


def pick(cumulated: NDArray[np.float64], uniforms: NDArray[np.float64]) -> NDArray[np.int64]:
    """Rows (n, d) drawn with the probabilities whose sums over rows are `cumulated` (k, d), from uniforms (n, d)."""
    chosen = (uniforms[:, None] * cumulated[-1] >= cumulated).sum(axis=1)
    last = (cumulated < cumulated[-1]).sum(axis=0)  # never a row of zero probability, by rounding
    rows: NDArray[np.int64] = np.minimum(chosen, last)
    return rows
