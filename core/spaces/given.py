"""A space as users give it: a ConfigurationSpace, or a dictionary of the values each hyperparameter may take.

Dictionaries have ranges of numbers without a name, and in steps:

    {"lr": Float(1e-5, 1e-1, log=True), "units": Integer(8, 512), "batch": range(16, 257, 16)}

ConfigSpace's classes of these names want the hyperparameter's name first, which a dictionary has already. Its ordinal
hyperparameter lists all values and compares each with all before; `Steps` is one that knows them by their rule.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from numbers import Integral, Number, Real
from typing import Any

import numpy as np
from ConfigSpace import ConfigurationSpace, OrdinalHyperparameter
from ConfigSpace import Float as NamedFloat
from ConfigSpace import Integer as NamedInteger
from ConfigSpace.hyperparameters import Hyperparameter
from ConfigSpace.hyperparameters.distributions import UniformIntegerDistribution
from ConfigSpace.hyperparameters.hp_components import TransformerSeq, ordinal_neighborhood
from numpy.typing import NDArray

from core.foundation.errors import UserError, brief
from core.foundation.validation import require_flag
from core.spaces.choices import DEFAULT_SET, LARGEST, whole_number

LISTED = 1000  # numbers of a range up to which its text has all of them


@dataclass(frozen=True)
class Float:
    """Real numbers.

    Attributes:
        low, high: Ends of the range, both included.
        log: Whether the logarithm is searched, for numbers above 0 whose ratio matters, such as learning rates.
        default: Value with which `minimize` begins, and that an inactive hyperparameter counts as; the middle of the
            range unless given, with which nothing begins.
    """

    low: float
    high: float
    log: bool = False
    default: float | None = None

    def __post_init__(self) -> None:
        require_flag("Float.log", self.log)

    def named(self, name: str) -> Hyperparameter[Any, Any]:
        """ConfigSpace's hyperparameter; raises ValueError or TypeError for ends that are no range."""
        ends, meta = (float(self.low), float(self.high)), _meta(self.default)
        return NamedFloat(name, ends, log=self.log, default=self.default, meta=meta)


@dataclass(frozen=True)
class Integer:
    """Whole numbers; attributes as `Float`'s."""

    low: int
    high: int
    log: bool = False
    default: int | None = None

    def __post_init__(self) -> None:
        require_flag("Integer.log", self.log)

    def named(self, name: str) -> Hyperparameter[Any, Any]:
        """As `Float.named`; it also refuses ends that are not whole."""
        if any(isinstance(end, bool) or int(end) != end for end in (self.low, self.high)):
            raise ValueError("the ends are not whole numbers")
        ends, meta = (int(self.low), int(self.high)), _meta(self.default)
        return NamedInteger(name, ends, log=self.log, default=self.default, meta=meta)


class Steps(OrdinalHyperparameter):
    """The integers of a `range` in ascending order, in memory and time that do not depend on their number."""

    def __init__(self, name: str, numbers: range) -> None:
        self.sequence: Sequence[int] = numbers if numbers.step > 0 else numbers[::-1]  # type: ignore[assignment]
        self._contains_sequence_as_value = False
        distribution = UniformIntegerDistribution(size=len(numbers))
        Hyperparameter.__init__(
            self,
            name=name,
            size=len(numbers),
            default_value=self.sequence[0],
            meta=None,
            transformer=_Places(self.sequence),
            neighborhood=partial(ordinal_neighborhood, size=len(numbers)),
            vector_dist=distribution,
            neighborhood_size=self._ordinal_neighborhood_size,
            value_cast=None,
        )

    def __str__(self) -> str:
        """As ConfigSpace's ordinal hyperparameters have it, but short."""
        numbers = [*map(str, self.sequence[:LISTED])]
        if len(self.sequence) > LISTED:
            numbers = [*numbers[:2], "...", str(self.sequence[-1])]
        return f"{self.name}, Type: Ordinal, Sequence: {{{', '.join(numbers)}}}, Default: {self.default_value}"


