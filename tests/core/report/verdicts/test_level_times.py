"""Median times to a level: known where enough runs reach it, bounded where they do not."""

from __future__ import annotations

import pandas as pd
import pytest

from core.report.verdicts.speedups import median_time


def runs(reached: list[float], end: float) -> pd.DataFrame:
    """Runs whose regret falls from 1 to 0 at these times."""
    rows = [
        (run, time, regret) for run, at in enumerate(reached) for time, regret in ((1.0, 1.0), (at, 0.0), (end, 0.0))
    ]
    frame = pd.DataFrame(rows, columns=["run", "time", "regret"])
    return frame[frame["time"] <= end].assign(benchmark="svm", method="gp")


def test_the_median_of_times():
    factor = median_time(runs([10.0, 100.0, 1000.0], 2000.0), "svm", "gp", 0.5)
    assert factor.value == pytest.approx(100.0) and factor.ends[0] < 100 < factor.ends[1]


def test_a_median_beyond_the_end_is_bounded_below():
    frame = runs([10.0, 5000.0, 5000.0], 2000.0)
    frame.loc[frame["run"] > 0, "regret"] = 1.0
    factor = median_time(frame, "svm", "gp", 0.5)
    assert factor.value == "> 2e+03"
