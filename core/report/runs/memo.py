"""A cache: what an artifact and its claims derive from the same results, or the same frame, is computed once."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar
from weakref import ref

T = TypeVar("T")


def once(function: Callable[..., T]) -> Callable[..., T]:
    """Remember what a function of (subject, *names) returns for as long as that very subject lives.

    The value is shared, and the subject is assumed not to change, so neither may be modified. An exception is
    not remembered.
    """
    kept: dict[int, tuple[ref, dict[tuple, T]]] = {}

    @wraps(function)
    def remembered(subject: Any, *names: Any) -> T:
        number = id(subject)  # frames are not hashable
        if number not in kept:
            kept[number] = (ref(subject, lambda _: kept.pop(number, None)), {})
        memo = kept[number][1]
        if names not in memo:
            memo[names] = function(subject, *names)
        return memo[names]

    return remembered