class _Places(TransformerSeq):
    """ConfigSpace's vectors of a range's numbers: their places in it."""

    def __init__(self, seq: Sequence[int]) -> None:
        self.seq: Any = seq
        self.lower_vectorized, self.upper_vectorized = np.float64(0), np.float64(len(seq))
        self._lookup = None

    def __eq__(self, other: object, /) -> bool:
        return isinstance(other, _Places) and self.seq == other.seq

    def to_vector(self, value: Any) -> NDArray[np.float64]:
        """The places (n,) of numbers (n,)."""
        return np.array([self.seq.index(int(each)) for each in value], dtype=np.float64)

    def legal_value(self, value: Any) -> NDArray[np.bool_]:
        """Whether each of the values (n,) is a number of the range, (n,)."""
        return np.array([self.legal_value_single(each) for each in value], dtype=np.bool_)

    def legal_value_single(self, value: Any) -> bool:
        """Whether a value is a number of the range."""
        number = whole_number(value)
        return number is not None and number in self.seq


def _meta(default: float | None) -> dict[str, bool] | None:
    return None if default is None else {DEFAULT_SET: True}


SpaceLike = ConfigurationSpace | Mapping[str, Any]
ALLOWED = (
    "(low, high) of two numbers with low < high, whole ones for an integer, ('log', low, high) with low > 0, a range "
    "of integers, a list of choices, a single number or text that stays constant, Float or Integer of core, or a "
    "hyperparameter of ConfigSpace that has this name"
)
LOG = "log"
UNDERSTOOD = (tuple, list, range, Hyperparameter, Float, Integer, str, Number)
HINTS: dict[type | tuple[type, ...], str] = {
    Mapping: "a dictionary within the dictionary; write its entries side by side, with names of their own",
    (set, frozenset): "a set, which has no order; write a list",
}


def as_space(space: SpaceLike | None) -> ConfigurationSpace:
    """The space itself, or the one that a dictionary describes: {"x": (-5.0, 5.0), "n": (1, 9), "kind": ["a", "b"]}.

    A `range` stands for its integers: {"n": range(1, 5)} is 1 to 4, and {"n": range(16, 65, 16)} four of them in order.
    A learning rate is searched by its logarithm with ("log", 1e-5, 1e-1), or `Float(1e-5, 1e-1, log=True)` of `core`.

    Raises:
        UserError: neither of them, or an entry of the dictionary that is not understood.
    """
    if isinstance(space, ConfigurationSpace):
        return space
    if not isinstance(space, Mapping):
        raise UserError(
            f"space is {brief(space)}; allowed: a ConfigurationSpace, or a dictionary such as "
            '{"x": (-5.0, 5.0), "n": (1, 9), "kind": ["a", "b"]}'
        )
    entries = {}
    for name, given in space.items():
        try:
            entries[name] = _entry(name, given)
            ConfigurationSpace({name: entries[name]})
        except UserError:
            raise
        except Exception as error:
            raise UserError(f"space: {name!r} is {brief(given)}; {_hint(given)}allowed: {ALLOWED}") from error
    return ConfigurationSpace(entries)


def _entry(name: str, given: Any) -> Any:
    """Convert an entry for ConfigSpace; raises TypeError or ValueError for values that ConfigSpace would misread."""
    given = tuple(map(_plain, given)) if isinstance(given, tuple) else _plain(given)
    if not isinstance(given, UNDERSTOOD):
        raise TypeError(f"{type(given).__name__} is not understood")
    if any(abs(end) > LARGEST for end in _whole_ends(given)):
        raise UserError(
            f"space: {name!r} is {brief(given)}; allowed: integers from -2**53 to 2**53, which floats hold exactly"
        )
    if isinstance(given, range):
        return _whole_numbers(name, given)
    if isinstance(given, (Float, Integer)):
        return given.named(name)
    if isinstance(given, Hyperparameter) and given.name != name:
        raise ValueError(f"its own name is {given.name!r}")
    if isinstance(given, (list, tuple)) and _hint(given):  # ConfigSpace would misread it, or say less
        raise ValueError(f"{given!r} is neither a range nor choices")
    if isinstance(given, tuple) and given and given[0] == LOG:
        _, low, high = given
        return (Float if _is_range_of_floats((low, high)) else Integer)(low, high, log=True).named(name)
    return tuple(map(float, given)) if isinstance(given, tuple) and _is_range_of_floats(given) else given


