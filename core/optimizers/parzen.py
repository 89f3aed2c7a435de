"""The tree Parzen estimator (TPE; Bergstra et al., 2011; thesis 6.2, Eq. 6.1): draw from the density l of what is good,
and propose the draw with the largest l / g, where g is the density of the others.

After `initial_design` random configurations, good are the ceil(share sqrt(N)) with the smallest losses, at most 25. A
failed evaluation is never good, and among the others it counts as any; if there are not enough good ones, all that did
not fail are good.

`JointParzen`, the library's, has densities of whole configurations, one kernel per evaluation, as Falkner et al. (2018)
and Optuna's multivariate sampler have them, so that what goes well together is proposed together:

    p(x) = 1/(n + 1) (1 + sum_i prod_j k_j(x_j, X_ij))

    ordered       k(x, X) = Normal(x; X, h^2) truncated to [0, 1],   h = max(SPREAD n^(-1/(d + 4)), 1 / min(100, n + 1))
    c choices     k(x, X) = c (n [x = X] / (c p_x) + 1) / (n + c),   p_x = 1 / c unless the choices have weights
    inactive in the configuration or in the evaluation: 1

where the 1 beside the sum is the prior, uniform or by the weights, and all densities are relative to it. A kernel thus
says nothing about a hyperparameter that was not active, and evaluations are compared by what both have active. The one
of `candidates` draws is proposed among those that were not proposed before. If there is none, it is a random one, in a
small finite space one that is new as long as any is.

`TreeParzen`, as in the paper of 2011 and in Hyperopt, chooses each hyperparameter separately among `candidates` draws
of its own. The densities are those of `core.density.parzen`: products over hyperparameters, unlike BOHB's kernels, and
for a conditional hyperparameter of the configurations in which it was active. The thesis ran Hyperopt with its
defaults: 20 configurations, a share of 0.25 and 24 candidates. With `rounded_ends` the indices 0 to k - 1 of an ordinal
hyperparameter are what Hyperopt's quniform makes of them, numbers in [0, k - 1] that are rounded: the first and the
last value have half the probability of the others.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from ConfigSpace import ConfigurationSpace
from numpy.typing import NDArray

from core.density.parzen import (
    cell_probabilities,
    choice_probabilities,
    fit_mixture,
    mixture_density,
    pick,
    sample_mixture,
)
from core.density.sums import mass_inside, truncated_normal
from core.optimizers.base import Optimizer, Outcome, Trial
from core.optimizers.points import RANDOM, Archive, Canonical, UniformDraws, among, every_point
from core.optimizers.settings import TPESettings
from core.optimizers.trial import Past
from core.spaces import CubeEncoding

MODEL = "model"
MOST_GOOD = 25
SPREAD = 0.2
SHARPEST = 100
MOST_CELLS = 100  # ordered hyperparameters with more values count as continuous: no density varies within their cells
TRIES = 10  # proposals excluded by a forbidden clause before a random one is taken

Points = NDArray[np.float64]


class ParzenSearch(Optimizer):
    """Base of the tree Parzen estimators.

    Args:
        space: Search space.
        generator: Source of all random numbers.
        settings: Settings.

    Raises:
        UserError: a space with nothing to choose.
    """

    def __init__(
        self, space: ConfigurationSpace, generator: np.random.Generator, settings: TPESettings | None = None
    ) -> None:
        super().__init__(space)
        self.settings: TPESettings = settings or TPESettings()
        self.generator = generator
        self.encoding = CubeEncoding(space)
        self._draws = UniformDraws(self.encoding, generator)
        self._canonical = Canonical(self.encoding)
        self._told = Archive(self.encoding.dimension)
        self._points: dict[int, NDArray[np.float64]] = {}

    def good(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The good configurations among those told, and the others, each with the smallest loss first."""
        losses = self._told.losses
        order = np.argsort(losses, kind="stable")
        count = min(math.ceil(self.settings.share * math.sqrt(len(order))), MOST_GOOD, int(np.isfinite(losses).sum()))
        return order[:count], order[count:]

    def _adopt(self, trial: Trial) -> bool:
        self._points[trial.number] = self.encoding.encode([trial.configuration])[0]
        return True

    def _observe(self, trial: Trial, outcome: Outcome) -> None:
        self._told.add(self._points.pop(trial.number), math.inf if outcome.failure else outcome.loss)

    def take_over(self, past: Past) -> None:
        """As in the base class."""
        self._told.extend(past.points, np.where(past.failed, math.inf, past.losses))
        self._asked += len(past.points)

    def _state(self) -> dict[str, Any]:
        return {"draws": self._draws.state(), "told": self._told.state(), "points": dict(self._points)}

    def _restore(self, state: Mapping[str, Any]) -> None:
        self._draws.restore(state["draws"])
        self._told.restore(state["told"])
        self._points = dict(state["points"])


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


