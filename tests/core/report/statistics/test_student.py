"""Intervals from few runs: Student's quantiles, coverage by simulation, and what resamples cannot show."""

import math

import numpy as np
import pytest
from scipy import stats

from core.report.statistics.intervals import bootstrap_interval, student_quantile


def mean(a):
    return a.mean(axis=1)


@pytest.mark.parametrize("freedom", [1, 2, 7.5, 100])
def test_quantiles_are_scipys(freedom):
    assert student_quantile(freedom, 0.9) == pytest.approx(stats.t.ppf(0.95, freedom))


@pytest.mark.parametrize("runs", [2, 3, 5, 6, 10, 40])
def test_means_of_few_normal_runs_are_covered_as_often_as_the_level_says(runs):
    """Within four standard errors of 600 simulations, and two points for the lattice of few runs' resamples."""
    generator = np.random.default_rng(runs)
    intervals = [bootstrap_interval(generator.normal(1.0, 2.0, runs), mean, generator, n=2000) for _ in range(600)]
    covered = np.mean([interval.low <= 1.0 <= interval.high for interval in intervals])
    assert abs(covered - 0.95) < 0.02 + 4 * math.sqrt(0.95 * 0.05 / 600)


@pytest.mark.parametrize("runs", [2, 3, 5])
def test_few_runs_have_students_interval(runs):
    values = np.random.default_rng(runs).normal(size=runs)
    interval = bootstrap_interval(values, mean, 0, n=200_000)
    low, high = stats.t.interval(0.95, runs - 1, values.mean(), values.std(ddof=1) / math.sqrt(runs))
    assert interval.low == pytest.approx(low, abs=0.02 * (high - low))
    assert interval.high == pytest.approx(high, abs=0.02 * (high - low))


def test_the_smaller_sample_decides():
    generator = np.random.default_rng(3)
    many, few = generator.normal(size=500), generator.normal(size=3)
    both = bootstrap_interval((many, few), lambda a, b: mean(a) - mean(b), 0)
    alone = bootstrap_interval(few, mean, 0)
    assert both.high - both.low == pytest.approx(alone.high - alone.low, rel=0.1)


def test_one_run_has_no_interval():
    assert bootstrap_interval(np.array([3.0]), mean, 0) == (3.0, -math.inf, math.inf)


def test_few_equal_runs_keep_their_value_even_if_it_is_infinite():
    assert bootstrap_interval(np.full(3, 2.0), mean, 0) == (2.0, 2.0, 2.0)
    assert bootstrap_interval(np.full(3, math.inf), mean, 0) == (math.inf, math.inf, math.inf)


def test_a_failed_run_among_few_leaves_nothing_known_and_nan_stays_nan():
    assert bootstrap_interval(np.array([1.0, 2.0, math.inf]), mean, 0)[1:] == (-math.inf, math.inf)
    assert math.isnan(bootstrap_interval(np.array([1.0, 2.0, math.nan]), mean, 0).low)


def test_a_share_of_six_runs_stays_between_none_and_all():
    interval = bootstrap_interval(np.array([0.0, 1.0, 1.0, 1.0, 1.0, 1.0]), mean, 0)
    assert 0 <= interval.low < 0.5 and interval.high == 1
