"""What the tree Parzen estimators have in common: which evaluations are good, and what is remembered.

Good are the ceil(share sqrt(N)) evaluations with the smallest losses, at most 25. A failed evaluation is among the
worst; if there are not enough others, all that did not fail are good.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from ConfigSpace import ConfigurationSpace
from numpy.typing import NDArray

from core.optimizers.base import Optimizer, Outcome, Trial
from core.optimizers.points import Archive, Canonical, UniformDraws
from core.optimizers.settings import TPESettings
from core.optimizers.trial import Past
from core.spaces import CubeEncoding

MODEL = "model"
MOST_GOOD = 25


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
