"""One set of runs against another: for each numeric column the difference of means with its 95% interval.

Repetitions of the same number share seeds and splits, so where both sides have such, each of ours is paired with theirs
and the interval is Student's, of the pairs' differences. Otherwise both are independent samples, and it is Welch's.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
import pandas as pd

from core.experiment.agreement import ROUNDING
from core.report.verdicts.cells import Estimate, our_estimate, welch_interval

ZERO = Estimate(0.0, 0.0, math.inf)
"""What is known without an error: the interval of a difference from it is Student's."""


@dataclass(frozen=True)
class Difference:
    """One column: both means over the runs compared, how many these are, and the interval of ours - theirs.

    paired: Whether each run is compared with the other side's of the same number; both means are over these alone.
    apart: The largest difference in a pair, in units of the column's largest number; infinite without pairs.
    measured: Whether the column depends on the speed of the machine, which no rerun reproduces.
    """

    metric: str
    ours: float
    our_runs: int
    theirs: float
    their_runs: int
    low: float
    high: float
    paired: bool = False
    apart: float = math.inf
    measured: bool = False

    @property
    def difference(self) -> float:
        return self.ours - self.theirs

    @property
    def compared(self) -> str:
        """`2 pairs`, or of independent samples `2 and 20 runs`."""
        if self.paired:
            return f"{self.our_runs} pair{'' if self.our_runs == 1 else 's'}"
        return f"{self.our_runs} and {self.their_runs} runs"

    @property
    def verdict(self) -> str:
        """`equal` where all runs are, `equal up to rounding` where all pairs are; else whether the interval has 0."""
        if self.measured:
            return "measured"
        if self.apart <= ROUNDING:
            return "equal up to rounding" if self.apart else "equal"
        if math.isnan(self.low) or math.isinf(self.high):
            return "too few runs"
        if self.low <= 0 <= self.high:
            return "equal" if self.low == self.high else "no difference seen"
        return "differs"


def differences(ours: pd.DataFrame, theirs: pd.DataFrame, measured: Collection[str] = ()) -> list[Difference]:
    """The difference in every column that both have.

    Args:
        ours, theirs: (runs, columns) each, indexed by run, as made by `core.experiment.per_run`.
        measured: The columns that depend on the speed of the machine, by their names there.
    """
    common = ours.index.intersection(theirs.index)
    compare = _independent if common.empty else _paired
    if not common.empty:
        ours, theirs = ours.loc[common], theirs.loc[common]
    names = [name for name in ours.columns if name in theirs.columns]
    return [compare(name, ours[name].to_numpy(float), theirs[name].to_numpy(float), name in measured) for name in names]


def _paired(metric: str, ours: np.ndarray, theirs: np.ndarray, measured: bool) -> Difference:
    finite = np.isfinite(ours) & np.isfinite(theirs)
    ours, theirs = ours[finite], theirs[finite]
    (mine, runs), (other, _), (change, _) = map(_estimate, (ours, theirs, ours - theirs))
    low, high = welch_interval(change, ZERO) if runs else (math.nan, math.nan)
    apart = math.inf
    if runs:
        size = max(np.abs(ours).max(), np.abs(theirs).max(), np.finfo(float).tiny)
        apart = float(np.abs(ours - theirs).max() / size)
    return Difference(metric, mine.mean, runs, other.mean, runs, low, high, True, apart, measured)


def _independent(metric: str, ours: np.ndarray, theirs: np.ndarray, measured: bool) -> Difference:
    (mine, our_runs), (other, their_runs) = map(_estimate, (ours, theirs))
    low, high = (math.nan, math.nan) if not (our_runs and their_runs) else _interval(mine, other)
    return Difference(metric, mine.mean, our_runs, other.mean, their_runs, low, high, measured=measured)


def _estimate(values: np.ndarray) -> tuple[Estimate, int]:
    finite = values[np.isfinite(values)]
    return (our_estimate(finite) if finite.size else Estimate(math.nan, math.nan, 0)), finite.size


def _interval(ours: Estimate, theirs: Estimate) -> tuple[float, float]:
    if math.isnan(theirs.error):  # a single run of theirs; `welch_interval` handles a single run of ours only
        return -math.inf, math.inf
    return welch_interval(ours, theirs)
