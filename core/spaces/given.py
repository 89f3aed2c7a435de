"""A space as users give it: a ConfigurationSpace, or a dictionary of the values each hyperparameter may take."""

from __future__ import annotations

from collections.abc import Mapping
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
    for name, given in space.items():
        try:
            if isinstance(given, (set, frozenset)):
                raise TypeError("a set has no order")
            ConfigurationSpace({name: given})
        except Exception as error:
            raise UserError(f"space: {name!r} is {given!r}; allowed: {ALLOWED}") from error
    return ConfigurationSpace(dict(space))
