"""What an artifact and its claims derive from the same results, or the same frame, is made once."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar
from weakref import ref

T = TypeVar("T")


def once(function: Callable[..., T]) -> Callable[..., T]:
    """Remember what a function of (subject, *names) returns for as long as that very subject lives.

    What it returns is shared, and the subject is taken to stay as it is, so nobody may change either. An exception is
    not remembered.
    """
    kept: dict[int, tuple[ref, dict[tuple, T]]] = {}

    @wraps(function)
    def remembered(subject: Any, *names: Any) -> T:
        number = id(subject)  # frames have no hash
        if number not in kept:
            kept[number] = (ref(subject, lambda _: kept.pop(number, None)), {})
        found = kept[number][1]
        if names not in found:
            found[names] = function(subject, *names)
        return found[names]

    return remembered
