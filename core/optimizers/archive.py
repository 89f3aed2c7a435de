"""Told points and their losses, in arrays that grow."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray


class Archive:
    """Points (n, d) and losses (n,), in the order of telling; failed evaluations have an infinite loss."""

    def __init__(self, dimension: int) -> None:
        self._points, self._losses, self._count = np.empty((16, dimension)), np.empty(16), 0

    def __len__(self) -> int:
        return self._count

    @property
    def points(self) -> NDArray[np.float64]:
        return self._points[: self._count]

    @property
    def losses(self) -> NDArray[np.float64]:
        return self._losses[: self._count]

    def add(self, point: NDArray[np.float64], loss: float) -> None:
        """Append a point (d,)."""
        if self._count == len(self._losses):
            self._points = np.concatenate([self._points, np.empty_like(self._points)])
            self._losses = np.concatenate([self._losses, np.empty_like(self._losses)])
        self._points[self._count], self._losses[self._count] = point, loss
        self._count += 1

    def state(self) -> dict[str, Any]:
        return {"points": self.points.copy(), "losses": self.losses.copy()}

    def restore(self, state: Mapping[str, Any]) -> None:
        """The inverse of `state`."""
        self._count = 0
        for point, loss in zip(state["points"], state["losses"]):
            self.add(point, float(loss))
