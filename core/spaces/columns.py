"""The encoding of one hyperparameter on the interval [0, 1].

* float: linear, or linear in the logarithm.
* integer of k values l..h: k cells, of equal width or, on a log scale, [log(v - 1/2), log(v + 1/2)] rescaled; v encodes
  to the middle of its cell (log v on a log scale).
* ordinal and categorical with k choices: k cells of equal width, in the order of the choices; choice i encodes to its
  middle, (i + 1/2) / k.

Uniform points of the cube thus give each value of a finite hyperparameter the same probability, except for log
integers, and both ends 0 and 1 decode to legal values. Between `values` (what a configuration holds) and coordinates
there are codes: the number itself for floats and integers, the index for choices.

Priors that ConfigSpace attaches to numbers, normal and beta ones, have a distribution function F on ConfigSpace's own
scale t, in which the ends of the range are 0 and 1, linear or linear in the logarithm.

* float with a prior: v encodes to F(t(v)), so that uniform points have the prior's density.
* integer of k values with a prior: v has the cell between F(x) at x = ((k - 1) t(v -+ 1/2) + 1/2) / k, cut to [0, 1],
  and encodes to its middle. On a linear scale these are the k equal bins in which ConfigSpace samples.
* categorical with weights: a choice of weight 0 does not exist. The cells of the others keep their equal width, since
  distances between choices mean nothing; `weighted` moves uniform coordinates into them by their weights.

A number so unlikely that F rounds to 0 or 1 shares its coordinate with all that are less likely.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
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

from core.foundation.errors import LISTED, UserError, brief
from core.spaces.choices import (
    DEFAULT_SET,
    NUMBERS,
    PARAMETERS,
    PRIORS,
    SLACK,
    by_form,
    check_numbers,
    check_weights,
    choice_of,
    is_hashable,
    json_form,
    table_form,
    whole_number,
)


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
        """The column of a hyperparameter; raises UserError for a type, prior or default without an encoding."""
        if isinstance(hyperparameter, (FloatHyperparameter, IntegerHyperparameter)):
            check_numbers(hyperparameter)
            if isinstance(hyperparameter, FloatHyperparameter):
                return cls(hyperparameter, "float", None)
            size = int(hyperparameter.upper) - int(hyperparameter.lower) + 1
            return cls(hyperparameter, "integer", size)
        if isinstance(hyperparameter, OrdinalHyperparameter):
            kind, size = "ordinal", len(hyperparameter.sequence)
        elif isinstance(hyperparameter, CategoricalHyperparameter):
            check_weights(hyperparameter)
            kind, size = "categorical", int(np.count_nonzero(hyperparameter.probabilities))
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

    @property
    def default_is_set(self) -> bool:
        """Whether the default value was set, as far as can be told: it is another than ConfigSpace's automatic one."""
        own = self.hyperparameter
        if own.meta is not None and DEFAULT_SET in own.meta:
            return True
        if isinstance(own, NUMBERS):
            given = {name: getattr(own, name) for name in PARAMETERS if hasattr(own, name)}
            return bool(type(own)(name=own.name, **given).default_value != own.default_value)
        likeliest = 0 if self.shares is None else int(np.argmax(self.shares))
        return len(self.choices) > 1 and self.code(own.default_value) != likeliest

    @cached_property
    def choices(self) -> Sequence[Any]:
        """The values in the order of their codes; empty for floats and integers."""
        if isinstance(self.hyperparameter, OrdinalHyperparameter):
            return self.hyperparameter.sequence
        if isinstance(self.hyperparameter, CategoricalHyperparameter):
            choices = tuple(self.hyperparameter.choices)
            return choices if len(choices) == self.size else tuple(choices[place] for place in self._possible.tolist())
        return (self.hyperparameter.value,) if isinstance(self.hyperparameter, Constant) else ()

    @cached_property
    def shares(self) -> NDArray[np.float64] | None:
        """The probabilities of the choices, or None if all are the same."""
        if not isinstance(self.hyperparameter, CategoricalHyperparameter):
            return None
        shares = np.asarray(self.hyperparameter.probabilities, dtype=np.float64)[self._possible]
        return None if (shares == shares[0]).all() else shares / shares.sum()

    @cached_property
    def prior(self) -> Any:
        """The distribution of a number on ConfigSpace's scale t, as SciPy has it, or None if it is uniform."""
        # ConfigSpace has no public way to it, and its rules for deviations on a logarithmic scale are its own.
        return self.hyperparameter._vector_dist.rv if isinstance(self.hyperparameter, PRIORS) else None  # type: ignore[attr-defined]

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
            return self._code_of_choice(value)
        low, high = self.bounds
        try:
            number = float(value) if isinstance(value, Real) and not isinstance(value, bool) else np.nan
        except OverflowError:  # an integer too large for a float
            number = np.nan
        least, largest = self._with_slack
        if not least <= number <= largest or (self.kind == "integer" and number != round(number)):
            raise UserError(f"{self.name} = {brief(value)} is not allowed; allowed: {self.kind} from {low} to {high}")
        return min(max(number, low), high) if self.kind == "float" else int(value)

    def place(self, codes: NDArray[Any]) -> NDArray[np.float64]:
        """Codes (n,) to coordinates (n,)."""
        if self.choices:
            return np.asarray((codes + 0.5) / len(self.choices), dtype=np.float64)
        low, high = self.edges
        if self.prior is None:
            return (self._scale(np.asarray(codes, dtype=np.float64)) - low) / (high - low)
        if self.kind == "float":
            scaled = (self._scale(np.asarray(codes, dtype=np.float64)) - low) / (high - low)
            return np.asarray(self.prior.cdf(scaled), dtype=np.float64)
        left, right = self.cells(codes)
        return np.minimum((left + right) / 2, np.nextafter(right, left))

    def read(self, coordinates: NDArray[np.float64]) -> NDArray[Any]:
        """Coordinates (n,) in [0, 1] to codes (n,), float64 for floats and int64 for all others."""
        if self.choices:
            return np.minimum((coordinates * len(self.choices)).astype(np.int64), len(self.choices) - 1)
        if self.prior is not None:
            if self.kind == "integer":
                return self._found(coordinates)
            coordinates = np.clip(self.prior.ppf(coordinates), 0.0, 1.0)
        low, high = self.edges
        scaled = low * (1 - coordinates) + high * coordinates
        numbers = np.exp(scaled) if self.log else scaled
        if self.kind == "integer":
            numbers = np.rint(numbers)
        least, largest = self.bounds
        numbers = np.minimum(np.maximum(numbers, least), largest)
        return numbers if self.kind == "float" else numbers.astype(np.int64)

    def cells(self, codes: NDArray[Any]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The ends of the cells, (n,) each, of codes (n,) in a coordinate that is uniform under the prior."""
        codes = np.asarray(codes, dtype=np.float64)
        if self.shares is not None:
            ends = np.concatenate([[0.0], self._cumulated])
            return ends[codes.astype(np.int64)], ends[codes.astype(np.int64) + 1]
        if self.prior is not None:
            return self._below(codes - 0.5), self._below(codes + 0.5)
        return np.clip(self.place(codes - 0.5), 0.0, 1.0), np.clip(self.place(codes + 0.5), 0.0, 1.0)

    def weighted(self, uniforms: NDArray[np.float64]) -> NDArray[np.float64]:
        """Coordinates (n,) that are uniform under the prior to coordinates (n,), where only those of choices differ."""
        if self.shares is None:
            return uniforms
        chosen = np.searchsorted(self._cumulated, uniforms, side="right")
        return self.place(np.minimum(chosen, len(self.shares) - 1))

    def unweighted(self, coordinates: NDArray[np.float64]) -> NDArray[np.float64]:
        """The inverse of `weighted`, up to the place within a cell."""
        if self.shares is None:
            return coordinates
        left, right = self.cells(self.read(coordinates))
        return (left + right) / 2

    def values(self, codes: NDArray[Any]) -> list[Any]:
        """Codes (n,) to what a configuration holds: Python numbers or the choices."""
        return [self.choices[code] for code in codes] if self.choices else list(codes.tolist())

    def exact(self, value: Any) -> Any:
        """A value as a Python number or the choice itself; raises as `code`."""
        return self.values(np.array([self.code(value)]))[0]

    def from_json(self, stored: Any) -> Any:
        """The choice that JSON, which has no tuples and keeps unknown values as text, has stored as this.

        Anything else is returned as it is.

        Raises:
            UserError: several choices are stored alike.
        """
        return choice_of(self.name, stored, self._by_json, json_form)

    def from_table(self, stored: Any) -> Any:
        """The choice that a table, such as one read from Parquet, has stored as this; as `from_json`.

        A table makes arrays of tuples and lists, floats of numbers, bytes of text beside bytes, and None of nan.
        """
        return choice_of(self.name, stored, self._by_table, table_form)

    def vector(self, codes: NDArray[Any]) -> NDArray[np.float64]:
        """Codes (n,) to ConfigSpace's own vector representation (n,), in which its conditions are stated."""
        if self.kind == "constant":
            return np.full(len(codes), self.hyperparameter.to_vector(self.choices[0]), dtype=np.float64)
        if self.kind == "categorical" and len(self._possible) < len(self.hyperparameter.choices):  # type: ignore[attr-defined]
            return np.asarray(self._possible[codes], dtype=np.float64)
        if self.choices:
            return np.asarray(codes, dtype=np.float64)
        return np.asarray(self.hyperparameter.to_vector(codes), dtype=np.float64)

    @cached_property
    def _possible(self) -> NDArray[np.int64]:
        """The places of the choices with a positive weight among all choices of a categorical hyperparameter."""
        return np.flatnonzero(self.hyperparameter.probabilities)  # type: ignore[attr-defined]

    @cached_property
    def _cumulated(self) -> NDArray[np.float64]:
        """The sums of the shares up to each, the last of which is 1."""
        if self.shares is None:
            raise TypeError(f"{self.name} has no weights")
        sums = np.cumsum(self.shares)
        return np.asarray(sums / sums[-1], dtype=np.float64)

    @cached_property
    def _with_slack(self) -> tuple[float, float]:
        """The bounds, a little further for floats."""
        low, high = self.bounds
        if self.kind == "integer":
            return low, high
        slack = SLACK * (self.edges[1] - self.edges[0])
        return (low * math.exp(-slack), high * math.exp(slack)) if self.log else (low - slack, high + slack)

    def _scale(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.log(numbers) if self.log else numbers

    def _below(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        """F at numbers (n,) between integers, see above; 0 and 1 beyond the ends."""
        (low, high), count = self.bounds, self.bounds[1] - self.bounds[0] + 1
        ends = self._scale(np.array([low, high], dtype=np.float64))
        t = (self._scale(np.clip(numbers, low - 0.5, high + 0.5)) - ends[0]) / (ends[1] - ends[0])
        below = self.prior.cdf(np.clip((t * (count - 1) + 0.5) / count, 0.0, 1.0))
        return np.where(numbers < low, 0.0, np.where(numbers > high, 1.0, below))

    def _found(self, coordinates: NDArray[np.float64]) -> NDArray[np.int64]:
        """The last integers (n,) whose cells begin at coordinates (n,) or before: bisection near the inverse of F."""
        low, high = (np.full(len(coordinates), int(bound), dtype=np.int64) for bound in self.bounds)
        count, ends = high[:1] - low[:1] + 1, self._scale(np.array(self.bounds, dtype=np.float64))
        t = np.clip((self.prior.ppf(coordinates) * count - 0.5) / (count - 1), 0.0, 1.0)
        near = ends[0] * (1 - t) + ends[1] * t
        near = np.rint(np.exp(near) if self.log else near).astype(np.int64)
        sides = [near + 2, near - 1]
        while (low < high).any():
            middle = np.clip(sides.pop(), low + 1, high) if sides else (low + high + 1) // 2
            begun = self._below(np.asarray(middle - 0.5, dtype=np.float64)) <= coordinates
            low, high = np.where(begun, middle, low), np.where(begun, high, middle - 1)
        return low

    @cached_property
    def _codes(self) -> Mapping[Hashable, int]:
        """The codes of the hashable choices; ConfigSpace refuses equal ones, such as 1 and True."""
        return {choice: code for code, choice in enumerate(self.choices) if is_hashable(choice)}

    def _code_of_choice(self, value: Any) -> int:
        if isinstance(self.choices, range):
            number = whole_number(value)
            if number is not None and number in self.choices:
                return self.choices.index(number)
        elif is_hashable(value):
            if (code := self._codes.get(value)) is not None:
                return code
            if value != value:  # nan, which only equals itself as the same object
                for code, choice in enumerate(self.choices):
                    if isinstance(choice, float) and math.isnan(choice):
                        return code
        else:
            for code, choice in enumerate(self.choices):
                if type(choice) is type(value) and not is_hashable(choice) and np.all(choice == value):
                    return code
        raise UserError(f"{self.name} = {brief(value)} is not allowed; allowed: {self._listed}")

    @property
    def _listed(self) -> str:
        """The choices in words, the first of many, and why some are missing."""
        listed = ", ".join(map(brief, self.choices[:LISTED]))
        rest = len(self.choices) - LISTED
        listed += f" and {rest} more" if rest > 0 else ""
        all_choices = getattr(self.hyperparameter, "choices", self.choices)
        return listed if len(all_choices) == len(self.choices) else f"{listed}, those of a positive weight"

    @cached_property
    def _by_json(self) -> dict[Hashable, list[Any]]:
        """The choices by what JSON makes of them; empty for numbers, which stay what they are."""
        return by_form(self.choices, json_form)

    @cached_property
    def _by_table(self) -> dict[Hashable, list[Any]]:
        return by_form(self.choices, table_form)
