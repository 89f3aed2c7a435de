"""Checks of the settings of models, samplers and optimizers: one error that names the setting, its value and what is
allowed. Settings that come from files are checked by pydantic, see `core.strict`."""

from __future__ import annotations

import math
from collections.abc import Callable
from numbers import Integral, Real

from core.errors import UserError


def require_count(name: str, value: int, otherwise: str = "", least: int = 1) -> int:
    """The value as a Python integer, NumPy's integers included; `otherwise` says what else the setting may be.

    Raises:
        UserError: not a whole number, or one below `least`.
    """
    if (type(value) is not int and (isinstance(value, bool) or not isinstance(value, Integral))) or value < least:
        raise UserError(f"{name} is {value!r}; allowed: a whole number from {least}{otherwise}")
    return int(value)


def require_number(name: str, value: float, fine: Callable[[float], bool], allowed: str) -> None:
    """A real number that satisfies `fine`, which `allowed` describes in words.

    Raises:
        UserError: anything else.
    """
    if isinstance(value, bool) or not isinstance(value, Real) or not fine(value):
        raise UserError(f"{name} is {value!r}; allowed: {allowed}")


def check_counts(owner: str, **settings: int) -> None:
    """Raise UserError for a setting of `owner` that is not a whole number of at least 1."""
    for name, value in settings.items():
        if not isinstance(value, int) or value < 1:
            raise UserError(f"{owner}.{name}: must be a whole number from 1, got {value!r}")


def check_positive(owner: str, **settings: float) -> None:
    """Raise UserError for a setting of `owner` that is not a positive finite number."""
    for name, value in settings.items():
        if not (value > 0 and math.isfinite(value)):
            raise UserError(f"{owner}.{name}: must be positive and finite, got {value!r}")
