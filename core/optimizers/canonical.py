"""A point that a density proposes, one at a time: whether it is allowed, what it means, and where it then lies.

`CubeEncoding.canonical` does all that a space may need for many points; spaces without conditions need less for one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.spaces import Column, CubeEncoding


class Canonical:
    """Of one encoding."""

    def __init__(self, encoding: CubeEncoding) -> None:
        self.encoding = encoding
        self._conditional = bool(encoding.space.conditions)
        self._constants = {
            key: column.choices[0]
            for key in encoding.space
            if (column := Column.of(encoding.space[key])).kind == "constant"
        }
        self._forbidding = bool(encoding.space.forbidden_clauses)

    def active(self, points: NDArray[np.float64]) -> NDArray[np.bool_] | None:
        """Which coordinates of points (n, d) matter, (n, d); None where all do because the space has no conditions."""
        return self.encoding.active(points) if self._conditional else None

    def allowed(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Those of the points (n, d) that no forbidden clause excludes."""
        return points[self.encoding.allowed(points)] if self._forbidding else points

    def settle(self, point: NDArray[np.float64]) -> tuple[NDArray[np.float64], dict[str, Any]]:
        """The canonical point (d,) and the configuration of an allowed point (d,)."""
        if self._conditional:
            (configuration,) = self.encoding.decode(point[None])
            return self.encoding.canonical(point[None])[0], configuration
        settled, configuration = point.copy(), dict(self._constants)
        for j, column in enumerate(self.encoding.columns):
            if column.choices:
                code = min(int(point[j] * column.size), column.size - 1)
                settled[j], configuration[column.name] = (code + 0.5) / column.size, column.choices[code]
                continue
            codes = column.read(point[j : j + 1])
            configuration[column.name] = codes[0].item()
            if column.kind == "integer":
                settled[j] = column.place(codes)[0]
        return settled, configuration
