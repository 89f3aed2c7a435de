"""Configurations of a ConfigSpace to points of the unit cube and back.

    encoding = CubeEncoding(space)
    points = encoding.encode(configurations)        # (n, d) float64
    configurations = encoding.decode(points)        # n dictionaries, absent names are inactive

There is one coordinate per hyperparameter, in the order of `list(space)` (ConfigSpace sorts by depth, then name), as
described in `core.spaces.columns`; hyperparameters with one value have none. A configuration is a plain dictionary of
Python values, cheap to make by the thousand and to send to another process; `ConfigSpace.Configuration(space,
values=...)` accepts it, and a Configuration can be encoded.

* **Conditions.** ConfigSpace's conditions decide whether a hyperparameter is active (for an inactive parent "not
  equal" holds, all others do not). An inactive one is left out by `decode`, and `encode` puts its default value in its
  coordinate: equal configurations are equal points.
* **Forbidden clauses.** The point of a forbidden configuration has no nearest legal one, so nothing is repaired:
  `allowed` says which points decode to legal configurations, `sample` draws from those only, and `decode` refuses the
  others. Maximizers drop candidates that `allowed` excludes.
* **Priors.** Uniform points have the priors' densities after `weighted`, which moves the coordinates of choices with
  weights and no others; `sample` draws such points.

`describe_space` says in words what a space is, by which saved states and journals know whether they belong to it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from keyword import iskeyword
from typing import Any

import numpy as np
from ConfigSpace import ConfigurationSpace
from ConfigSpace.hyperparameters import Hyperparameter
from numpy.typing import ArrayLike, NDArray

from core.foundation.errors import UnknownNameError, UserError
from core.spaces.columns import Column
from core.spaces.given import SpaceLike, as_space

OUTSIDE = 1e-6  # coordinates this far outside [0, 1] are rounding errors and are clipped
TRIES = 1000  # rounds of rejection in `sample`

Configurations = Sequence[Mapping[str, Any]]


class CubeEncoding:
    """The encoding of one space; it ignores what is added to the space later.

    Attributes:
        space: Search space of ConfigSpace.
        columns: Hyperparameters that have a coordinate, in the order of the coordinates.
        dimension: Number d of coordinates.
        cardinalities: Number of choices by coordinate, for the categorical ones, whose order means nothing.
        levels: Number of values by coordinate, for all finite ones (integer, ordinal, categorical).
        shares: Probabilities of the choices by coordinate, for categorical ones with different weights.
        imputed: Coordinates (d,) that represent inactive hyperparameters: those of the defaults.

    Raises:
        UserError: a space with no hyperparameter, none that is ever active, or a single configuration, or with a type
            that has no encoding.
    """

    def __init__(self, space: SpaceLike) -> None:
        space = as_space(space)
        name = f"space {space.name!r}" if space.name else "the space"
        if len(space) == 0:
            raise UserError(f"{name} has no hyperparameters: there is nothing to optimize")
        self.space = space
        self._all = [Column.of(space[key]) for key in space]
        self.columns = tuple(column for column in self._all if column.kind != "constant")
        if not self.columns:
            values = {column.name: column.choices[0] for column in self._all}
            raise UserError(f"{name} has a single configuration, {values}: there is nothing to optimize")
        self.dimension = len(self.columns)
        self.levels = {i: column.size for i, column in enumerate(self.columns) if column.size is not None}
        self.cardinalities = {i: size for i, size in self.levels.items() if self.columns[i].kind == "categorical"}
        self.shares = {i: column.shares for i, column in enumerate(self.columns) if column.shares is not None}
        self.imputed = np.array([column.default for column in self.columns])
        places = {column.name: i for i, column in enumerate(self.columns)}
        self._places = [places.get(column.name) for column in self._all]  # the coordinate, None for constants
        if not self.active(self.imputed[None]).any():  # then everything above the first condition is constant
            raise UserError(f"{name} has no hyperparameter that is ever active: there is nothing to optimize")

    def encode(self, configurations: Configurations) -> NDArray[np.float64]:
        """Configurations to points (n, d).

        Raises:
            UnknownNameError: a name that the space does not have.
            UserError: a value that is not allowed, missing, given though inactive, or forbidden together with others.
        """
        known = set(self.space)
        for configuration in configurations:
            for name in configuration:
                if name not in known:
                    raise UnknownNameError("hyperparameter", name, known)
        codes = []
        given = np.array([[c.name in conf for conf in configurations] for c in self._all], dtype=bool)
        given = given.reshape(len(self._all), len(configurations))
        for column in self._all:
            default = column.code(column.hyperparameter.default_value)
            column_codes = [
                column.code(conf[column.name]) if column.name in conf else default for conf in configurations
            ]
            codes.append(_codes_of(column, column_codes))
        vectors, active = self._activity(codes, len(configurations))
        self._require_given(given, active)
        self._require_allowed(vectors)
        return self._points(codes, active)

    def decode(self, points: ArrayLike) -> list[dict[str, Any]]:
        """Points (n, d) to configurations.

        Raises:
            UserError: not (n, d), not finite, outside the cube by more than rounding, or a forbidden configuration.
        """
        codes = self._read(self._checked(points))
        vectors, active = self._activity(codes, len(codes[0]))
        self._require_allowed(vectors)
        values = [column.values(code) for column, code in zip(self._all, codes)]
        return [
            {column.name: values[j][i] for j, column in enumerate(self._all) if active[j, i]}
            for i in range(active.shape[1])
        ]

    def checked(self, configurations: Configurations) -> list[dict[str, Any]]:
        """The same configurations in plain Python values and the order of the space, unchanged; raises as `encode`."""
        self.encode(configurations)
        return [
            {column.name: column.exact(given[column.name]) for column in self._all if column.name in given}
            for given in configurations
        ]

    def default_configuration(self) -> dict[str, Any] | None:
        """The defaults of what is active with them, if one of these was set and they are allowed together; else None.

        See `Column.default_is_set`.
        """
        codes = [_codes_of(column, [column.code(column.hyperparameter.default_value)]) for column in self._all]
        vectors, active = self._activity(codes, 1)
        if not any(on and column.default_is_set for column, (on,) in zip(self._all, active)):
            return None
        if self._forbidden(vectors)[0]:
            return None
        return {column.name: column.values(code)[0] for column, code, (on,) in zip(self._all, codes, active) if on}

    def from_table(self, configuration: Mapping[str, Any]) -> dict[str, Any]:
        """A configuration as a table has it, such as one read from Parquet, in the space's own values.

        Tables list all names, with None or nan for what is inactive; it is left out here. Names that the space lacks
        are kept, and `encode` refuses them.

        Raises:
            UserError: a choice that cannot be told from another one, see `Column.from_table`.
        """
        columns = {column.name: column for column in self._all}
        own, unsure = {}, []
        for name, value in configuration.items():
            choices = columns[name].choices if name in columns else ()
            if not _is_missing(value):
                own[name] = columns[name].from_table(value) if choices else value
            elif any(map(_is_missing, choices)):  # a choice, or inactive
                own[name] = columns[name].from_table(value)
                unsure.append(name)
        active = self._active_names(own) if unsure else ()
        return {name: value for name, value in own.items() if name not in unsure or name in active}

    def canonical(self, points: ArrayLike) -> NDArray[np.float64]:
        """The canonical points (n, d) of the same configurations: encode(decode(points)), forbidden or not.

        Finite hyperparameters move to the middles of their cells, inactive ones to their defaults.
        """
        codes = self._read(self._checked(points))
        return self._points(codes, self._activity(codes, len(codes[0]))[1])

    def active(self, points: ArrayLike) -> NDArray[np.bool_]:
        """Whether each coordinate matters, (n, d): False where the hyperparameter is inactive."""
        codes = self._read(self._checked(points))
        active = self._activity(codes, len(codes[0]))[1]
        return active[[place is not None for place in self._places]].T

    def allowed(self, points: ArrayLike) -> NDArray[np.bool_]:
        """Whether each of the points (n, d) decodes to a configuration that no forbidden clause excludes, (n,)."""
        codes = self._read(self._checked(points))
        return ~self._forbidden(self._activity(codes, len(codes[0]))[0])

    def sample(self, n: int, generator: np.random.Generator) -> NDArray[np.float64]:
        """n canonical points (n, d), from the priors on the allowed part of the space; without any, uniform.

        Raises:
            UserError: almost nothing is allowed.
        """
        drawn, count = [np.empty((0, self.dimension))], 0
        for _ in range(TRIES):
            if count >= n:
                break
            points = self.weighted(generator.random((max(n, 16), self.dimension)))
            drawn.append(points[self.allowed(points)])
            count += len(drawn[-1])
        if count < n:
            raise UserError(f"of {TRIES * max(n, 16)} configurations drawn, the forbidden clauses allow only {count}")
        return self.canonical(np.concatenate(drawn)[:n])

    def weighted(self, uniforms: NDArray[np.float64]) -> NDArray[np.float64]:
        """Uniform points (n, d) of the cube to points with the priors' densities: choices are taken by their weights.

        Only the coordinates of choices with weights move, to the middles of their cells.
        """
        return self._moved(uniforms, Column.weighted)

    def unweighted(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Points (n, d) that `weighted` moves to the same configurations as these."""
        return self._moved(points, Column.unweighted)

    def _moved(
        self, points: NDArray[np.float64], move: Callable[[Column, NDArray[np.float64]], NDArray[np.float64]]
    ) -> NDArray[np.float64]:
        if not self.shares:
            return points
        moved = np.array(points, dtype=np.float64)
        for place in self.shares:
            moved[:, place] = move(self.columns[place], moved[:, place])
        return moved

    def _checked(self, points: ArrayLike) -> NDArray[np.float64]:
        array = np.asarray(points, dtype=np.float64)
        if array.ndim != 2 or array.shape[1] != self.dimension:
            raise UserError(f"points of shape {array.shape}; allowed: (n, {self.dimension})")
        wrong = ~((array >= -OUTSIDE) & (array <= 1 + OUTSIDE))
        if wrong.any():
            row, column = np.argwhere(wrong)[0]
            raise UserError(f"point {row} has {array[row, column]} for {self.columns[column].name!r}; allowed: 0 to 1")
        return np.clip(array, 0.0, 1.0)

    def _read(self, points: NDArray[np.float64]) -> list[NDArray[Any]]:
        """The codes of all hyperparameters, each (n,), whether active or not."""
        return [
            np.zeros(len(points), dtype=np.int64) if place is None else column.read(points[:, place])
            for column, place in zip(self._all, self._places)
        ]

    def _activity(self, codes: list[NDArray[Any]], n: int) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """ConfigSpace's vectors, NaN where inactive, and what is active, both (hyperparameters, n): parents first."""
        vectors = np.full((len(self._all), n), np.nan)
        active = np.ones((len(self._all), n), dtype=bool)
        for i, (column, code) in enumerate(zip(self._all, codes)):
            for condition in self.space.parent_conditions_of[column.name]:
                active[i] &= condition.satisfied_by_vector_array(vectors)
            vectors[i] = np.where(active[i], column.vector(code), np.nan)
        return vectors, active

    def _points(self, codes: list[NDArray[Any]], active: NDArray[np.bool_]) -> NDArray[np.float64]:
        points = np.empty((active.shape[1], self.dimension))
        for i, place in enumerate(self._places):
            if place is not None:
                points[:, place] = np.where(active[i], self._all[i].place(codes[i]), self.imputed[place])
        return points

    def _forbidden(self, vectors: NDArray[np.float64]) -> NDArray[np.bool_]:
        forbidden = np.zeros(vectors.shape[1], dtype=bool)
        for clause in self.space.forbidden_clauses:
            forbidden |= clause.is_forbidden_vector_array(vectors)
        return forbidden

    def _require_allowed(self, vectors: NDArray[np.float64]) -> None:
        for clause in self.space.forbidden_clauses:
            rows = np.flatnonzero(clause.is_forbidden_vector_array(vectors))
            if len(rows):
                raise UserError(f"configuration {rows[0]} is forbidden by the space: {clause}")

    def _require_given(self, given: NDArray[np.bool_], active: NDArray[np.bool_]) -> None:
        if (given != active).any():
            which, row = np.argwhere(given != active)[0]
            name, state = self._all[which].name, "missing" if active[which, row] else "inactive: it must be left out"
            raise UserError(f"configuration {row}: {name!r} is {state}")

    def _active_names(self, configuration: Mapping[str, Any]) -> set[str]:
        """The names that are active in a configuration, which may give more."""
        given = [configuration.get(column.name, column.hyperparameter.default_value) for column in self._all]
        codes = [_codes_of(column, [column.code(value)]) for column, value in zip(self._all, given)]
        active = self._activity(codes, 1)[1]
        return {column.name for column, (on,) in zip(self._all, active) if on}


