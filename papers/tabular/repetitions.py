"""The exact bootstrap over the R repetitions of a table of trained networks.

All R^R resamples are weighed, a resample and its permutations computed once (35 of the 256 of R = 4). The interval's
ends are those of `core.report.statistics.intervals`, as in `core.report.statistics.intervals`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import combinations_with_replacement
from math import factorial, prod

import numpy as np

from core.report.runs.frames import once
from core.report.statistics.intervals import Interval, intervals_of
from core.tabular.table import Table


@dataclass(frozen=True)
class Resamples:
    """A statistic and its values on resamples: a few dozen numbers from which an interval follows without the table.

    Attributes:
        estimate: Value of what was resampled.
        drawn: Values on the different resamples, (k,).
        weights: How often each of these is drawn, (k,).
        size: How many things were resampled: repetitions, or configurations.
    """

    estimate: float
    drawn: np.ndarray
    weights: np.ndarray
    size: int

    def interval(self, level: float = 0.95) -> Interval:
        """The estimate and the ends of its bootstrap interval."""
        drawn = np.repeat(self.drawn, self.weights)[:, None]
        (interval,) = intervals_of(drawn, np.array([self.estimate]), self.size, level)
        return interval


def over_repetitions(table: Table, statistic: Callable[[Table], float]) -> Resamples:
    """A statistic of a table on all resamples of its repetitions; learning curves are left out of these."""
    resamples = _resamples(table)
    drawn = np.array([statistic(resample) for resample, _ in resamples], dtype=float)
    weights = np.array([weight for _, weight in resamples])
    return Resamples(float(statistic(replace(table, curves=None))), drawn, weights, table.repetitions)


@once
def _resamples(table: Table) -> list[tuple[Table, int]]:
    """Every resample of a table without its learning curves, and how often it is drawn; claims share them."""
    table = replace(table, curves=None)
    drawn = combinations_with_replacement(range(table.repetitions), table.repetitions)
    return [(resampled(table, picks), _permutations(picks)) for picks in drawn]


def _permutations(picks: tuple[int, ...]) -> int:
    """How many ordered draws are the same but for their order."""
    return factorial(len(picks)) // prod(map(factorial, Counter(picks).values()))


def resampled(table: Table, picks: tuple[int, ...]) -> Table:
    """The table with these repetitions, some of them repeated."""
    chosen = list(picks)
    stored = {name: getattr(table, name) for name in ("train_mse", "valid_mse", "test_mse", "seconds")}
    return replace(table, **{name: values[..., chosen] for name, values in stored.items() if values is not None})
