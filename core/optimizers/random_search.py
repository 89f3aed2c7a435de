"""Random search: uniform configurations from the allowed part of the unit cube; evaluations have no influence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from ConfigSpace import ConfigurationSpace

from core.optimizers.base import Optimizer, Outcome, Trial
from core.optimizers.points import UniformDraws
from core.spaces import CubeEncoding


class RandomSearch(Optimizer):
    """Uniform configurations, without end.

    Args:
        space: Search space.
        generator: Source of all random numbers.

    Raises:
        UserError: a space with nothing to choose, or whose forbidden clauses allow almost nothing.
    """

    def __init__(self, space: ConfigurationSpace, generator: np.random.Generator) -> None:
        super().__init__(space)
        self._draws = UniformDraws(CubeEncoding(space), generator)

    def _propose(self) -> tuple[Mapping[str, Any], None, Mapping[str, Any]]:
        return self._draws.next()[1], None, {}

    def _adopt(self, trial: Trial) -> bool:
        return trial.number >= 0  # an evaluation made elsewhere would have no effect

    def _observe(self, trial: Trial, outcome: Outcome) -> None:
        """Does nothing: random search does not learn."""

    def _state(self) -> dict[str, Any]:
        return self._draws.state()

    def _restore(self, state: Mapping[str, Any]) -> None:
        self._draws.restore(state)
