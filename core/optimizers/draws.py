"""Uniform configurations, drawn and decoded many at once because one alone costs nearly as much."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.spaces import CubeEncoding

BATCH = 64


class UniformDraws:
    """An endless sequence of uniform canonical points and their configurations."""

    def __init__(self, encoding: CubeEncoding, generator: np.random.Generator) -> None:
        self.encoding, self.generator = encoding, generator
        self._hold(np.empty((0, encoding.dimension)))

    def next(self) -> tuple[NDArray[np.float64], dict[str, Any]]:
        """A point (d,) and its configuration."""
        if not self._configurations:
            self._hold(self.encoding.sample(BATCH, self.generator))
        self._left -= 1
        return self._points[self._left], self._configurations.pop()

    def state(self) -> dict[str, Any]:
        """The generator, and the points that are drawn and not used."""
        return {"generator": self.generator.bit_generator.state, "points": self._points[: self._left].copy()}

    def restore(self, state: Mapping[str, Any]) -> None:
        """The inverse of `state`; what shares the generator continues as well."""
        self.generator.bit_generator.state = state["generator"]
        self._hold(state["points"].copy())

    def _hold(self, points: NDArray[np.float64]) -> None:
        self._points, self._left = points, len(points)
        self._configurations = self.encoding.decode(points) if len(points) else []
