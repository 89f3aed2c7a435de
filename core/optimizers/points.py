"""Points of the unit cube in an optimizer: drawn from the priors, moved to configurations, and stored with losses.

Uniform points are drawn and decoded in batches because a single one costs nearly as much. For the one point that a
density proposes, `CubeEncoding.canonical` does all that a space may need; spaces without conditions need less.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.spaces import Column, CubeEncoding

BATCH = 64
WHOLE = 10_000  # combinations of values of a finite space up to which all are looked at once a search finds nothing new
SAME = 1e-9  # distance below which two points are of one configuration
RANDOM = "random"  # the origin of a trial whose configuration is a uniform draw


def every_point(encoding: CubeEncoding) -> NDArray[np.float64] | None:
    """The points (n, d) of all configurations that are allowed, if at most `WHOLE` combinations of values make them."""
    sizes = [encoding.levels.get(j) for j in range(encoding.dimension)]
    if None in sizes or math.prod(sizes) > WHOLE:  # type: ignore[arg-type]
        return None
    axes = [column.place(np.arange(column.size) + column.first) for column in encoding.columns]  # type: ignore[arg-type]
    points = np.stack(np.meshgrid(*axes, indexing="ij"), -1).reshape(-1, encoding.dimension)
    return np.unique(encoding.canonical(points[encoding.allowed(points)]), axis=0)


def among(points: NDArray[np.float64], others: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which points (n, d) are configurations of others (m, d), (n,)."""
    same = np.ones((len(points), len(others)), dtype=bool)
    for j in range(points.shape[1]):
        same &= np.abs(points[:, j, None] - others[:, j]) < SAME
        if not same.any():
            break
    return np.asarray(same.any(-1))


class UniformDraws:
    """An endless sequence of random canonical points and their configurations, see `CubeEncoding.sample`."""

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
        """The generator, and the points drawn but not yet used."""
        return {"generator": self.generator.bit_generator.state, "points": self._points[: self._left].copy()}

    def restore(self, state: Mapping[str, Any]) -> None:
        """The inverse of `state`; whatever shares the generator continues too."""
        self.generator.bit_generator.state = state["generator"]
        self._hold(state["points"].copy())

    def _hold(self, points: NDArray[np.float64]) -> None:
        self._points, self._left = points, len(points)
        self._configurations = self.encoding.decode(points) if len(points) else []


class Canonical:
    """Canonical points and configurations of an encoding's space, see `core.spaces`."""

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
        self._priors = [(j, column) for j, column in enumerate(encoding.columns) if column.prior is not None]
        self._numbers = _Numbers.of(encoding.columns)

    def active(self, points: NDArray[np.float64]) -> NDArray[np.bool_] | None:
        """Which coordinates of points (n, d) matter, (n, d); None if all do because the space has no conditions."""
        return self.encoding.active(points) if self._conditional else None

    def allowed(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """The points among these (n, d) that no forbidden clause excludes."""
        return points[self.encoding.allowed(points)] if self._forbidding else points

    def settle(self, point: NDArray[np.float64]) -> tuple[NDArray[np.float64], dict[str, Any]]:
        """The canonical point (d,) and the configuration of an allowed point (d,)."""
        if self._conditional:
            (configuration,) = self.encoding.decode(point[None])
            return self.encoding.canonical(point[None])[0], configuration
        settled = point.copy()
        values: list[Any] = [None] * len(self._names)
        for j, choices in self._choosing:
            code = min(int(point[j] * len(choices)), len(choices) - 1)
            settled[j], values[j] = (code + 0.5) / len(choices), choices[code]
        for j, value in zip(self._numbers.places.tolist(), self._numbers.settle(settled)):
            values[j] = value
        for j, column in self._priors:
            codes = column.read(settled[j : j + 1])
            (values[j],) = column.values(codes)
            settled[j : j + 1] = column.place(codes) if column.kind == "integer" else settled[j : j + 1]
        return settled, {**self._constants, **dict(zip(self._names, values))}


class _Numbers(NamedTuple):
    """The float and integer coordinates without priors, and the properties of their `Column`s as arrays (numbers,)."""

    places: NDArray[np.int64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    least: NDArray[np.float64]
    largest: NDArray[np.float64]
    log: NDArray[np.bool_]
    integer: NDArray[np.bool_]

    @classmethod
    def of(cls, columns: Sequence[Column]) -> _Numbers:
        places = [j for j, column in enumerate(columns) if not column.choices and column.prior is None]
        numbers = [columns[j] for j in places]
        low, high = np.array([column.edges for column in numbers], dtype=np.float64).reshape(-1, 2).T
        least, largest = np.array([column.bounds for column in numbers], dtype=np.float64).reshape(-1, 2).T
        log = np.array([column.log for column in numbers], dtype=bool)
        integer = np.array([column.kind == "integer" for column in numbers], dtype=bool)
        return cls(np.array(places, dtype=np.int64), low, high, least, largest, log, integer)

    def settle(self, point: NDArray[np.float64]) -> list[float | int]:
        """The values at a point (d,), as from `Column.read`; integers move to the middles of their cells."""
        coordinates = point[self.places]
        numbers = self.low * (1 - coordinates) + self.high * coordinates
        np.exp(numbers, out=numbers, where=self.log)
        np.rint(numbers, out=numbers, where=self.integer)
        numbers = np.minimum(np.maximum(numbers, self.least), self.largest)
        values: list[float | int] = numbers.tolist()
        if self.integer.any():
            scaled = np.log(numbers, out=numbers.copy(), where=self.log)
            point[self.places] = np.where(self.integer, (scaled - self.low) / (self.high - self.low), coordinates)
            values = [int(value) if whole else value for value, whole in zip(values, self.integer.tolist())]
        return values


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

    def extend(self, points: NDArray[np.float64], losses: NDArray[np.float64]) -> None:
        """Append points (n, d) with losses (n,)."""
        self._points = np.concatenate([self.points, points, np.empty((16, self._points.shape[1]))])
        self._losses = np.concatenate([self.losses, losses, np.empty(16)])
        self._count += len(points)

    def state(self) -> dict[str, Any]:
        return {"points": self.points.copy(), "losses": self.losses.copy()}

    def restore(self, state: Mapping[str, Any]) -> None:
        """The inverse of `state`."""
        self._count = 0
        for point, loss in zip(state["points"], state["losses"]):
            self.add(point, float(loss))
