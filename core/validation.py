"""Checks of the settings of models, samplers and optimizers: one error that names the setting, its value and what is
allowed. Settings that come from files are checked by pydantic, see `core.strict`."""

from __future__ import annotations

import math
from collections.abc import Callable
from numbers import Integral, Real

from core.errors import UserError, brief


def require_count(name: str, value: int, otherwise: str = "", least: int = 1) -> int:
    """The value as a Python integer, NumPy's integers included; `otherwise` says what else the setting may be.

    Raises:
        UserError: not a whole number, or one below `least`.
    """
    if (type(value) is not int and (isinstance(value, bool) or not isinstance(value, Integral))) or value < least:
        raise UserError(f"{name} is {brief(value)}; allowed: a whole number from {least}{otherwise}")
    return int(value)


def require_number(name: str, value: float, fine: Callable[[float], bool], allowed: str) -> None:
    """A real number that satisfies `fine`, which `allowed` describes in words.

    Raises:
        UserError: anything else.
    """
    if isinstance(value, bool) or not isinstance(value, Real) or not fine(value):
        raise UserError(f"{name} is {brief(value)}; allowed: {allowed}")


def check_counts(owner: str, **settings: int) -> None:
    """`require_count` for settings of `owner`."""
    for name, value in settings.items():
        require_count(f"{owner}.{name}", value)


def check_positive(owner: str, **settings: float) -> None:
    """Raise UserError for a setting of `owner` that is not a positive finite number."""
    for name, value in settings.items():
        require_number(f"{owner}.{name}", value, lambda number: 0 < number < math.inf, "positive and finite numbers")