class TreeParzen(ParzenSearch):
    """The tree Parzen estimator with densities of each hyperparameter, as in Hyperopt.

    Arguments and errors as `ParzenSearch`; the settings say `joint=False`, which is its default.
    """

    def __init__(
        self, space: ConfigurationSpace, generator: np.random.Generator, settings: TPESettings | None = None
    ) -> None:
        super().__init__(space, generator, settings or TPESettings(joint=False))
        levels, choices = self.encoding.levels, self.encoding.cardinalities
        self._categorical = np.array(sorted(choices), dtype=np.int64)
        self._choices = np.array([choices[j] for j in self._categorical], dtype=np.int64)
        shares = self.encoding.shares
        self._shares = {i: shares[j] for i, j in enumerate(sorted(choices)) if j in shares}
        self._finite = np.array([j for j in levels if j not in choices and levels[j] <= MOST_CELLS], dtype=np.int64)
        tabled = {*self._categorical.tolist(), *self._finite.tolist()}
        self._free = np.array([j for j in range(self.encoding.dimension) if j not in tabled], dtype=np.int64)
        self._edges, self._middles = self._cells()
        kinds = np.array([self.encoding.columns[j].kind == "ordinal" for j in self._finite], dtype=bool)
        # Places of the first and the last value in the model's coordinates of a finite hyperparameter, else 0 and 1.
        self._first, self._last = np.zeros(len(kinds)), np.ones(len(kinds))
        if self.settings.rounded_ends:
            sizes = np.array([levels[j] for j in self._finite])
            self._first = np.where(kinds, 0.5 / sizes, self._first)
            self._last = np.where(kinds, 1 - 0.5 / sizes, self._last)
            self._edges = np.clip(self._rounded(self._edges), 0.0, 1.0)

    def good(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The good configurations among those told, and the others, each in the order of telling."""
        good, others = super().good()
        return np.sort(good), np.sort(others)

    def _propose(self) -> tuple[Mapping[str, Any], None, Mapping[str, Any]]:
        if self._seen >= self.settings.initial_design and len(self._told) and np.isfinite(self._told.losses).any():
            for _ in range(TRIES):
                point = self._best()[None]
                if len(self._canonical.allowed(point)):
                    self._points[self._asked], configuration = self._canonical.settle(point[0])
                    return configuration, None, {"origin": MODEL}
        self._points[self._asked], configuration = self._random()
        return configuration, None, {"origin": RANDOM}

    def _random(self) -> tuple[NDArray[np.float64], dict[str, Any]]:
        """A random point and its configuration."""
        point, configuration = self._draws.next()
        if not self.settings.rounded_ends:
            return point, configuration
        for _ in range(TRIES):
            point = point.copy()
            rows = pick(np.cumsum(np.diff(self._edges, axis=0), axis=0), self.generator.random((1, len(self._finite))))
            point[self._finite] = self._middles[rows[0], np.arange(len(self._finite))]
            if len(self._canonical.allowed(point[None])):
                return self._canonical.settle(point)
        return self._draws.next()

    def _rounded(self, places: NDArray[np.float64]) -> NDArray[np.float64]:
        """The model's coordinates of places (..., finite) in the cells."""
        return (places - self._first) / (self._last - self._first)

    def _best(self) -> NDArray[np.float64]:
        points = self._told.points
        active = self._canonical.active(points)
        points = points if active is None else np.where(active, points, np.nan)
        good, bad = (points[rows] for rows in self.good())
        best = np.empty(self.encoding.dimension)
        j = self._free
        if len(j):
            l, g = fit_mixture(good[:, j]), fit_mixture(bad[:, j])  # noqa: E741 (the thesis' names)
            drawn = sample_mixture(l, self.settings.candidates, self.generator)
            chosen = np.argmax(mixture_density(l, drawn) / mixture_density(g, drawn), axis=0)
            best[j] = drawn[chosen, np.arange(len(j))]
        j = self._finite
        if len(j):
            parts = (fit_mixture(self._rounded(part[:, j])) for part in (good, bad))
            rows = self._best_row(*(cell_probabilities(mixture, self._edges) for mixture in parts))
            best[j] = self._middles[rows, np.arange(len(j))]
        j = self._categorical
        if len(j):
            tables = (choice_probabilities(part[:, j], self._choices, self._shares) for part in (good, bad))
            rows = self._best_row(*tables)
            best[j] = (rows + 0.5) / self._choices
        return best

    def _best_row(self, l: NDArray[np.float64], g: NDArray[np.float64]) -> NDArray[np.int64]:  # noqa: E741
        """Among draws from probability tables l (k, d), the rows with the largest l / g, (d,)."""
        rows = pick(np.cumsum(l, axis=0), self.generator.random((self.settings.candidates, l.shape[1])))
        columns = np.arange(l.shape[1])
        best: NDArray[np.int64] = rows[np.argmax(l[rows, columns] / g[rows, columns], axis=0), columns]
        return best

    def _cells(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Edges (k + 1, finite) and middles (k, finite) of the cells of ordered coordinates, 1 beyond the last."""
        sizes = [self.encoding.levels[j] for j in self._finite]
        edges, middles = np.ones((max(sizes, default=0) + 1, len(sizes))), np.ones((max(sizes, default=0), len(sizes)))
        for i, (j, size) in enumerate(zip(self._finite, sizes)):
            column = self.encoding.columns[j]
            codes = np.arange(size) + column.first
            middles[:size, i] = column.place(codes)
            edges[:size, i] = column.cells(codes)[0]
        return edges, middles
