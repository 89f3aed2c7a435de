"""Differential evolution of configurations, asynchronous: best/1/bin (Storn and Price, 1997) with dithering.

The first trials are a Latin hypercube of the population's size. Then the members are challenged in turn: a trial of
`core.spaces.points` from the population at that moment replaces the member when it is told and not worse. A slow
trial thus delays no other. A member that has not been told takes part in the differences of others, and any loss is
better than none.

SciPy's differential evolution has no ask and tell, so this is our own. The constants are SciPy's, except for the
population: SciPy's 15 points per dimension would use up a typical budget.

Members stay where the step put them; the configuration whose cell they lie in is evaluated. Choices have cells as wide
as their weights. A trial in a forbidden part of the cube is drawn again, and after many draws a uniform one is taken.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from ConfigSpace import ConfigurationSpace
from numpy.typing import NDArray
from torch import Tensor

from core.optimizers.base import Optimizer, Outcome, Trial, shielded
from core.optimizers.settings import DifferentialEvolutionSettings
from core.optimizers.trial import Past
from core.spaces import CubeEncoding
from core.spaces.points import latin_hypercube, trials

TRIES = 100  # steps excluded by a forbidden clause before a uniform point is taken


class DifferentialEvolution(Optimizer):
    """Asynchronous differential evolution, best/1/bin.

    Args:
        space: Search space.
        generator: Provides one number, which seeds the search.
        settings: Settings.

    Raises:
        UserError: a space with nothing to choose.
    """

    def __init__(
        self,
        space: ConfigurationSpace,
        generator: np.random.Generator,
        settings: DifferentialEvolutionSettings | None = None,
    ) -> None:
        super().__init__(space)
        self.settings: DifferentialEvolutionSettings = settings or DifferentialEvolutionSettings()
        self.population = self.settings.population
        self.encoding = CubeEncoding(space)
        seed = int(generator.integers(2**63))
        self._generator = torch.Generator().manual_seed(seed)
        self._uniform = np.random.default_rng(seed)
        self._members = self._first_population()
        self._losses = torch.full((self.population,), torch.inf, dtype=torch.float64)
        self._points: dict[int, Tensor] = {}  # of the trials under way

    def _first_population(self) -> Tensor:
        """A Latin hypercube (population, d), with uniform allowed points in place of forbidden ones."""
        members = latin_hypercube(self.population, self.encoding.dimension, [self._generator])[0]
        for row in np.flatnonzero(~self.encoding.allowed(self._cube(members))):
            members[row] = self._uniform_point()
        return members

    def _propose(self) -> tuple[Mapping[str, Any], None, Mapping[str, Any]]:
        member = self._asked % self.population
        point = self._members[member].clone() if self._asked < self.population else self._challenger(member)
        self._points[self._asked] = point
        return self.encoding.decode(self._cube(point[None]))[0], None, {}

    def _adopt(self, trial: Trial) -> bool:
        if trial.number < 0:  # a trial replaces the member of its number
            return False
        point = self.encoding.unweighted(self.encoding.encode([trial.configuration]))[0]
        self._points[trial.number] = torch.as_tensor(point)
        return True

    @shielded
    def take_over(self, past: Past) -> None:
        """As in the base class."""
        points = self.encoding.unweighted(past.points)
        losses, latest = self._losses.tolist(), dict[int, int]()  # by member the evaluation that replaced it last
        for place, loss in enumerate(past.losses.tolist()):
            member = (self._asked + place) % self.population
            if loss <= losses[member]:
                losses[member], latest[member] = loss, place
        for member, place in latest.items():
            self._members[member] = torch.as_tensor(points[place])
        self._losses = torch.tensor(losses, dtype=torch.float64)
        self._asked += len(past.points)

    def _challenger(self, member: int) -> Tensor:
        for _ in range(TRIES):
            best = self._losses.argmin().view(1)
            factors = self.settings.mutation, self.settings.crossover
            point: Tensor = trials(self._members[None], best, *factors, [self._generator])[0, member]
            if self.encoding.allowed(self._cube(point[None]))[0]:
                return point
        return self._uniform_point()

    def _uniform_point(self) -> Tensor:
        return torch.as_tensor(self.encoding.unweighted(self.encoding.sample(1, self._uniform))[0])

    def _cube(self, members: Tensor) -> NDArray[np.float64]:
        """Members (n, d), uniform under the priors, as points of the space."""
        return self.encoding.weighted(members.numpy())

    def _observe(self, trial: Trial, outcome: Outcome) -> None:
        member, point = trial.number % self.population, self._points.pop(trial.number)
        if outcome.loss <= self._losses[member]:
            self._members[member], self._losses[member] = point, outcome.loss

    def _state(self) -> dict[str, Any]:
        return {
            "generator": self._generator.get_state(),
            "uniform": self._uniform.bit_generator.state,
            "members": self._members.clone(),
            "losses": self._losses.clone(),
            "points": dict(self._points),
        }

    def _restore(self, state: Mapping[str, Any]) -> None:
        self._generator.set_state(state["generator"])
        self._uniform.bit_generator.state = state["uniform"]
        self._members, self._losses = state["members"].clone(), state["losses"].clone()
        self._points = dict(state["points"])
