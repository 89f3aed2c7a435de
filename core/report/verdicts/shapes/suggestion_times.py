"""Claims about the time of a suggestion: how it grows, and whose is longer; see `core.experiment.suggestion_time`."""

from __future__ import annotations

import numpy as np

from core.experiment.results import Results
from core.report.runs.frames import NotRunError, rows_of
from core.report.statistics.intervals import bootstrap_interval, mean, mean_ratio
from core.report.verdicts.checks import Check, judge, open_where, worded
from core.report.verdicts.shapes.shape import Method, shape


def times(results: Results, method: str) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of observations that all repetitions reached, (n,), and processor seconds (runs, n).

    Raises:
        NotRunError: fewer than two.
    """
    rows = rows_of(results, "suggestion_time", method=method)
    table = rows.pivot(index="run", columns="observations", values="cpu_seconds").dropna(axis="columns")
    if table.shape[1] < 2:
        raise NotRunError(f"suggestion_time/{method}: two numbers of observations")
    return table.columns.to_numpy(dtype=float), table.to_numpy(dtype=float)


def slopes(sizes: np.ndarray, seconds: np.ndarray) -> np.ndarray:
    """Least-squares slope of log seconds over log N of each run, (runs,)."""
    x = np.log(sizes) - np.log(sizes).mean()
    return np.asarray(np.log(seconds) @ x / (x @ x))


NEAR = 0.25  # of an exponent
LARGE = 1000
"""Number of observations from which growth is measured; below it, constant costs make up most of the time."""


@shape
def grows_with_power(results: Results, method: Method, exponent: float, seed: int) -> Check:
    """The slope of log seconds over log N from 1,000 observations on is within a quarter of an exponent.

    Open if there are fewer than two such numbers: then the slope is that between the two largest.
    """
    sizes, seconds = times(results, method)
    first = min(int(np.searchsorted(sizes, LARGE)), len(sizes) - 2)
    interval = bootstrap_interval(slopes(sizes[first:], seconds[:, first:]), mean, seed)
    check = judge(interval, exponent - NEAR, exponent + NEAR)
    check = worded(check, f"{method}, exponent of N from {sizes[first]:.0f} to {sizes[-1]:.0f} observations")
    return open_where(check, f"below {LARGE:,} observations" if sizes[first] < LARGE else "")


@shape
def slower_suggestion(results: Results, slow: Method, fast: Method, seed: int) -> Check:
    """The seconds of one method over those of another at the largest number of observations of both are above 1."""
    (sizes, longer), (other_sizes, shorter) = times(results, slow), times(results, fast)
    both = np.intersect1d(sizes, other_sizes)
    longer, shorter = longer[:, np.isin(sizes, both)], shorter[:, np.isin(other_sizes, both)]
    slower = both[longer.mean(0) > shorter.mean(0)]
    first = f"slower from {slower[0]:.0f} observations on" if len(slower) else "never slower"
    interval = bootstrap_interval((longer[:, -1], shorter[:, -1]), mean_ratio, seed)
    return judge(interval, lower=1.0, detail=f"ratio of seconds at {both[-1]:.0f} observations; {first}")
