"""One set of runs against another: for each numeric column the difference of means with its 95% interval (Welch)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd

from core.report.verdicts import Estimate, our_estimate, welch_interval


@dataclass(frozen=True)
class Difference:
    """One column: both means over the finite runs, how many runs that is, and the interval of ours - theirs."""

    metric: str
    ours: float
    our_runs: int
    theirs: float
    their_runs: int
    low: float
    high: float

    @property
    def difference(self) -> float:
        return self.ours - self.theirs

    @property
    def verdict(self) -> str:
        """Whether the interval contains zero: `differs`, or `no difference seen`; `equal` where all runs are equal."""
        if math.isnan(self.low) or math.isinf(self.high):
            return "too few runs"
        if self.low <= 0 <= self.high:
            return "equal" if self.low == self.high else "no difference seen"
        return "differs"


def differences(ours: pd.DataFrame, theirs: pd.DataFrame) -> list[Difference]:
    """The difference in every column that both have, (runs, columns) each, as made by `core.experiment.per_run`."""
    found = []
    for metric in (name for name in ours.columns if name in theirs.columns):
        mine, other = (_estimate(frame[metric].to_numpy(float)) for frame in (ours, theirs))
        low, high = (math.nan, math.nan)
        if not (math.isnan(mine[0].mean) or math.isnan(other[0].mean)):
            low, high = _interval(mine[0], other[0])
        found.append(Difference(metric, mine[0].mean, mine[1], other[0].mean, other[1], low, high))
    return found


def _estimate(values: np.ndarray) -> tuple[Estimate, int]:
    finite = values[np.isfinite(values)]
    return (our_estimate(finite) if finite.size else Estimate(math.nan, math.nan, 0)), finite.size


def _interval(ours: Estimate, theirs: Estimate) -> tuple[float, float]:
    if math.isnan(theirs.error):  # a single run of theirs; `welch_interval` handles a single run of ours only
        return -math.inf, math.inf
    return welch_interval(ours, theirs)
