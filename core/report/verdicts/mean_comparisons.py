"""Two cells' regrets at a time: which is lower, and whether they differ by less than a factor.

Cells share no random numbers, so each is resampled on its own. Statistics are of means over the runs of logarithms to
base 10, so that 0.3 is a factor of 2: regrets of runs differ by orders of magnitude, and an arithmetic mean is that of
the worst of them. What the runs cannot decide is `inconclusive`, with the reason in the detail: an end
that one of the methods does not come near, a reason that the caller gives not to compare, and the order of two
values that are both too small to be distinguished.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pandas as pd

from core.report.runs.frames import cell_rows
from core.report.runs.trajectories import SMALLEST, end_of, over_time
from core.report.statistics.intervals import Interval, bootstrap_interval, mean_difference
from core.report.verdicts.checks import Check, judge, open_where

SEED = 0
SAME_END = 1.1  # runs that end further apart have no common end
Cells = Mapping[str, pd.DataFrame]
"""The rows of one benchmark by method."""


def no_reason(cells: Cells) -> str:
    """No reason other than their ends keeps two cells from being compared."""
    return ""


def cells_of(frame: pd.DataFrame, benchmark: str, methods: Sequence[str]) -> dict[str, pd.DataFrame]:
    """The rows of several methods.

    Raises:
        NotRunError: one of them was not run.
    """
    return {method: cell_rows(frame, benchmark, method) for method in methods}


def values_at(cells: Cells, time: float | None = None, metric: str = "regret") -> tuple[tuple[np.ndarray, ...], float]:
    """Values of cells at a time, (runs,) each, and that time; by default the time at which the first run ends."""
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
    reason: Callable[[Cells], str] = no_reason,
) -> Check:
    """`better` is below `worse` times the margin, at a time or at the end. Regrets below the floor count as the floor.

    Args:
        reason: Reason why the two cells cannot be compared whatever their ends are; empty if they can.

    Raises:
        NotRunError: one of the two was not run.
    """
    cells, samples, interval, detail = _ratio(frame, benchmark, worse, better, time, floor)
    check = judge(interval, lower=-np.log10(margin), detail=detail)
    tied = check.holds == "fails" and (samples[1] <= floor).all()
    return open_where(check, no_common_end(cells, time) or reason(cells) or (f"below {floor:g}" if tied else ""))


def within_factor(
    frame: pd.DataFrame,
    benchmark: str,
    first: str,
    second: str,
    factor: float,
    time: float | None = None,
    floor: float = SMALLEST,
    reason: Callable[[Cells], str] = no_reason,
) -> Check:
    """The claim that two geometric means differ by less than a factor.

    Raises:
        NotRunError: one of the two was not run.
    """
    cells, _, interval, detail = _ratio(frame, benchmark, first, second, time, floor)
    check = judge(interval, lower=-np.log10(factor), upper=np.log10(factor), detail=detail)
    return open_where(check, no_common_end(cells, time) or reason(cells))


def no_common_end(cells: Cells, time: float | None = None) -> str:
    """Why cells cannot be compared at a time, or at the end if it is None; empty if they can."""
    ends = {method: end_of(rows) for method, rows in cells.items()}
    first, last = min(ends, key=ends.__getitem__), max(ends, key=ends.__getitem__)
    if time is None and ends[last] > SAME_END * ends[first]:
        return f"{first} ends at {ends[first]:.4g}, {last} at {ends[last]:.4g}"
    if time is not None and time > SAME_END * ends[first]:
        return f"{first} ends at {ends[first]:.4g}"
    return ""


def ends_too_soon(cells: Cells, needed: Mapping[str, float]) -> str:
    """Why cells cannot be compared if some methods need a time to learn; empty if all of them ran longer."""
    for method, rows in cells.items():
        if (end := end_of(rows)) < needed.get(method, 0.0):
            return f"{method} ends at {end:.4g}, and has hardly learned anything before {needed[method]:.4g}"
    return ""


def ratio_of(
    frame: pd.DataFrame,
    benchmark: str,
    first: str,
    second: str,
    time: float | None = None,
    floor: float = SMALLEST,
) -> Interval:
    """The geometric mean of one method over that of another, at a time or at the end of both, as a factor.

    Raises:
        NotRunError: one of the two was not run.
    """
    interval = _ratio(frame, benchmark, first, second, time, floor)[2]
    return Interval(*(10.0**value for value in interval))


def logarithms(samples: Sequence[np.ndarray], floor: float = SMALLEST) -> tuple[np.ndarray, ...]:
    """Logarithms of samples, none below that of the floor. Take them before resampling: there are far fewer then."""
    return tuple(np.log10(np.maximum(values, floor)) for values in samples)


def means(samples: Sequence[np.ndarray]) -> np.ndarray:
    """Means over the runs of resamples (batch, runs): (samples, batch)."""
    return np.array([values.mean(1) for values in samples])


def as_factor(interval: Interval) -> str:
    """An interval of a logarithm in words, as a factor."""
    return Interval(*(10.0**value for value in interval)).text()


def _ratio(
    frame: pd.DataFrame, benchmark: str, first: str, second: str, time: float | None, floor: float
) -> tuple[dict[str, pd.DataFrame], tuple[np.ndarray, ...], Interval, str]:
    """Two cells, their values at the time, the difference of their mean logarithms, and that ratio in words."""
    cells = cells_of(frame, benchmark, [first, second])
    samples, at = values_at(cells, time)
    interval = bootstrap_interval(logarithms(samples, floor), mean_difference, SEED)
    detail = f"{benchmark}, {first} over {second} at {at:.4g}: {as_factor(interval)}"
    if below := sum(int((values < floor).sum()) for values in samples):
        detail += f" ({below} below {floor:g} count as that)"
    return cells, samples, interval, detail
