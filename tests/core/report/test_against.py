"""Differences between two sets of runs, against scipy's Welch."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from core.report.against import differences


def frame(**columns) -> pd.DataFrame:
    return pd.DataFrame(columns)


def test_the_interval_is_scipys():
    generator = np.random.default_rng(0)
    ours, theirs = generator.normal(1, 2, 12), generator.normal(0, 1, 30)
    (found,) = differences(frame(rmse=ours), frame(rmse=theirs))
    expected = stats.ttest_ind(ours, theirs, equal_var=False).confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx(tuple(expected))
    assert found.difference == pytest.approx(ours.mean() - theirs.mean())
    assert (found.our_runs, found.their_runs) == (12, 30)


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
def test_what_is_said(ours, theirs, verdict):
    (found,) = differences(frame(rmse=ours), frame(rmse=theirs))
    assert found.verdict == verdict


def test_failed_runs_are_left_out_and_counted():
    (found,) = differences(frame(rmse=[1.0, math.nan, 3.0, math.inf]), frame(rmse=[1.0, 3.0]))
    assert (found.ours, found.our_runs) == (pytest.approx(2), 2)


def test_columns_that_both_have():
    found = differences(frame(a=[1.0, 2], b=[1.0, 2]), frame(b=[1.0, 2], c=[1.0, 2]))
    assert [difference.metric for difference in found] == ["b"]
