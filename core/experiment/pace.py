"""Seconds left: of the cell that is being computed, and of all cells that one command runs.

The rest of a cell is estimated by its own speed, elapsed (1 - s) / s at the share s of what was missing at its start,
and by records of earlier runs, with weights s and 1 - s. Later cells are estimated by their records, times how much
slower this machine has been on the cells before.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence


class Pace:
    """Progress through cells in their order.

    Args:
        estimates: Recorded seconds of each cell; None if nothing is known.
        clock: Monotonic clock in seconds.
    """

    def __init__(self, estimates: Sequence[float | None], clock: Callable[[], float] = time.monotonic) -> None:
        self._estimates, self._clock = list(estimates), clock
        self._current = -1
        self._start = self._elapsed_before = self._recorded_before = 0.0
        self._first: float | None = None
        self.fraction = 0.0

    def begin(self) -> None:
        """Note that the next cell begins."""
        self._current += 1
        self._start, self._first, self.fraction = self._clock(), None, 0.0

    def update(self, fraction: float) -> None:
        """Note that this fraction of the cell is done; the first value is what an earlier attempt had done."""
        if self._first is None:
            self._first = min(fraction, 1.0)
        self.fraction = min(max(fraction, self.fraction), 1.0)

    def end(self) -> None:
        """Note that the cell is finished. A cell that was finished before says nothing about the machine's speed."""
        estimate, missing = self._estimates[self._current], 1 - (self._first or 0.0)
        if estimate and missing > 0:
            self._elapsed_before += self.elapsed
            self._recorded_before += estimate * missing
        self.fraction = 1.0

    @property
    def elapsed(self) -> float:
        """Seconds since the cell began."""
        return self._clock() - self._start

    @property
    def cell_left(self) -> float | None:
        """Seconds until the cell is finished; None if nothing is known."""
        if self.fraction >= 1:
            return 0.0
        first, estimate = self._first or 0.0, self._estimates[self._current]
        share = (self.fraction - first) / (1 - first) if first < 1 else 1.0
        recorded = None if estimate is None else max(estimate * self._speed * (1 - first) - self.elapsed, 0.0)
        if share <= 0:
            return recorded
        measured = self.elapsed * (1 - share) / share
        return measured if recorded is None else share * measured + (1 - share) * recorded

    @property
    def all_left(self) -> tuple[float | None, int]:
        """Seconds until all cells with an estimate are finished, and the number of cells without one."""
        later = self._estimates[self._current + 1 :]
        parts = [self.cell_left, *(None if estimate is None else estimate * self._speed for estimate in later)]
        known = [part for part in parts if part is not None]
        return (sum(known) if known else None), len(parts) - len(known)

    @property
    def _speed(self) -> float:
        """How much longer cells take here than recorded; 1 until ten seconds of records have been compared."""
        return self._elapsed_before / self._recorded_before if self._recorded_before >= 10 else 1.0
