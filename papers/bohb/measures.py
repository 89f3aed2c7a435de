"""What the checks measure: regrets of two cells compared, and how much sooner one reaches a level than another.

Cells share no random numbers, so both are resampled on their own. Statistics are of mean curves, which the thesis
draws, as logarithms to base 10: 0.3 is a factor of 2.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from core.report import Check, Interval, bootstrap_interval, judge
from core.report.trajectories import SMALLEST
from papers.bohb.curves import over_time, reaches, rows_of, times_of

SEED = 0


def end_of(rows: pd.DataFrame) -> float:
    """When the first of a cell's runs ended."""
    return float(rows.groupby("run")["time"].max().min())


def log_ratio(
    frame: pd.DataFrame, benchmark: str, above: str, below: str, time: float | None = None, metric: str = "regret"
) -> Interval:
    """Of the mean of `above` over that of `below`, at a time or at the common end.

    Raises:
        NotRunError: one of the two was not run.
    """
    cells = [rows_of(frame, benchmark, method) for method in (above, below)]
    at = np.array([min(map(end_of, cells)) if time is None else time])
    return bootstrap_interval(tuple(over_time(rows, at, metric)[:, 0] for rows in cells), _log_ratio_of_means, SEED)


def lower_than(
    frame: pd.DataFrame,
    benchmark: str,
    better: str,
    worse: str,
    time: float | None = None,
    metric: str = "regret",
    margin: float = 1.0,
) -> Check:
    """`better` is below `worse` times the margin."""
    interval = log_ratio(frame, benchmark, worse, better, time, metric)
    when = "at the end" if time is None else f"at {time:g}"
    detail = f"{benchmark}, {worse} over {better} {when}: {described(interval)}"
    return judge(interval, "below", lower=-np.log10(margin), detail=detail)


def within_factor(
    frame: pd.DataFrame, benchmark: str, first: str, second: str, factor: float, time: float | None = None
) -> Check:
    """Two means differ by less than a factor."""
    interval = log_ratio(frame, benchmark, first, second, time)
    detail = f"{benchmark}, {first} over {second}: {described(interval)}"
    return judge(interval, "alike", lower=-np.log10(factor), upper=np.log10(factor), detail=detail)


def log_speedup(frame: pd.DataFrame, benchmark: str, slow: str, fast: str, level: float | str) -> Interval:
    """Time of `slow` over that of `fast` to reach a level with the mean curve.

    Args:
        level: a regret; "end" for the mean of `slow` when its runs end, "quarter" for that at a quarter of its time.

    Raises:
        NotRunError: one of the two was not run.
    """
    times = times_of(frame, benchmark, [slow, fast])
    slow_rows, fast_rows = (rows_of(frame, benchmark, method) for method in (slow, fast))
    end = end_of(slow_rows)
    place = int(np.searchsorted(times, end if level == "end" else end / 4, side="right")) - 1

    def statistic(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        a, b = a.mean(1), b.mean(1)
        wanted = a[:, place] if isinstance(level, str) else np.full(len(a), level)
        slow_time, fast_time = reaches(a, times, wanted), reaches(b, times, wanted)
        never = np.isinf(slow_time) & np.isinf(fast_time)
        return np.where(never, np.nan, np.log10(np.where(never, 1.0, slow_time)) - np.log10(fast_time))

    samples = (over_time(slow_rows, times), over_time(fast_rows, times))
    return bootstrap_interval(samples, statistic, SEED, n=2000)


def faster(
    frame: pd.DataFrame,
    benchmark: str,
    slow: str,
    fast: str,
    level: float | str,
    between: tuple[float, float],
    said: str,
) -> Check:
    """The speed-up lies between two factors; ours is given as a factor."""
    interval = log_speedup(frame, benchmark, slow, fast, level)
    check = judge(interval, said, *np.log10(between))
    ours, low, high = (float(10.0**value) for value in interval)
    detail = f"{benchmark}, {fast} over {slow}: {ours:.3g} [{low:.3g}, {high:.3g}] times faster"
    return Check(ours, said, low, high, check.holds, detail)


def described(interval: Interval) -> str:
    """An interval of a logarithm, as a factor."""
    estimate, low, high = (10.0**value for value in interval)
    return f"{estimate:.3g} [{low:.3g}, {high:.3g}]"


def _log_ratio_of_means(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.log10(np.maximum(a.mean(1), SMALLEST)) - np.log10(np.maximum(b.mean(1), SMALLEST))
