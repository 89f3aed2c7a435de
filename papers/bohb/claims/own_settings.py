"""Shapes of the claims about BOHB's own settings (6.3.1, C.6), on the surrogates."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from core.experiment.results import Results
from core.report import Check, bootstrap_interval, frame_of, judge, open_where
from core.report.runs.time_curves import end_of, over_time
from core.report.verdicts.mean_comparisons import SEED, as_factor, cells_of, logarithms, means, values_at
from core.report.verdicts.shapes.shape import Benchmark, Experiments, Method, Methods, shape
from papers.bohb.claims.comparisons import cannot_compare
from papers.bohb.names import RESOLUTION


@shape
def near_best(
    results: Results, runs: Experiments, benchmark: Benchmark, default: Method, methods: Methods, factor: float
) -> Check:
    """The default's final regret is below a factor times that of the best value."""
    place = methods.index(default)

    def statistic(*samples: np.ndarray) -> np.ndarray:
        logs = means(samples)
        return logs[place] - logs.min(0)

    return _final(frame_of(results, *runs), benchmark, methods, statistic, factor)


@shape
def all_alike(results: Results, runs: Experiments, benchmark: Benchmark, methods: Methods, factor: float) -> Check:
    """The worst value's final regret is below a factor times that of the best."""

    def statistic(*samples: np.ndarray) -> np.ndarray:
        return np.ptp(means(samples), axis=0)

    return _final(frame_of(results, *runs), benchmark, methods, statistic, factor)


@shape
def gains_late(
    results: Results, runs: Experiments, benchmark: Benchmark, better: Method, worse: Method, early: float
) -> Check:
    """One method gains more over another at the end than it does early.

    Where all runs of a cell are below the resolution at one of the times, a gain is known up to a bound only.
    """
    cells = cells_of(frame_of(results, *runs), benchmark, [worse, better])
    times = np.array([early, min(map(end_of, cells.values()))])
    samples = tuple(over_time(rows, times) for rows in cells.values())

    def statistic(other: np.ndarray, ours: np.ndarray) -> np.ndarray:
        first, last = (np.subtract(*means((other[..., i], ours[..., i]))) for i in (0, 1))
        return last - first

    interval = bootstrap_interval(logarithms(samples, RESOLUTION), statistic, SEED)
    detail = f"{benchmark}, gain at {times[1]:.4g} over that at {times[0]:.4g}: {as_factor(interval)}"
    check = judge(interval, lower=0, detail=detail)
    below = any((values <= RESOLUTION).all(0).any() for values in samples)
    short = cannot_compare(cells) or cannot_compare(cells, early)
    return open_where(check, short or (f"below {RESOLUTION:g}" if below else ""))


def _final(
    frame: pd.DataFrame, benchmark: str, methods: Sequence[str], statistic: Callable[..., np.ndarray], below: float
) -> Check:
    """Check that a statistic of the logarithms of regrets, where the first method ends, is below a factor."""
    cells = cells_of(frame, benchmark, methods)
    samples, at = values_at(cells)
    interval = bootstrap_interval(logarithms(samples, RESOLUTION), statistic, SEED)
    detail = f"{benchmark} at {at:.4g}: {as_factor(interval)} times the best"
    return open_where(judge(interval, upper=np.log10(below), detail=detail), cannot_compare(cells))
