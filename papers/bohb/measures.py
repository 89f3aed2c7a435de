"""What the checks compare: regrets of cells at a time, or when the first of their runs ends.

Cells share no random numbers, so each is resampled on its own. Statistics are of mean curves, which the thesis draws,
as logarithms to base 10: 0.3 is a factor of 2. What the runs cannot decide is open, which is `inconclusive` with the
reason in the detail: an end that one of the methods does not come near, TPE before it has a model, a sentence about
methods of which one was not run, and an order of two regrets that are both below what can be told apart.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from core.report import Check, Interval, bootstrap_interval, judge
from core.report.memo import once
from core.report.trajectories import SMALLEST, cell_rows
from papers.bohb.curves import over_time

SEED = 0
CLEARLY = 1 / 1.5  # margin of what the thesis calls "much", "clearly" or "substantially" better
SAME_END = 1.1  # runs that end further apart have no common end
MODEL = 30  # full evaluations before which TPE, whose first 20 configurations are random, has hardly a model
RESOLUTION = 1e-4  # of a surrogate's error: one of 10,000 validation images


@once
def end_of(rows: pd.DataFrame) -> float:
    """When the first of a cell's runs ended."""
    return float(rows.groupby("run")["time"].max().min())


def cells_of(frame: pd.DataFrame, benchmark: str, methods: Sequence[str]) -> dict[str, pd.DataFrame]:
    """The rows of several methods.

    Raises:
        NotRunError: one of them was not run.
    """
    return {method: cell_rows(frame, benchmark, method) for method in methods}


def values_at(
    cells: Mapping[str, pd.DataFrame], time: float | None = None, metric: str = "regret"
) -> tuple[tuple[np.ndarray, ...], float]:
    """Values of cells at a time, (runs,) each, and that time: where none is given the first end of a run."""
    at = min(map(end_of, cells.values())) if time is None else time
    return tuple(over_time(rows, np.array([at]), metric)[:, 0] for rows in cells.values()), at


def lower_than(
    frame: pd.DataFrame,
    benchmark: str,
    better: str,
    worse: str,
    time: float | None = None,
    margin: float = 1.0,
    floor: float = SMALLEST,
) -> Check:
    """`better` is below `worse` times the margin, at a time or at the end. Regrets below the floor count as the floor.

    Raises:
        NotRunError: one of the two was not run.
    """
    cells, samples, interval, detail = _ratio(frame, benchmark, worse, better, time, floor)
    check = judge(interval, "below", lower=-np.log10(margin), detail=detail)
    tied = check.holds == "fails" and samples[1].mean() <= floor
    return open_where(check, cannot_compare(cells, time) or (f"below {floor:g}" if tied else ""))


def within_factor(
    frame: pd.DataFrame,
    benchmark: str,
    first: str,
    second: str,
    factor: float,
    time: float | None = None,
    floor: float = SMALLEST,
) -> Check:
    """Two means differ by less than a factor.

    Raises:
        NotRunError: one of the two was not run.
    """
    cells, _, interval, detail = _ratio(frame, benchmark, first, second, time, floor)
    check = judge(interval, "alike", lower=-np.log10(factor), upper=np.log10(factor), detail=detail)
    return open_where(check, cannot_compare(cells, time))


def cannot_compare(cells: Mapping[str, pd.DataFrame], time: float | None = None) -> str:
    """Why cells cannot be compared at a time, or at the end where it is None; empty where they can."""
    ends = {method: end_of(rows) for method, rows in cells.items()}
    first, last = min(ends, key=ends.__getitem__), max(ends, key=ends.__getitem__)
    if time is None and ends[last] > SAME_END * ends[first]:
        return f"{first} ends at {ends[first]:.4g}, {last} at {ends[last]:.4g}"
    if time is not None and time > SAME_END * ends[first]:
        return f"{first} ends at {ends[first]:.4g}"
    return before_the_model(cells)


def before_the_model(cells: Mapping[str, pd.DataFrame]) -> str:
    """That TPE is among the cells and ends before it has a model; else empty."""
    if "tpe" in cells and end_of(cells["tpe"]) < MODEL:
        return f"tpe ends at {end_of(cells['tpe']):.4g}, its first 20 evaluations are random"
    return ""


def open_where(check: Check, reason: str) -> Check:
    """The check, or for a reason an open one that gives it."""
    return replace(check, holds="inconclusive", detail=f"{check.detail} ({reason})") if reason else check


def log_means(samples: Sequence[np.ndarray], floor: float = SMALLEST) -> np.ndarray:
    """Logarithms of the means of samples (batch, runs), those below the floor being the floor: (samples, batch)."""
    return np.log10(np.maximum([values.mean(1) for values in samples], floor))


def described(interval: Interval) -> str:
    """An interval of a logarithm, as a factor."""
    estimate, low, high = (10.0**value for value in interval)
    return f"{estimate:.3g} [{low:.3g}, {high:.3g}]"


def _ratio(
    frame: pd.DataFrame, benchmark: str, first: str, second: str, time: float | None, floor: float
) -> tuple[dict[str, pd.DataFrame], tuple[np.ndarray, ...], Interval, str]:
    """Two cells, their values at the time, the logarithm of the mean of the first over the second's, and words."""
    cells = cells_of(frame, benchmark, [first, second])
    samples, at = values_at(cells, time)
    interval = bootstrap_interval(samples, lambda a, b: np.subtract(*log_means((a, b), floor)), SEED)
    return cells, samples, interval, f"{benchmark}, {first} over {second} at {at:.4g}: {described(interval)}"
