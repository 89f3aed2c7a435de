"""Checks of the settings of models, samplers and optimizers: one error that names the setting, its value and what is
allowed. Settings that come from files are checked by pydantic, see `core.foundation.strict`."""

from __future__ import annotations

import math
from collections.abc import Callable
from numbers import Integral, Real

from core.foundation.errors import UserError, brief


def require_count(name: str, value: int, otherwise: str = "", least: int = 1, most: int | None = None) -> int:
    """The value as a Python integer, NumPy's integers included; `otherwise` says what else the setting may be.

    Raises:
        UserError: not a whole number, one below `least`, or one above `most` if there is a limit.
    """
    whole = type(value) is int or (not isinstance(value, bool) and isinstance(value, Integral))
    if not whole or value < least or (most is not None and value > most):
        limit = "" if most is None else f" to {most:,}"
        raise UserError(f"{name} is {brief(value)}; allowed: a whole number from {least}{limit}{otherwise}")
    return int(value)


def require_number(name: str, value: float, fine: Callable[[float], bool], allowed: str) -> None:
    """A real number that satisfies `fine`, which `allowed` describes in words.

    Raises:
        UserError: anything else.
    """
    try:
        wrong = isinstance(value, bool) or not isinstance(value, Real) or not fine(value)
    except OverflowError:  # a whole number too large for a float
        wrong = True
    if wrong:
        raise UserError(f"{name} is {brief(value)}; allowed: {allowed}")


def require_flag(name: str, value: bool) -> bool:
    """The value as a Python boolean, NumPy's included.

    Raises:
        UserError: anything else.
    """
    if not is_flag(value):
        raise UserError(f"{name} is {brief(value)}; allowed: True or False")
    return bool(value)


def is_flag(value: object) -> bool:
    """Whether it is a boolean, of Python or of NumPy, which need not be imported for that."""
    kind = type(value)
    return kind is bool or (kind.__module__ == "numpy" and kind.__name__ in ("bool", "bool_"))


def check_counts(owner: str, **settings: int) -> None:
    """`require_count` for settings of `owner`."""
    for name, value in settings.items():
        require_count(f"{owner}.{name}", value)


def check_positive(owner: str, **settings: float) -> None:
    """Raise UserError for a setting of `owner` that is not a positive finite number."""
    for name, value in settings.items():
        require_number(f"{owner}.{name}", value, lambda number: 0 < number < math.inf, "positive and finite numbers")
