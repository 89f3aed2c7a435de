"""Checks of settings: one error that names the setting, its value and what is allowed."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real

from core.errors import UserError


def require_count(name: str, value: int | None, otherwise: str = "") -> None:
    """A whole number from 1; `otherwise` says what else the setting may be.

    Raises:
        UserError: anything else.
    """
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise UserError(f"{name} is {value!r}; allowed: a whole number from 1{otherwise}")


def require_number(name: str, value: float, fine: Callable[[float], bool], allowed: str) -> None:
    """A real number that is `fine`, which `allowed` says in words.

    Raises:
        UserError: anything else.
    """
    if isinstance(value, bool) or not isinstance(value, Real) or not fine(value):
        raise UserError(f"{name} is {value!r}; allowed: {allowed}")
