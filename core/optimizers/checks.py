"""Checks of settings: one error that names the setting, its value and what is allowed."""

from __future__ import annotations

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
