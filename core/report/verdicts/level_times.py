"""How much sooner the median run of one method first reaches a level than that of another.

The time at which each run first reaches the level counts, even if a recommendation is worse again later. A run that
ends before is known only up to a bound, and so are ratios of medians; bounds and intervals are those of `speedups`.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from core.report.runs.frames import cell_rows, split_runs
from core.report.statistics.bootstrap import bootstrap_intervals
from core.report.verdicts.speedups import RESAMPLES, SEED, BoundedFactor
from core.study.curves import time_to


def times_to_level(rows: pd.DataFrame, level: float, metric: str = "regret") -> np.ndarray:
    """When each of a cell's runs first reached a level, and when it ended, (runs, 2); infinite where it never did."""
    runs = split_runs(rows, "time", metric)
    return np.array([(float(time_to(values, times, level)), times[-1]) for times, values in runs])


def median_speedup(
    frame: pd.DataFrame, benchmark: str, slow: str, fast: str, level: float, metric: str = "regret"
) -> BoundedFactor:
    """The median time of `slow` over that of `fast`, as logarithms to base 10.

    Raises:
        NotRunError: one of the two was not run.
    """
    samples = tuple(times_to_level(cell_rows(frame, benchmark, method), level, metric) for method in (slow, fast))

    def bounds(*drawn: np.ndarray) -> np.ndarray:
        reached = [np.log10(np.median(times[..., 0], axis=1)) for times in drawn]
        at_least = [np.log10(np.median(times.min(-1), axis=1)) for times in drawn]
        return np.stack([at_least[0] - reached[1], reached[0] - at_least[1]], axis=1)

    return BoundedFactor(*bootstrap_intervals(samples, bounds, SEED, RESAMPLES))


def median_time(
    frame: pd.DataFrame, benchmark: str, method: str, level: float, metric: str = "regret"
) -> BoundedFactor:
    """The median time at which a method's runs first reached a level, as a logarithm to base 10.

    Raises:
        NotRunError: it was not run.
    """
    times = times_to_level(cell_rows(frame, benchmark, method), level, metric)

    def bounds(drawn: np.ndarray) -> np.ndarray:
        return np.log10(np.stack([np.median(drawn.min(-1), axis=1), np.median(drawn[..., 0], axis=1)], axis=1))

    return BoundedFactor(*bootstrap_intervals((times,), bounds, SEED, RESAMPLES))
