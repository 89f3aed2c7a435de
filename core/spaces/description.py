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
