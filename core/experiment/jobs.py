"""What cells ask of a cluster, by what earlier runs took: time, memory, and whether they share a job.

A job that starts Snakemake and Python anew takes longer for that than many cells for their work, and clusters dislike
thousands of tiny jobs. So cells whose time is known to be short share jobs, as many as the profile says
(`group-components`). Snakemake refuses a job that waits for another that waits for the first, as when three cells read
each other's records in a row and the first and last share one; so cells share jobs only with those of the same depth.
A cell whose time nobody recorded has a job of its own, with room for a day.
"""

from __future__ import annotations

from math import ceil
from pathlib import Path

from core.experiment.cells import Cell
from core.experiment.costs import Cost, cost_of

SHORT = "short_"
"""What the kinds of jobs that cells share begin with; the depth of their cells follows."""
SHORT_MINUTES = 30
"""A cell that asks for more time has a job of its own."""
START_MINUTES = 5
"""Time for starting a cell and compiling its code, beside its own."""
TIMES = 3.0
"""How many times the recorded seconds a cell may take: docs/clusters.md says how far off these are."""
MEMORY_TIMES, MEMORY_MORE = 1.5, 500.0
"""How many times the recorded memory, and how many MiB more for the Snakemake that starts it, a cell may have."""
UNKNOWN_MINUTES, UNKNOWN_MEMORY = 24 * 60, 4000
"""What a cell asks for that was never recorded: minutes and MiB."""
SMOKE_MINUTES = 1
"""What a cell at scale smoke takes that was never recorded: all of them take seconds."""


class Jobs:
    """What cells ask for, by the files of a repository as they are when each cell is first asked about.

    Args:
        root: Root of the repository.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._costs: dict[tuple[str, str, tuple[str, ...]], Cost | None] = {}

    def minutes(self, cell: Cell, attempt: int = 1) -> int:
        """The time limit of a cell in minutes; each attempt after the first doubles it."""
        if (cost := self._cost(cell)) is not None:
            known = TIMES * cost.seconds / 60
        elif cell.scale == "smoke":
            known = TIMES * SMOKE_MINUTES
        else:
            return UNKNOWN_MINUTES * 2 ** (attempt - 1)
        return ceil(START_MINUTES + known) * 2 ** (attempt - 1)

    def memory_mb(self, cell: Cell, attempt: int = 1) -> int:
        """The memory of a cell in MiB; each attempt after the first doubles it."""
        cost = self._cost(cell)
        known = UNKNOWN_MEMORY if cost is None else MEMORY_TIMES * cost.memory_mb + MEMORY_MORE
        return ceil(known) * 2 ** (attempt - 1)

    def shared(self, cell: Cell) -> str | None:
        """The kind of job that a cell shares with others; None for a cell that has a job of its own."""
        return f"{SHORT}{depth(cell)}" if self.minutes(cell) <= SHORT_MINUTES else None

    def _cost(self, cell: Cell) -> Cost | None:
        key = (cell.name, cell.scale, cell.overrides)
        if key not in self._costs:
            self._costs[key] = cost_of(cell, self._root)
        return self._costs[key]


def depth(cell: Cell) -> int:
    """How many cells stand behind one another whose records a cell reads: 0 if it reads none."""
    return max((1 + depth(needed) for needed in cell.needs), default=0)
