"""A space in words, by which saved states and journals know whether they belong to it."""

from __future__ import annotations

from keyword import iskeyword
from typing import Any

from ConfigSpace import ConfigurationSpace
from ConfigSpace.hyperparameters import Hyperparameter

from core.spaces.columns import Column


def describe_space(space: ConfigurationSpace) -> list[str]:
    """One text for each hyperparameter, condition and forbidden clause; different spaces have different texts."""
    hyperparameters = [_described(space[name]) for name in space]
    return [*hyperparameters, *map(str, space.conditions), *map(str, space.forbidden_clauses)]


def _described(hyperparameter: Hyperparameter[Any, Any]) -> str:
    """ConfigSpace's text; if it writes different choices alike, such as 1 and "1", their `repr` is used."""
    choices = Column.of(hyperparameter).choices
    text = str(hyperparameter)
    return text if all(map(_is_clear, choices)) else f"{text}, as Python values: {choices!r}"


def _is_clear(choice: Any) -> bool:
    if isinstance(choice, str):
        return choice.isidentifier() and not iskeyword(choice)
    return str(choice) == repr(choice)