def _codes_of(column: Column, codes: Sequence[float | int]) -> NDArray[Any]:
    return np.array(codes, dtype=np.float64 if column.kind == "float" else np.int64)


def _is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


def describe_space(space: ConfigurationSpace) -> list[str]:
    """One text for each hyperparameter, condition and forbidden clause; different spaces have different texts."""
    hyperparameters = [_described(space[name]) for name in space]
    return [*hyperparameters, *map(str, space.conditions), *map(str, space.forbidden_clauses)]


def _described(hyperparameter: Hyperparameter[Any, Any]) -> str:
    """ConfigSpace's text, and what it leaves out: which of its choices are numbers and which text, and exact weights.

    It also says that a prior is part of the encoding, which it was not in earlier versions.
    """
    column = Column.of(hyperparameter)
    text, choices = str(hyperparameter), getattr(hyperparameter, "choices", column.choices)
    if not isinstance(choices, range) and not all(map(_is_clear, choices)):
        text += f", as Python values: {choices!r}"
    if column.prior is not None:
        text += ", encoded by its quantiles"
    if column.shares is not None or len(choices) > len(column.choices):
        text += f", sampled by the weights {hyperparameter.weights!r}"  # type: ignore[attr-defined]
    return text


def _is_clear(choice: Any) -> bool:
    if isinstance(choice, str):
        return choice.isidentifier() and not iskeyword(choice)
    return str(choice) == repr(choice)
