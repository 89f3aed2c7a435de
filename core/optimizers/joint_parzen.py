"""The tree Parzen estimator with joint densities: the library's TPE.

Bergstra et al. (2011) choose each hyperparameter by itself, from products of one-dimensional densities; that method,
with the settings of Hyperopt, is `core.optimizers.tree_parzen`. Here l and g are densities of whole configurations, one
kernel per evaluation, as Falkner et al. (2018) and Optuna's multivariate sampler have them, so that what goes well
together is proposed together:

    p(x) = 1/(n + 1) (1 + sum_i prod_j k_j(x_j, X_ij))

    ordered       k(x, X) = Normal(x; X, h^2) truncated to [0, 1],   h = max(SPREAD n^(-1/(d + 4)), 1 / min(100, n + 1))
    c choices     k(x, X) = c (n [x = X] / (c p_x) + 1) / (n + c),   p_x = 1 / c unless the choices have weights
    inactive in the configuration or in the evaluation: 1

where the 1 beside the sum is the prior, uniform or by the weights, and all densities are relative to it. A kernel thus
says nothing about a hyperparameter that was not active, and evaluations are compared by what both have active.

After `initial_design` random configurations, the one of `candidates` draws from l with the largest l / g is proposed,
among those that were not proposed before. If there is none, it is a random one, in a small finite space one that is
new as long as any is. Good are the ceil(share sqrt(N)) with the smallest losses, at most 25; a failed evaluation is
never good, and among the others it counts as any.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.density.sums import mass_inside, truncated_normal
from core.optimizers.parzen_search import MODEL, ParzenSearch
from core.optimizers.points import RANDOM, among, every_point

SPREAD = 0.2
SHARPEST = 100

Points = NDArray[np.float64]


class JointParzen(ParzenSearch):
    """The tree Parzen estimator with joint densities; arguments and errors as `ParzenSearch`."""

    def _propose(self) -> tuple[Mapping[str, Any], None, Mapping[str, Any]]:
        proposed = self._best() if self._seen >= self.settings.initial_design else None
        if proposed is None:
            self._points[self._asked], configuration = self._random()
            return configuration, None, {"origin": RANDOM}
        self._points[self._asked], configuration = self._canonical.settle(proposed)
        return configuration, None, {"origin": MODEL}

    def _best(self) -> Points | None:
        """The best new candidate (d,); None if there is none, or nothing that is good."""
        good, bad = self.good()
        if not len(good):
            return None
        points = self._with_inactive(self._told.points)
        pending = self._with_inactive(np.array([*self._points.values()]).reshape(-1, self.encoding.dimension))
        kinds = self.encoding.cardinalities, self.encoding.shares
        likely, unlikely = Kernels(points[good], *kinds), Kernels(np.concatenate([points[bad], pending]), *kinds)
        drawn = self._canonical.allowed(likely.sample(self.settings.candidates, self.generator))
        drawn = self.encoding.canonical(drawn) if self.encoding.levels or self.encoding.space.conditions else drawn
        drawn = drawn[~among(drawn, self._known())]
        if not len(drawn):
            return None
        candidates = self._with_inactive(drawn)
        best: Points = drawn[np.argmax(likely.log_density(candidates) - unlikely.log_density(candidates))]
        return best

    def _random(self) -> tuple[Points, Mapping[str, Any]]:
        """A random point (d,) and its configuration, new if possible once the model has been asked."""
        if self._seen >= self.settings.initial_design:
            every = every_point(self.encoding)
            new = None if every is None else every[~among(every, self._known())]
            if new is not None and len(new):
                return self._canonical.settle(new[self.generator.integers(len(new))])
        return self._draws.next()

    def _known(self) -> Points:
        """The points (n, d) of all that was proposed or told."""
        return np.concatenate([self._told.points, *(point[None] for point in self._points.values())])

    def _with_inactive(self, points: Points) -> Points:
        """Points (n, d) with nan in the place of what is inactive."""
        active = self._canonical.active(points) if len(points) else None
        return points if active is None else np.where(active, points, np.nan)


class Kernels:
    """The density of points (n, d), nan where inactive, relative to the prior; n may be 0.

    Args:
        cardinalities: Number of choices by coordinate, for the categorical ones.
        shares: Their prior probabilities by coordinate, for those that differ.
    """

    def __init__(
        self, points: Points, cardinalities: Mapping[int, int], shares: Mapping[int, Points] | None = None
    ) -> None:
        self.points, (n, d) = points, points.shape
        self.deviation = max(SPREAD * max(n, 1) ** (-1 / (d + 4)), 1 / min(SHARPEST, n + 1))
        self.choices = np.array([cardinalities.get(j, 0) for j in range(d)])
        self._ordered = np.flatnonzero(self.choices == 0)
        self._unordered = np.flatnonzero(self.choices)
        self._shares = shares or {}

    def log_density(self, X: Points) -> Points:
        """The logarithm of the density at X (m, d), nan where inactive: (m,)."""
        n = len(self.points)
        logs = np.zeros((len(X), n))
        x, means = X[:, None, self._ordered], self.points[None, :, self._ordered]
        scale = self.deviation * math.sqrt(2 * math.pi) * mass_inside(means, np.array(self.deviation))
        with np.errstate(invalid="ignore"):
            each = (x - means) / self.deviation
            each *= each
            each *= -0.5
            each -= np.log(scale)
        logs += _spoken(each).sum(-1)
        x, codes, c = X[:, None, self._unordered], self.points[None, :, self._unordered], self.choices[self._unordered]
        other, same = (np.log(c * (n * counted + 1) / (n + c)) for counted in (0.0, self._rarity(X)))
        distances = np.abs(x - codes)
        logs += _spoken(np.where(distances < 0.5 / c, same, other), distances).sum(-1)
        sums: Points = np.logaddexp.reduce(np.concatenate([np.zeros((len(X), 1)), logs], 1), axis=1) - np.log(n + 1)
        return sums

    def _rarity(self, X: Points) -> Points | float:
        """1 / (c p_x) of the choices at X (m, d): (m, 1, unordered), or 1 without weights."""
        if not self._shares:
            return 1.0
        rarity = np.ones((len(X), len(self._unordered)))
        for place, shares in self._shares.items():
            codes = np.minimum(np.nan_to_num(X[:, place]) * len(shares), len(shares) - 1).astype(np.int64)
            rarity[:, np.searchsorted(self._unordered, place)] = 1 / (len(shares) * shares[codes])
        return rarity[:, None]

    def sample(self, m: int, generator: np.random.Generator) -> Points:
        """m draws (m, d), uniform where the chosen point is inactive."""
        n, d = self.points.shape
        uniforms = generator.random((m, d))
        rows = generator.integers(n + 1, size=m)
        chosen = np.concatenate([self.points, np.full((1, d), np.nan)])[rows]  # the last row is the prior
        j = self._ordered
        drawn = uniforms.copy()
        drawn[:, j] = truncated_normal(chosen[:, j], np.array(self.deviation), uniforms[:, j])
        j, c = self._unordered, self.choices[self._unordered]
        keeps = generator.random((m, len(j))) < n / (n + c)
        for place, shares in self._shares.items():
            rows = np.minimum(np.searchsorted(np.cumsum(shares), uniforms[:, place], side="right"), len(shares) - 1)
            uniforms[:, place] = (rows + 0.5) / len(shares)
        drawn[:, j] = np.where(keeps, chosen[:, j], (np.floor(uniforms[:, j] * c) + 0.5) / c)
        result: Points = np.where(np.isnan(chosen) | np.isnan(drawn), uniforms, drawn)
        return result


def _spoken(logs: Points, distances: Points | None = None) -> Points:
    """Logarithms of kernels, with 0 where they, or the distances, are nan: what is inactive says nothing."""
    distances = logs if distances is None else distances
    return np.where(np.isnan(distances), 0.0, logs) if np.isnan(distances.sum()) else logs
