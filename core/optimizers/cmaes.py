"""CMA-ES (Hansen and Ostermeier, 2001) by its own library, on the unit cube.

The search starts in the middle of the cube with a standard deviation of a quarter, and the library keeps it inside.
`ask` returns the points of a generation, in parallel as many as it has; the generation is told when its last point
is, so that near its end `ask` may return fewer trials than asked for. When the library's criteria say that a search
has converged, another starts from a uniform point with twice the population (IPOP; Auger and Hansen, 2005).

Categorical hyperparameters are cells of the cube like all others, as wide as their weights; a point in a forbidden
part of the cube is drawn again, and after many draws a uniform one is taken. A failed trial counts with the worst-case
loss that it carries.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from ConfigSpace import ConfigurationSpace
from numpy.typing import NDArray

from core.foundation.installation import needed_for
from core.optimizers.base import Outcome
from core.optimizers.replayed import ReplayedOptimizer
from core.optimizers.settings import CMAESSettings
from core.spaces import CubeEncoding

with needed_for("method 'cmaes'"):
    from cma import CMAEvolutionStrategy

TRIES = 100  # draws excluded by a forbidden clause before a uniform point is taken


class CMAES(ReplayedOptimizer):
    """CMA-ES on the unit cube, restarted with doubled populations.

    Args:
        space: Search space.
        generator: Provides one number, which seeds the search.
        settings: Settings.

    Raises:
        UserError: a space with nothing to choose.
    """

    def __init__(
        self, space: ConfigurationSpace, generator: np.random.Generator, settings: CMAESSettings | None = None
    ) -> None:
        self.settings: CMAESSettings = settings or CMAESSettings()
        super().__init__(space, generator)

    def _start(self, seed: int) -> _Generations:
        return _Generations(self.encoding, seed, self.settings.sigma, self.settings.population)


class _Generations:
    """The library's strategy, the points of its generation not yet asked for, and the losses told so far."""

    exhausted = False

    def __init__(self, encoding: CubeEncoding, seed: int, sigma: float, population: int | None) -> None:
        self.encoding, self.sigma = encoding, sigma
        self.generator = np.random.default_rng(seed)
        self.strategy = self._begin(np.full(encoding.dimension, 0.5), population)
        self.points: list[NDArray[np.float64]] = []
        self.losses: dict[int, float] = {}  # by place in the generation
        self.places: dict[int, int] = {}  # of the trials under way
        self.handed = 0

    def propose(self, number: int) -> dict[str, Any] | None:
        if self.handed == len(self.points):
            if self.places:
                return None
            self.points, self.handed = [self._allowed(point) for point in self.strategy.ask()], 0
        self.places[number] = self.handed
        self.handed += 1
        return self.encoding.decode(self._cube(self.points[self.handed - 1]))[0]

    def observe(self, number: int, outcome: Outcome) -> None:
        self.losses[self.places.pop(number)] = outcome.loss
        if len(self.losses) == len(self.points):
            self.strategy.tell(self.points, [self.losses[place] for place in range(len(self.points))])
            self.losses = {}
            if self.strategy.stop():
                start = self.generator.random(self.encoding.dimension)
                self.strategy = self._begin(start, 2 * self.strategy.popsize)

    def adopt(self, number: int, configuration: Mapping[str, Any]) -> bool:
        """Put a configuration in the place of the generation's next point; False while a full one waits for results."""
        (point,) = self.encoding.encode([configuration])
        if self.handed == len(self.points):
            if self.places:
                return False
            self.points, self.handed = [self._allowed(drawn) for drawn in self.strategy.ask()], 0
        point = self.encoding.unweighted(point[None])[0]
        self.points[self.handed], self.places[number] = np.resize(point, self.strategy.N), self.handed
        self.handed += 1
        return True

    def _begin(self, start: NDArray[np.float64], population: int | None) -> CMAEvolutionStrategy:
        """A strategy that draws from our generator; the library cannot search one dimension, so it gets a second."""
        options = {
            "bounds": [0, 1],
            "randn": lambda *shape: self.generator.standard_normal(shape),
            "seed": np.nan,  # the library's default is numpy's global generator
            "verbose": -9,
            "verb_log": 0,
            "signals_filename": "",
        }
        if population is not None:
            options["popsize"] = population
        return CMAEvolutionStrategy(np.resize(start, max(2, len(start))), self.sigma, options)

    def _allowed(self, point: NDArray[np.float64]) -> NDArray[np.float64]:
        for _ in range(TRIES):
            if self.encoding.allowed(self._cube(point))[0]:
                return point
            (point,) = self.strategy.ask(1)
        return np.resize(self.encoding.unweighted(self.encoding.sample(1, self.generator)), len(point))

    def _cube(self, point: NDArray[np.float64]) -> NDArray[np.float64]:
        """The library's point, uniform under the priors, as a point (1, d) of the space."""
        return self.encoding.weighted(np.asarray(point)[None, : self.encoding.dimension])
