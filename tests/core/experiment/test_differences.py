"""Differences between two sets of runs, against scipy's Welch and its test of pairs."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from core.experiment.agreement import ROUNDING, differences


def frame(first=0, **columns) -> pd.DataFrame:
    """Records of runs from number `first` on, one row per run."""
    made = pd.DataFrame(columns)
    return made.assign(run=made.index + first, status="ok", message="")


def test_runs_of_the_same_number_are_pairs():
    generator = np.random.default_rng(0)
    theirs = generator.normal(0, 5, 20)
    ours = theirs[:8] + generator.normal(0.5, 0.1, 8)
    (found,) = differences(frame(rmse=ours), frame(rmse=theirs))
    expected = stats.ttest_rel(ours, theirs[:8]).confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx(tuple(expected))
    assert found.difference == pytest.approx((ours - theirs[:8]).mean())
    assert found.theirs == pytest.approx(theirs[:8].mean())
    assert (found.compared, found.verdict) == ("8 pairs", "differs")


@pytest.mark.parametrize("runs", [1, 2, 20])
def test_equal_runs_are_equal_among_however_many_are_shipped(runs):
    theirs = np.random.default_rng(0).normal(size=20)
    (found,) = differences(frame(rmse=theirs[:runs]), frame(rmse=theirs))
    assert (found.verdict, found.difference) == ("equal", 0)
    assert (found.low, found.high) == pytest.approx((0, 0) if runs > 1 else (math.nan, math.nan), nan_ok=True)


def test_rounding_is_no_difference_however_regular_it_is():
    theirs = np.random.default_rng(0).normal(3, 1, 20)
    (found,) = differences(frame(rmse=theirs + 1e-9), frame(rmse=theirs))
    assert found.low > 0
    assert found.verdict == "equal up to rounding"
    (found,) = differences(frame(rmse=theirs + 2 * ROUNDING * theirs.max()), frame(rmse=theirs))
    assert found.verdict == "differs"


def test_pairs_are_those_of_runs_that_both_have():
    (found,) = differences(frame(4, rmse=[1.0, 2.0, 3.0]), frame(5, rmse=[2.0, 3.0, 9.0, 9.0]))
    assert (found.compared, found.verdict) == ("2 pairs", "equal")


def test_a_failed_run_takes_its_pair_with_it():
    (found,) = differences(frame(rmse=[1.0, math.nan, 3.0, 4.0]), frame(rmse=[2.0, 3.0, math.inf, 7.0]))
    assert (found.compared, found.ours, found.theirs) == ("2 pairs", 2.5, 4.5)
    (found,) = differences(frame(rmse=[1.0, math.nan]), frame(rmse=[math.nan, 1.0]))
    assert (found.compared, found.verdict) == ("0 pairs", "too few runs")


def test_what_is_measured_gets_no_verdict():
    seconds, rmse = differences(
        frame(seconds=[1.0, 1.1], rmse=[1.0, 2]), frame(seconds=[9.0, 9.1], rmse=[1.0, 2]), measured=["seconds"]
    )
    assert (seconds.verdict, rmse.verdict) == ("measured", "equal")


def test_the_interval_of_independent_samples_is_scipys():
    generator = np.random.default_rng(0)
    ours, theirs = generator.normal(1, 2, 12), generator.normal(0, 1, 30)
    (found,) = differences(frame(rmse=ours), frame(100, rmse=theirs))
    expected = stats.ttest_ind(ours, theirs, equal_var=False).confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx(tuple(expected))
    assert found.difference == pytest.approx(ours.mean() - theirs.mean())
    assert found.compared == "12 and 30 runs"


@pytest.mark.parametrize(
    "ours, theirs, verdict",
    [
        ([1.0, 1.1, 0.9], [5.0, 5.1, 4.9], "differs"),
        ([1.0, 1.1, 0.9], [1.05, 0.95, 1.0], "no difference seen"),
        ([2.0, 2.0], [2.0, 2.0, 2.0], "equal"),
        ([2.0, 2.0], [3.0, 3.0, 3.0], "differs"),
        ([1.0], [1.0, 2.0], "too few runs"),
        ([1.0, 2.0], [1.0], "too few runs"),
        ([math.nan, math.nan], [1.0, 2.0], "too few runs"),
    ],
)
def test_what_is_said_of_independent_samples(ours, theirs, verdict):
    (found,) = differences(frame(rmse=ours), frame(100, rmse=theirs))
    assert found.verdict == verdict


def test_failed_runs_of_independent_samples_are_left_out_and_counted():
    (found,) = differences(frame(rmse=[1.0, math.nan, 3.0, math.inf]), frame(100, rmse=[1.0, 3.0]))
    assert (found.ours, found.our_runs) == (pytest.approx(2), 2)


def test_columns_that_both_have():
    found = differences(frame(a=[1.0, 2], b=[1.0, 2]), frame(b=[1.0, 2], c=[1.0, 2]))
    assert [difference.metric for difference in found] == ["b"]
