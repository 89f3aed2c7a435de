"""A point that a density proposes, one at a time: whether it is allowed, what it means, and where it then lies.

`CubeEncoding.canonical` does all that a space may need for many points; spaces without conditions need less for one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

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
        self._names = [column.name for column in encoding.columns]
        self._choosing = [(j, column.choices) for j, column in enumerate(encoding.columns) if column.choices]
        self._numbers = _Numbers.of(encoding.columns)

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
        settled, values = point.copy(), [None] * len(self._names)
        for j, choices in self._choosing:
            code = min(int(point[j] * len(choices)), len(choices) - 1)
            settled[j], values[j] = (code + 0.5) / len(choices), choices[code]
        for j, value in zip(self._numbers.places.tolist(), self._numbers.settle(settled)):
            values[j] = value
        return settled, {**self._constants, **dict(zip(self._names, values))}


class _Numbers(NamedTuple):
    """The float and integer coordinates, and what `Column` says of each: arrays (numbers,)."""

    places: NDArray[np.int64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    least: NDArray[np.float64]
    largest: NDArray[np.float64]
    log: NDArray[np.bool_]
    integer: NDArray[np.bool_]

    @classmethod
    def of(cls, columns: Sequence[Column]) -> _Numbers:
        numbers = [column for column in columns if not column.choices]
        places = [j for j, column in enumerate(columns) if not column.choices]
        low, high = np.array([column.edges for column in numbers], dtype=np.float64).reshape(-1, 2).T
        least, largest = np.array([column.bounds for column in numbers], dtype=np.float64).reshape(-1, 2).T
        log = np.array([column.log for column in numbers], dtype=bool)
        integer = np.array([column.kind == "integer" for column in numbers], dtype=bool)
        return cls(np.array(places, dtype=np.int64), low, high, least, largest, log, integer)

    def settle(self, point: NDArray[np.float64]) -> list[float | int]:
        """The values at a point (d,), as `Column.read` gives them; integers move to the middles of their cells."""
        coordinates = point[self.places]
        numbers = self.low * (1 - coordinates) + self.high * coordinates
        np.exp(numbers, out=numbers, where=self.log)
        np.rint(numbers, out=numbers, where=self.integer)
        numbers = np.minimum(np.maximum(numbers, self.least), self.largest)
        values = numbers.tolist()
        if self.integer.any():
            scaled = np.log(numbers, out=numbers.copy(), where=self.log)
            point[self.places] = np.where(self.integer, (scaled - self.low) / (self.high - self.low), coordinates)
            values = [int(value) if whole else value for value, whole in zip(values, self.integer.tolist())]
        return values