def _plain(value: Any) -> Any:
    """The number in an array or tensor without dimensions, which Python's own classes of numbers do not know."""
    return value.item() if getattr(value, "shape", None) == () and not isinstance(value, Number) else value


def _hint(given: Any) -> str:
    """Say what is wrong with a value that is not understood, if that is known."""
    if isinstance(given, list):
        return _hint_on_choices(given)
    if isinstance(given, range):
        return "it has fewer than two numbers; "
    if isinstance(given, tuple):
        ends = given[1:] if given[:1] == (LOG,) else given
        if len(ends) != 2 or not all(isinstance(end, Real) and not isinstance(end, bool) for end in ends):
            return "a tuple is a range of two numbers; for choices write a list; "
        if not ends[0] < ends[1]:
            return "its low end is not below the high one; "
        if len(given) == 3 and ends[0] <= 0:
            return "a range of logarithms begins above 0; "
        return "" if math.isfinite(ends[1] - ends[0]) else "its width is no finite number; "
    return next((f"{hint}; " for kind, hint in HINTS.items() if isinstance(given, kind)), "")


def _hint_on_choices(choices: list[Any]) -> str:
    """Say what is wrong with a list of choices; empty if nothing is."""
    if arrays := [choice for choice in choices if getattr(choice, "shape", ())]:
        return f"its choice {brief(arrays[0])} is an array, which equals no other; write lists or names; "
    if equal := _equal_choices(choices):
        return f"its choices {brief(equal[0])} and {brief(equal[1])} are equal; "
    if choices and choices[0] != choices[0]:
        return "its first choice is nan, which cannot be the default; write another one first; "
    if len(choices) == 3 and choices[0] == LOG and all(isinstance(end, Real) for end in choices[1:]):
        return f"a list is choices; a range of logarithms is the tuple {(LOG, *choices[1:])}; "
    return ""


def _whole_numbers(name: str, given: range) -> Any:
    """An integer for consecutive numbers, and an ordinal for others; raises ValueError for fewer than two."""
    if not given[1:]:  # `len` fails beyond the largest index
        raise ValueError("nothing to choose")
    low, high = sorted((given[0], given[-1]))
    return (low, high) if abs(given.step) == 1 else Steps(name, given)


def _whole_ends(given: Any) -> Sequence[int]:
    """The ends of a range of integers; nothing for any other entry."""
    if isinstance(given, range):
        return (given[0], given[-1]) if given else ()
    ends = (given.low, given.high) if isinstance(given, Integer) else given
    if isinstance(ends, tuple) and ends[:1] == (LOG,):
        ends = ends[1:]
    return ends if isinstance(ends, tuple) and all(isinstance(end, Integral) for end in ends) else ()


def _equal_choices(choices: Sequence[Any]) -> tuple[Any, Any] | None:
    """Two choices that are equal, such as 1 and True, if they can be hashed."""
    known: dict[Any, Any] = {}
    for choice in choices:
        try:
            if choice in known:
                return known[choice], choice
            known[choice] = choice
        except TypeError:
            continue
    return None


def _is_range_of_floats(given: tuple[Any, ...]) -> bool:
    """Whether either end is not an integer; ConfigSpace would look at the lower one alone, and round the other."""
    numbers = len(given) == 2 and all(isinstance(end, Real) for end in given)
    whole = numbers and all(isinstance(end, Integral) for end in given)
    return numbers and not whole and not any(isinstance(end, bool) for end in given)
