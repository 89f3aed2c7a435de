"""Whether the iterative fits behind a run converged: counted where they happen, kept in the provenance of its records.

    with counting() as fits:
        ...                                   # fits say how they ended: `ended("ABLR", steps, converged, slope)`
    fits["ABLR"].unconverged                  # how many stopped at their largest number of steps

Nothing is counted outside such a block. Records and settings do not depend on it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike


@dataclass
class Fits:
    """Fits of one kind.

    Attributes:
        fits: Their number.
        unconverged: How many of them stopped at their largest number of steps before a criterion held.
        steps: The steps that all of them took.
        largest_slope: Largest of the measures of what was left to gain, such as the norm of the last gradient.
    """

    fits: int = 0
    unconverged: int = 0
    steps: int = 0
    largest_slope: float = 0.0

    def add(self, other: Fits) -> None:
        """Count those of another, too."""
        self.fits += other.fits
        self.unconverged += other.unconverged
        self.steps += other.steps
        self.largest_slope = max(self.largest_slope, other.largest_slope)


_counted: ContextVar[dict[str, Fits] | None] = ContextVar("fits", default=None)


@contextmanager
def counting() -> Iterator[dict[str, Fits]]:
    """Count the fits that end inside, by kind."""
    counts: dict[str, Fits] = {}
    token = _counted.set(counts)
    try:
        yield counts
    finally:
        _counted.reset(token)


def ended(kind: str, steps: ArrayLike, converged: ArrayLike, slope: ArrayLike) -> None:
    """Say how fits ended, one or several at once.

    Args:
        kind: Name of what was fitted.
        steps: Number of steps of each, (fits,) or a number.
        converged: Whether a criterion ended it, not the largest number of steps.
        slope: What was left to gain, see `Fits`; infinite or nan where it is not known to be finite.
    """
    if (counts := _counted.get()) is None:
        return
    steps, converged, slope = (np.atleast_1d(np.asarray(each)) for each in (steps, converged, slope))
    largest = float(np.nan_to_num(slope.astype(float), nan=np.inf).max())
    ones = Fits(len(steps), int((~converged.astype(bool)).sum()), int(steps.sum()), largest)
    counts.setdefault(kind, Fits()).add(ones)


def so_far() -> dict[str, dict[str, Any]]:
    """What has been counted in the innermost block, as plain numbers; nothing outside of one."""
    return as_record(_counted.get() or {})


def as_record(counts: Mapping[str, Fits]) -> dict[str, dict[str, Any]]:
    """The counts as plain numbers, by kind."""
    return {kind: asdict(fits) for kind, fits in sorted(counts.items())}


def together(records: Iterable[Mapping[str, Mapping[str, Any]]]) -> dict[str, dict[str, Any]]:
    """The counts of several records in one."""
    counts: dict[str, Fits] = {}
    for record in records:
        for kind, fits in record.items():
            counts.setdefault(kind, Fits()).add(Fits(**fits))
    return as_record(counts)
