"""The tree Parzen estimator (TPE; Bergstra et al., 2011; thesis 6.2, Eq. 6.1) with the settings of Hyperopt.

After `initial_design` random configurations each hyperparameter is chosen separately: among `candidates` draws from the
density l of its values in the good configurations, the one with the largest l / g, where g is the density of the
others. Good are the ceil(share sqrt(N)) with the smallest losses, at most 25. The densities are those of
`core.density.parzen`: products over hyperparameters, unlike BOHB's kernels, and for a conditional hyperparameter of the
configurations in which it was active. The thesis ran Hyperopt with its defaults: 20 configurations, a share of 0.25 and
24 candidates.

With `rounded_ends` the indices 0 to k - 1 of an ordinal hyperparameter are what Hyperopt's quniform makes of them,
numbers in [0, k - 1] that are rounded: the first and the last value have half the probability of the others.

A failed evaluation is among the worst; if there are not enough good ones, all that did not fail are good.
"""

from __future__ import annotations

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
from core.optimizers.parzen_search import MODEL, ParzenSearch
from core.optimizers.points import RANDOM
from core.optimizers.settings import TPESettings

MOST_CELLS = 100  # ordered hyperparameters with more values count as continuous: no density varies within their cells
TRIES = 10  # proposals excluded by a forbidden clause before a random one is taken


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
