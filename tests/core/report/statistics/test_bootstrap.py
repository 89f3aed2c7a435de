"""The bootstrap interval: closed forms, coverage by simulation, pairing, and infinite values."""

import math

import numpy as np
import pytest
from scipy import stats

from core.foundation.errors import UserError
from core.report.statistics import intervals
from core.report.statistics.intervals import bootstrap_interval, bootstrap_intervals, counts_of


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
