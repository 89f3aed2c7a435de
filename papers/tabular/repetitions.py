"""The exact bootstrap over the R repetitions of a table of trained networks.

All R^R resamples are weighed, a resample and its permutations computed once (35 of the 256 of R = 4). The interval's
ends are those of `core.report.statistics.student`, as in `core.report.statistics.bootstrap`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations_with_replacement
from math import factorial, prod

import numpy as np

from core.report.runs.memo import once
from core.report.statistics.bootstrap import Interval, intervals_of
from core.report.verdicts.checks import Check, judge
from core.tabular.table import Table


def over_repetitions(table: Table, statistic: Callable[[Table], float], level: float = 0.95) -> Interval:
    """A statistic of a table and its bootstrap interval; learning curves are left out of the resamples."""
    resamples = _resamples(table)
    drawn = np.repeat([statistic(resample) for resample, _ in resamples], [weight for _, weight in resamples])
    estimate = np.array([statistic(replace(table, curves=None))], dtype=float)
    (interval,) = intervals_of(drawn[:, None], estimate, table.repetitions, level)
    return interval


def of_table(
    table: Table,
    statistic: Callable[[Table], float],
    lower: float = -np.inf,
    upper: float = np.inf,
    detail: str = "",
) -> Check:
    """The check of a statistic of a table with its interval over the repetitions; see `judge`."""
    return judge(over_repetitions(table, statistic), lower, upper, detail)


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
    return replace(table, **{name: found[..., chosen] for name, found in stored.items() if found is not None})
