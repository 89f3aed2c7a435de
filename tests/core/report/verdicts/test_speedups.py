"""Speed-ups, against curves whose answers are known in closed form.

Median times to a level: known where enough runs reach it, bounded where they do not.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.report.verdicts.checks import Check
from core.report.verdicts.speedups import Bounds, Curves, Pair, judge_factor, median, median_time, speedup, spread
from tests.core.report.made_runs import made


def faster(frame: pd.DataFrame, between: tuple[float, float]) -> Check:
    """The claim that BOHB is faster than random search to a regret of 0.1 by a factor between two others."""
    return judge_factor(speedup(Pair.of(frame, "d8", "random", "bohb", 0.1)), between)


def test_a_speed_up_in_closed_form():
    frame = pd.concat([made("d8", "random", 1, 0.5), made("d8", "bohb", 0.2, 0.5, first=0.01)])
    check = faster(frame, (20, 30))
    assert check.holds == "holds" and check.low <= check.ours <= check.high
    assert check.ours == pytest.approx(25, rel=0.1)  # both times are multiples of steps of 3 to 5%


@pytest.mark.parametrize(
    "between, holds", [((1.0, np.inf), "fails"), ((0.0, 1.0), "holds"), ((0.0, 0.01), "inconclusive")]
)
def test_a_fast_method_that_does_not_arrive_has_a_largest_speed_up(between, holds):
    """The fast one has not got there in 512, the slow one in 100; times are multiples of steps of 5%."""
    frame = pd.concat([made("d8", "random", 1, 0.5), made("d8", "bohb", 10, 0.0)])
    check = faster(frame, between)
    assert check.holds == holds and np.isnan(check.low) and np.isnan(check.high)
    assert check.ours[:2] == "< " and float(check.ours[2:]) == pytest.approx(100 / 512, rel=0.1)


def test_a_slow_method_that_does_not_arrive_has_a_smallest_speed_up():
    frame = pd.concat([made("d8", "random", 10, 0.0), made("d8", "bohb", 1, 0.5)])
    outcomes = {between: faster(frame, between) for between in ((4, np.inf), (4, 9))}
    assert [check.holds for check in outcomes.values()] == ["holds", "inconclusive"]
    for check in outcomes.values():
        assert check.ours[:2] == "> " and float(check.ours[2:]) == pytest.approx(512 / 100, rel=0.1)
    frame = frame.assign(regret=frame["regret"] + 1)
    assert str(speedup(Pair.of(frame, "d8", "random", "bohb", 0.1))) == "unknown [?, ?]"


def test_nobody_arrives_before_the_first_incumbent():
    frame = pd.concat([made("d8", "tpe", 0.05, 0.5, first=1.0), made("d8", "bohb", 0.05, 0.5, first=0.01)])
    assert speedup(Pair.of(frame, "d8", "tpe", "bohb", 0.4)).value == pytest.approx(
        1 / 0.0156, rel=0.15
    )  # steps of 10%


@given(
    st.lists(st.floats(0.001, 1), min_size=4, max_size=12),
    st.lists(st.floats(0.001, 1), min_size=4, max_size=12),
    st.floats(0.001, 1),
    st.integers(1, 4),
    st.integers(1, 4),
)
def test_bounds_of_runs_that_were_cut_hold_the_speed_up_of_the_whole_runs(slow, fast, level, keep_slow, keep_fast):
    times = np.geomspace(1, 50, 12)

    def curves(values: list[float], keep: int | None) -> Curves:
        best = np.minimum.accumulate(np.pad(values, (0, len(times) - len(values)), mode="edge"))
        if keep is not None:  # as `over_time` has runs after their end
            best[keep:] = best[keep - 1]
        return Curves(best[None], times, times[-1 if keep is None else keep - 1])

    def log_speedup(keep_slow: int | None, keep_fast: int | None) -> Bounds:
        a, b = curves(slow, keep_slow), curves(fast, keep_fast)
        return Pair(a, b, level).log_speedup(a.values[None], b.values[None])

    whole, cut = log_speedup(None, None), log_speedup(keep_slow, keep_fast)
    assert cut.low[0] <= whole.low[0] + 1e-12 and whole.high[0] <= cut.high[0] + 1e-12


def test_medians_and_spreads_of_bounds():
    def bounds(low: float, high: float) -> Bounds:
        return Bounds(np.array([low]), np.array([high]))

    exact, least, most = bounds(1, 1), bounds(2, np.inf), bounds(-np.inf, 3)
    assert (median([exact, least, most]).low[0], median([exact, least, most]).high[0]) == (1, 3)
    assert (spread([exact, least]).low[0], spread([exact, least]).high[0]) == (1, np.inf)
    assert spread([exact, most]).low[0] == 0


def runs(reached: list[float], end: float) -> pd.DataFrame:
    """Runs whose regret falls from 1 to 0 at these times."""
    rows = [
        (run, time, regret) for run, at in enumerate(reached) for time, regret in ((1.0, 1.0), (at, 0.0), (end, 0.0))
    ]
    frame = pd.DataFrame(rows, columns=["run", "finished", "regret"])
    return frame[frame["finished"] <= end].assign(benchmark="svm", method="gp")


def test_the_median_of_times():
    factor = median_time(runs([10.0, 100.0, 1000.0], 2000.0), "svm", "gp", 0.5)
    assert factor.value == pytest.approx(100.0) and factor.ends[0] < 100 < factor.ends[1]


def test_a_median_beyond_the_end_is_bounded_below():
    frame = runs([10.0, 5000.0, 5000.0], 2000.0)
    frame.loc[frame["run"] > 0, "regret"] = 1.0
    factor = median_time(frame, "svm", "gp", 0.5)
    assert factor.value == "> 2e+03"
