"""The encoding of one hyperparameter on the interval [0, 1].

* float: linear, or linear in the logarithm.
* integer of k values l..h: k cells, of equal width or, on a log scale, [log(v - 1/2), log(v + 1/2)] rescaled; v encodes
  to the middle of its cell (log v on a log scale).
* ordinal and categorical with k choices: k cells of equal width, in the order of the choices; choice i encodes to its
  middle, (i + 1/2) / k.

Uniform points of the cube thus give each value of a finite hyperparameter the same probability, except for log
integers, and both ends 0 and 1 decode to legal values. Priors that ConfigSpace attaches (normal or beta numbers,
weights of choices) are not part of the encoding. Between `values` (what a configuration holds) and coordinates there
are codes: the number itself for floats and integers, the index for choices.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Real
from typing import Any

import numpy as np
from ConfigSpace import CategoricalHyperparameter, OrdinalHyperparameter
from ConfigSpace.hyperparameters import (
    Constant,
    FloatHyperparameter,
    Hyperparameter,
    IntegerHyperparameter,
)
from numpy.typing import NDArray

from core.errors import UserError, brief

SLACK = 1e-9  # tolerance relative to the range: a float that left it by rounding is still legal


@dataclass(frozen=True)
class Column:
    """A hyperparameter and its codes.

    Attributes:
        hyperparameter: Hyperparameter of ConfigSpace.
        kind: Kind, "float", "integer", "ordinal", "categorical" or "constant" (one value, no coordinate of the cube).
        size: Number of values; None for floats.
    """

    hyperparameter: Hyperparameter[Any, Any]
    kind: str
    size: int | None

    @classmethod
    def of(cls, hyperparameter: Hyperparameter[Any, Any]) -> Column:
        """The column of a hyperparameter; raises UserError for a type that has no encoding here."""
        if isinstance(hyperparameter, FloatHyperparameter):
            return cls(hyperparameter, "float", None)
        if isinstance(hyperparameter, IntegerHyperparameter):
            size = int(hyperparameter.upper) - int(hyperparameter.lower) + 1
            return cls(hyperparameter, "integer", size)
        if isinstance(hyperparameter, OrdinalHyperparameter):
            kind, size = "ordinal", len(hyperparameter.sequence)
        elif isinstance(hyperparameter, CategoricalHyperparameter):
            kind, size = "categorical", len(hyperparameter.choices)
        elif isinstance(hyperparameter, Constant):
            kind, size = "constant", 1
        else:
            raise UserError(
                f"hyperparameter {hyperparameter.name!r} is of type {type(hyperparameter).__name__}, which has no "
                "encoding; allowed: float, integer, ordinal, categorical and constant"
            )
        return cls(hyperparameter, kind if size > 1 else "constant", size)

    @property
    def name(self) -> str:
        return self.hyperparameter.name

    @property
    def default(self) -> float:
        """The coordinate of the default value."""
        return float(self.place(np.array([self.code(self.hyperparameter.default_value)]))[0])

    @cached_property
    def choices(self) -> tuple[Any, ...]:
        """The values in the order of their codes; empty for floats and integers."""
        if isinstance(self.hyperparameter, OrdinalHyperparameter):
            return tuple(self.hyperparameter.sequence)
        if isinstance(self.hyperparameter, CategoricalHyperparameter):
            return tuple(self.hyperparameter.choices)
        return (self.hyperparameter.value,) if isinstance(self.hyperparameter, Constant) else ()

    @property
    def first(self) -> int:
        """The code of the first value of an integer, ordinal or categorical hyperparameter."""
        return 0 if self.choices else int(self.bounds[0])

    @cached_property
    def log(self) -> bool:
        """Whether the interval is linear in the logarithm."""
        return bool(getattr(self.hyperparameter, "log", False))

    @cached_property
    def bounds(self) -> tuple[float, float]:
        """The smallest and the largest value of a float or integer."""
        if isinstance(self.hyperparameter, FloatHyperparameter):
            return float(self.hyperparameter.lower), float(self.hyperparameter.upper)
        if isinstance(self.hyperparameter, IntegerHyperparameter):
            return int(self.hyperparameter.lower), int(self.hyperparameter.upper)
        raise TypeError(f"{self.name} is {self.kind}: it has choices, not bounds")

    @cached_property
    def edges(self) -> Sequence[float]:
        """The scaled ends of the interval, for integers half a step beyond the first and the last value."""
        if self.choices:
            return 0.0, 1.0
        half = 0.5 if self.kind == "integer" else 0.0
        low, high = self.bounds
        return float(self._scale(np.array(low - half))), float(self._scale(np.array(high + half)))

    def code(self, value: Any) -> float | int:
        """The code of a value.

        Raises:
            UserError: not a value of this hyperparameter.
        """
        if self.choices:
            if value in self.choices:
                return self.choices.index(value)
            raise UserError(
                f"{self.name} = {brief(value)} is not allowed; allowed: {', '.join(map(repr, self.choices))}"
            )
        low, high = self.bounds
        try:
            number = float(value) if isinstance(value, Real) and not isinstance(value, bool) else np.nan
        except OverflowError:  # an integer too large for a float
            number = np.nan
        slack = SLACK * (high - low) if self.kind == "float" else 0.0
        if not low - slack <= number <= high + slack or (self.kind == "integer" and number != round(number)):
            raise UserError(f"{self.name} = {brief(value)} is not allowed; allowed: {self.kind} from {low} to {high}")
        return min(max(number, low), high) if self.kind == "float" else int(value)

    def place(self, codes: NDArray[Any]) -> NDArray[np.float64]:
        """Codes (n,) to coordinates (n,)."""
        low, high = self.edges
        if self.choices:
            return np.asarray((codes + 0.5) / len(self.choices), dtype=np.float64)
        return (self._scale(np.asarray(codes, dtype=np.float64)) - low) / (high - low)

    def read(self, coordinates: NDArray[np.float64]) -> NDArray[Any]:
        """Coordinates (n,) in [0, 1] to codes (n,), float64 for floats and int64 for all others."""
        if self.choices:
            return np.minimum((coordinates * len(self.choices)).astype(np.int64), len(self.choices) - 1)
        low, high = self.edges
        scaled = low * (1 - coordinates) + high * coordinates
        numbers = np.exp(scaled) if self.log else scaled
        if self.kind == "integer":
            numbers = np.rint(numbers)
        least, largest = self.bounds
        numbers = np.minimum(np.maximum(numbers, least), largest)
        return numbers if self.kind == "float" else numbers.astype(np.int64)

    def values(self, codes: NDArray[Any]) -> list[Any]:
        """Codes (n,) to what a configuration holds: Python numbers or the choices."""
        return [self.choices[code] for code in codes] if self.choices else list(codes.tolist())

    def exact(self, value: Any) -> Any:
        """A value as a Python number or the choice itself; raises as `code`."""
        return self.values(np.array([self.code(value)]))[0]

    def vector(self, codes: NDArray[Any]) -> NDArray[np.float64]:
        """Codes (n,) to ConfigSpace's own vector representation (n,), in which its conditions are stated."""
        if self.kind == "constant":
            return np.full(len(codes), self.hyperparameter.to_vector(self.choices[0]), dtype=np.float64)
        if self.choices:
            return np.asarray(codes, dtype=np.float64)
        return np.asarray(self.hyperparameter.to_vector(codes), dtype=np.float64)

    def _scale(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.log(numbers) if self.log else numbers
