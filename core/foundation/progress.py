"""Callbacks that report how far a computation has come."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[float], None]
"""Called with the share that is done, increasing from 0 to 1."""


def silent(share: float) -> None:
    """Report nothing."""


def within(progress: Progress, start: float, stop: float) -> Progress:
    """The callback for a part that leads from one share of the whole to another: its 0 to 1 become start to stop."""
    return lambda share: progress(start + share * (stop - start))
