"""The bootstrap interval: closed forms, coverage by simulation, pairing, and infinite values.

Intervals from few runs: Student's quantiles, coverage by simulation, and what resamples cannot show.

Wilson's interval against the test that it inverts, and where a bootstrap has no width.

Empirical distributions.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats
from scipy.stats import binomtest

from core.foundation.errors import UserError
from core.report.statistics import intervals
from core.report.statistics.intervals import (
    bootstrap_interval,
    bootstrap_intervals,
    counts_of,
    ecdf,
    share_interval,
    student_quantile,
)


def mean(a):
    return a.mean(axis=1)


def difference(a, b):
    return a.mean(axis=1) - b.mean(axis=1)


def test_interval_of_a_mean_is_the_normal_one_for_many_runs():
    values = np.random.default_rng(0).normal(3.0, 2.0, 2000)
    interval = bootstrap_interval(values, mean, 1)
    half = 1.96 * values.std() / math.sqrt(values.size)
    assert interval.estimate == pytest.approx(values.mean())
    assert interval.low == pytest.approx(values.mean() - half, abs=0.1 * half)
    assert interval.high == pytest.approx(values.mean() + half, abs=0.1 * half)


def test_two_valued_sample_has_the_binomial_quantiles():
    interval = bootstrap_interval(np.repeat([0.0, 1.0], [120, 280]), mean, 2, n=40_000)
    assert interval.low == pytest.approx(stats.binom.ppf(0.025, 400, 0.7) / 400, abs=1.5 / 400)
    assert interval.high == pytest.approx(stats.binom.ppf(0.975, 400, 0.7) / 400, abs=1.5 / 400)


def test_pairing_removes_what_the_runs_share():
    generator = np.random.default_rng(4)
    shared = generator.normal(0, 10, 30)
    a, b = shared + generator.normal(0.5, 0.1, 30), shared + generator.normal(0, 0.1, 30)
    paired = bootstrap_interval((a, b), difference, 5, paired=True)
    apart = bootstrap_interval((a, b), difference, 5)
    assert paired.high - paired.low < 0.05 * (apart.high - apart.low)
    assert paired.low > 0 > apart.low
    assert paired.estimate == apart.estimate


def test_same_seed_same_interval_and_blocks_only_bound_the_memory(monkeypatch):
    values = np.random.default_rng(6).normal(size=(25, 3))

    def smallest_mean(a):
        return a.mean(axis=1).min(axis=1)

    whole = bootstrap_interval(values, smallest_mean, 7, n=2000)
    assert bootstrap_interval(values, smallest_mean, 7, n=2000) == whole
    monkeypatch.setattr(intervals, "BLOCK", 75 * 100)
    blocks = bootstrap_interval(values, smallest_mean, 7, n=2000)
    assert blocks.estimate == whole.estimate
    assert blocks.low == pytest.approx(whole.low, abs=0.05) and blocks.high == pytest.approx(whole.high, abs=0.05)


def test_failed_runs_as_infinities_stay_infinite_and_nan_stays_nan():
    a, b = np.array([1.0, 2.0, 3.0, 2.5, 2.5, 2.4]), np.array([0.0, -math.inf, 0.1, 0.2, 0.1, 0.3])
    interval = bootstrap_interval((a, b), difference, 8)
    assert interval.high == math.inf and interval.estimate == math.inf and math.isfinite(interval.low)
    assert math.isnan(bootstrap_interval(np.array([1.0, math.nan]), mean, 9).low)


@pytest.mark.parametrize("samples", [np.empty(0), (np.ones(3), np.empty(0)), np.float64(3.0)])
def test_no_runs_are_refused(samples):
    with pytest.raises(UserError, match="at least one run"):
        bootstrap_interval(samples, mean, 0)


def test_pairs_need_equal_numbers_of_runs():
    with pytest.raises(UserError, match=r"samples of \[3, 4\] runs"):
        bootstrap_interval((np.ones(3), np.ones(4)), difference, 0, paired=True)


@pytest.mark.parametrize("paired", [True, False])
def test_means_of_resamples_are_the_same_without_building_them(paired):
    generator = np.random.default_rng(10)
    a, b = generator.normal(size=(12, 5, 2)), generator.normal(size=(12, 5, 2))
    a[3, 2, 1] = a[7, 2, 1] = math.inf
    b[0, 4, 0] = math.nan

    def largest(means, others):
        return np.stack([(means - others)[:, i].max(axis=1) for i in range(5)], axis=1)

    direct = bootstrap_intervals((a, b), lambda x, y: largest(x.mean(1), y.mean(1)), 11, 500, paired)
    quick = bootstrap_intervals((a, b), largest, 11, 500, paired, of_means=True)
    assert np.array(quick) == pytest.approx(np.array(direct), rel=1e-12, nan_ok=True)
    assert quick[2].high == math.inf and math.isnan(quick[4].estimate)


def test_several_statistics_have_the_interval_that_each_has_alone():
    values = np.random.default_rng(12).normal(size=(30, 3))
    together = bootstrap_intervals(values, lambda a: a.mean(axis=1), 13, n=500)
    for column, interval in enumerate(together):
        alone = bootstrap_interval(values, lambda a, i=column: a[..., i].mean(axis=1), 13, n=500)
        assert interval == pytest.approx(alone)


def test_counts_say_how_often_each_run_was_drawn():
    assert counts_of(np.array([[0, 2, 2], [1, 1, 1]]), 4).tolist() == [[1, 0, 2, 0], [0, 3, 0, 0]]


@pytest.mark.parametrize("runs", [1, 2, 7, 300])
def test_medians_of_resamples_are_the_same_without_building_them(runs):
    generator = np.random.default_rng(runs)
    values = generator.normal(size=(runs, 4, 3)).round(1)
    values[generator.random(values.shape) < 0.2] = np.inf
    picks = generator.integers(runs, size=(50, runs))
    np.testing.assert_allclose(intervals.medians_of(values, picks), np.median(values[picks], axis=1))


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


@pytest.mark.parametrize(("count", "n"), [(10, 10), (0, 7), (3, 10), (136, 150)])
def test_the_interval_is_wilsons(count, n):
    found = share_interval(np.arange(n) < count)
    expected = binomtest(count, n).proportion_ci(method="wilson")
    assert found.estimate == pytest.approx(count / n)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))


def test_ten_of_ten_runs_leave_it_open_whether_nine_of_ten_are_exceeded():
    assert share_interval(np.ones(10)).low < 0.9 < share_interval(np.ones(100)).low


def test_values_that_are_not_finite_are_missing_at_the_right_end():
    values, share = ecdf(np.array([3.0, np.nan, 1.0, np.inf, 2.0]))
    assert values.tolist() == [1, 2, 3]
    np.testing.assert_allclose(share, [0.2, 0.4, 0.6])
