"""A space as users give it: a ConfigurationSpace, or a dictionary of the values each hyperparameter may take."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any

from ConfigSpace import ConfigurationSpace

from core.errors import UserError

SpaceLike = ConfigurationSpace | Mapping[str, Any]
ALLOWED = (
    "(low, high) of two numbers with low < high, whole ones for an integer, a list of choices, a single value that "
    "stays constant, or a hyperparameter of ConfigSpace"
)


def as_space(space: SpaceLike) -> ConfigurationSpace:
    """The space itself, or the one that a dictionary describes: {"x": (-5.0, 5.0), "n": (1, 9), "kind": ["a", "b"]}.

    Raises:
        UserError: neither of them, or an entry of the dictionary that is not understood.
    """
    if isinstance(space, ConfigurationSpace):
        return space
    if not isinstance(space, Mapping):
        raise UserError(
            f"space is {space!r}; allowed: a ConfigurationSpace, or a dictionary such as "
            '{"x": (-5.0, 5.0), "n": (1, 9), "kind": ["a", "b"]}'
        )
    entries = {}
    for name, given in space.items():
        try:
            if isinstance(given, (set, frozenset)):
                raise TypeError("a set has no order")
            entries[name] = tuple(map(float, given)) if _is_range_of_floats(given) else given
            ConfigurationSpace({name: entries[name]})
        except Exception as error:
            raise UserError(f"space: {name!r} is {given!r}; allowed: {ALLOWED}") from error
    return ConfigurationSpace(entries)


def _is_range_of_floats(given: Any) -> bool:
    """Whether either end is not an integer; ConfigSpace would look at the lower one alone, and round the other."""
    numbers = isinstance(given, tuple) and len(given) == 2 and all(isinstance(end, Real) for end in given)
    whole = numbers and all(isinstance(end, Integral) for end in given)
    return numbers and not whole and not any(isinstance(end, bool) for end in given)
