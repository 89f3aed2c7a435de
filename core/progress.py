"""Callbacks that are told how far a computation has come."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[float], None]
"""Called with the share that is done, from 0 to 1, growing."""


def silent(share: float) -> None:
    """Tells nobody."""


def within(progress: Progress, start: float, stop: float) -> Progress:
    """What a part that leads from one share of the whole to another is given: its own 0 to 1 become start to stop."""
    return lambda share: progress(start + share * (stop - start))
