"""Regularized (ageing) evolution (Real et al., 2019; thesis 7.4.1 and D.3).

The first `population` configurations are random. Later ones are mutants: among `tournament` members drawn with
replacement, the one with the smallest loss gets one of its active hyperparameters, drawn at random, changed to another
of its values. Every told configuration joins the population and the oldest member leaves it, whatever its loss.

Floats draw their new value uniformly, what has a prior draws it from the prior. Hyperparameters that a mutation
activates draw theirs at random. A failed member loses every tournament against one that did not fail.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any

import numpy as np
from ConfigSpace import ConfigurationSpace
from numpy.typing import NDArray

from core.optimizers.base import Optimizer, Outcome, Trial
from core.optimizers.points import RANDOM, Canonical, UniformDraws
from core.optimizers.settings import RegularizedEvolutionSettings
from core.optimizers.trial import Past
from core.spaces import Column, CubeEncoding

MUTANT = "mutant"
TRIES = 100  # mutations excluded by a forbidden clause before a random configuration is taken


class RegularizedEvolution(Optimizer):
    """Ageing evolution with tournament selection.

    Args:
        space: Search space.
        generator: Source of all random numbers.
        settings: Settings.

    Raises:
        UserError: a space with nothing to choose.
    """

    def __init__(
        self,
        space: ConfigurationSpace,
        generator: np.random.Generator,
        settings: RegularizedEvolutionSettings | None = None,
    ) -> None:
        super().__init__(space)
        self.settings: RegularizedEvolutionSettings = settings or RegularizedEvolutionSettings()
        self.population = self.settings.population
        self.encoding = CubeEncoding(space)
        self.generator = generator
        self._draws = UniformDraws(self.encoding, generator)
        self._canonical = Canonical(self.encoding)
        self._members: deque[tuple[float, NDArray[np.float64]]] = deque(maxlen=self.population)
        self._points: dict[int, NDArray[np.float64]] = {}

    def _propose(self) -> tuple[Mapping[str, Any], None, Mapping[str, Any]]:
        if self._seen >= self.population and self._members:
            parent = self._winner()
            for _ in range(TRIES):
                point = self._canonical.allowed(self._mutant(parent)[None])
                if len(point):
                    self._points[self._asked], configuration = self._canonical.settle(point[0])
                    return configuration, None, {"origin": MUTANT}
        self._points[self._asked], configuration = self._draws.next()
        return configuration, None, {"origin": RANDOM}

    def _adopt(self, trial: Trial) -> bool:
        self._points[trial.number] = self.encoding.encode([trial.configuration])[0]
        return True

    def _winner(self) -> NDArray[np.float64]:
        rows = self.generator.integers(len(self._members), size=self.settings.tournament)
        return self._members[min(rows.tolist(), key=lambda row: self._members[row][0])][1]

    def _mutant(self, parent: NDArray[np.float64]) -> NDArray[np.float64]:
        """A point (d,) that differs from the parent in one active coordinate, besides the inactive ones."""
        active = self._canonical.active(parent[None])
        point = parent.copy()
        if active is None:
            j = int(self.generator.integers(len(point)))
        else:
            j = int(self.generator.choice(np.flatnonzero(active[0])))
            point[~active[0]] = self.generator.random(int((~active[0]).sum()))
            point[~active[0]] = self.encoding.weighted(point[None])[0, ~active[0]]
        point[j] = self._another(j, parent[j])
        return point

    def _another(self, j: int, coordinate: float) -> float:
        """The coordinate of a value of hyperparameter j, drawn from all except the current one."""
        column = self.encoding.columns[j]
        if column.size is None:
            return self.generator.random()
        if column.shares is not None or column.prior is not None:
            return self._another_by_prior(column, coordinate)
        current = int(column.read(np.array([coordinate]))[0]) - column.first
        other = (current + 1 + int(self.generator.integers(column.size - 1))) % column.size
        return float(column.place(np.array([other + column.first]))[0])

    def _another_by_prior(self, column: Column, coordinate: float) -> float:
        """The same, drawn from the prior: from the unit interval without the cell of the current value."""
        if column.size is None:
            return self.generator.random()
        (left,), (right,) = column.cells(column.read(np.array([coordinate])))
        place = np.array([self.generator.random() * (1 - (right - left))])
        drawn = column.weighted(np.where(place < left, place, place + right - left))
        return float(column.place(column.read(np.clip(drawn, 0.0, 1.0)))[0])

    def _observe(self, trial: Trial, outcome: Outcome) -> None:
        loss = float("inf") if outcome.failure else outcome.loss
        self._members.append((loss, self._points.pop(trial.number)))

    def take_over(self, past: Past) -> None:
        """As in the base class."""
        latest = slice(-self.population, None)  # the others have left the population
        losses = np.where(past.failed, np.inf, past.losses)[latest]
        self._members.extend(zip(losses.tolist(), past.points[latest], strict=True))
        self._asked += len(past.points)

    def _state(self) -> dict[str, Any]:
        return {"draws": self._draws.state(), "members": list(self._members), "points": dict(self._points)}

    def _restore(self, state: Mapping[str, Any]) -> None:
        self._draws.restore(state["draws"])
        self._members = deque((tuple(member) for member in state["members"]), maxlen=self.population)
        self._points = dict(state["points"])
