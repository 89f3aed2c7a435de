"""Cell verdicts against scipy's Welch test, closed forms, and the properties every verdict must have.

Verdicts that need no test: missing, failed, divergent, exact and ordered cells.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from core.foundation.errors import UserError
from core.report.statistics.intervals import LEVEL, Interval
from core.report.verdicts.cells import (
    KINDS,
    Verdict,
    cell_verdict,
    exact_verdict,
    interval_verdict,
    our_estimate,
    published_estimate,
    published_sd,
    welch_interval,
)
from tests.core.report.verdict_cells import published, runs_with

means = st.floats(-50, 50)
spreads = st.floats(0.01, 20)
counts = st.integers(2, 60)


@given(means, spreads, counts, means, spreads, counts)
def test_interval_is_scipys_welch_interval(mean, sd, count, value, spread, runs):
    ours = our_estimate(runs_with(mean, sd, count))
    low, high = welch_interval(ours, published_estimate(published(value, spread, runs=runs)))
    test = stats.ttest_ind_from_stats(mean, sd, count, value, spread, runs, equal_var=False)
    # scipy returns the test; its interval follows from the same standard error and degrees of freedom
    error = math.sqrt(sd**2 / count + spread**2 / runs)
    assert (low + high) / 2 == pytest.approx(mean - value, abs=1e-8)
    if abs(mean - value) > 1e-3:
        assert (mean - value) / test.statistic == pytest.approx(error)
        edge = abs(test.pvalue - 0.05) < 1e-9
        assert edge or (low <= 0 <= high) == (test.pvalue >= 0.05)


@given(means, spreads, counts, means, spreads, counts, st.sampled_from(["higher", "lower"]))
def test_kind_follows_from_p_value_direction_and_width(mean, sd, count, value, spread, runs, direction):
    test = stats.ttest_ind_from_stats(mean, sd, count, value, spread, runs, equal_var=False)
    assume(abs(test.pvalue - 0.05) > 1e-6)
    verdict = cell_verdict(runs_with(mean, sd, count), published(value, spread, runs=runs), direction)
    if test.pvalue < 0.05:
        expected = "better" if (mean > value) == (direction == "higher") else "worse"
    else:
        half = (verdict.high - verdict.low) / 2
        assume(abs(half - spread) > 1e-9)
        expected = "inconclusive" if half > spread else "reproduced"
    assert verdict.kind == expected
    assert verdict.difference_in_sd == pytest.approx((mean - value) / spread, abs=1e-9)


@given(means, spreads, counts, means, spreads, counts)
def test_swapping_the_direction_swaps_better_and_worse(mean, sd, count, value, spread, runs):
    values, cell = runs_with(mean, sd, count), published(value, spread, runs=runs)
    up, down = cell_verdict(values, cell, "higher"), cell_verdict(values, cell, "lower")
    swap = {"better": "worse", "worse": "better"}
    assert down.kind == swap.get(up.kind, up.kind)
    assert down.low == up.low and down.high == up.high


@given(means, spreads, counts, means, spreads, counts)
def test_a_standard_error_says_the_same_as_its_standard_deviation(mean, sd, count, value, spread, runs):
    values = runs_with(mean, sd, count)
    as_sd = cell_verdict(values, published(value, spread, "sd", runs), "higher")
    as_sem = cell_verdict(values, published(value, spread / math.sqrt(runs), "sem", runs), "higher")
    assert as_sem.low == pytest.approx(as_sd.low) and as_sem.high == pytest.approx(as_sd.high)
    assert as_sem.difference_in_sd == pytest.approx(as_sd.difference_in_sd)


def test_quantile_spread_is_half_the_distance_of_normal_quartiles():
    quartiles = stats.norm(3, 2).ppf([0.25, 0.75])
    assert published_sd(published(3, (quartiles[1] - quartiles[0]) / 2, "quantile")) == pytest.approx(2)


@given(means, spreads, counts, means, spreads, counts)
def test_unstated_spread_is_a_standard_deviation_with_the_sem_verdict_beside_it(mean, sd, count, value, spread, runs):
    values, cell = runs_with(mean, sd, count), published(value, spread, "unstated", runs)
    verdict = cell_verdict(values, cell, "higher")
    as_sd = cell_verdict(values, replace(cell, spread_kind="sd"), "higher")
    as_sem = cell_verdict(values, replace(cell, spread_kind="sem"), "higher")
    assert as_sd.alternative is None
    assert verdict == replace(as_sd, alternative=as_sem.kind)


@given(means, spreads, counts, means)
def test_without_spread_our_own_t_interval_decides(mean, sd, count, value):
    verdict = cell_verdict(runs_with(mean, sd, count), published(value, None, "none", None), "higher")
    low, high = stats.t.interval(0.95, count - 1, loc=mean, scale=sd / math.sqrt(count))
    limit = abs(value) / 4
    assume(min(abs(low - value), abs(high - value), abs((high - low) / 2 - limit)) > 1e-9)
    expected = "better" if mean > value else "worse"
    if low <= value <= high:
        expected = "reproduced" if (high - low) / 2 < limit else "inconclusive"
    assert verdict.kind == expected
    assert math.isnan(verdict.difference_in_sd)


def test_a_spread_of_unknown_runs_counts_as_no_spread_but_measures_the_difference():
    values = runs_with(1.0, 0.1, 20)
    verdict = cell_verdict(values, published(0.5, 0.25, "sd", None), "higher")
    bare = cell_verdict(values, published(0.5, None, "none", None), "higher")
    assert (verdict.low, verdict.high) == (bare.low, bare.high)
    assert verdict.difference_in_sd == pytest.approx(2.0)


def test_a_standard_error_of_unknown_runs_is_taken_as_known():
    ours = our_estimate(runs_with(0.0, 1.0, 5))
    low, high = welch_interval(ours, published_estimate(published(0.0, 0.3, "sem", None)))
    error = math.hypot(1 / math.sqrt(5), 0.3)
    freedom = error**4 / ((1 / 5) ** 2 / 4)
    assert high == pytest.approx(stats.t.ppf(0.975, freedom) * error) and low == pytest.approx(-high)


def test_an_interval_too_wide_to_tell_is_inconclusive_however_close_the_means():
    verdict = cell_verdict(runs_with(0.0, 5.0, 4), published(0.0, 1.0), "higher")
    assert verdict.kind == "inconclusive"
    assert cell_verdict(runs_with(0.0, 5.0, 400), published(0.0, 1.0), "higher").kind == "reproduced"


def test_nothing_reproduces_by_being_noisy():
    """Neither a number without a spread, nor under the reading "standard error"."""
    noisy = runs_with(0.126, 0.1, 4)
    assert cell_verdict(noisy, published(0.0106, None, "none", None), "lower").kind == "inconclusive"
    unstated = cell_verdict(runs_with(4.2, 1.0, 10), published(508.53, 300.0, "unstated"), "lower")
    assert unstated.alternative == "inconclusive"
    assert cell_verdict(runs_with(4.2, 0.3, 10), published(4.2, 0.1, "sem"), "lower").kind == "reproduced"


def test_a_baseline_that_is_not_as_published_looks_neutral():
    verdict = cell_verdict(runs_with(1.0, 0.1, 10), published(0.0, 0.1), "higher")
    assert verdict.kind == verdict.look == "better"
    assert replace(verdict, baseline=True).look == "better baseline"
    assert replace(verdict, kind="worse", baseline=True).look == "worse baseline"
    assert replace(verdict, kind="reproduced", baseline=True).look == "reproduced"


def test_exact_runs_stay_exact():
    cell = published(0.1, None, "none", None)
    assert cell_verdict([0.1] * 7, cell, "lower").kind == "reproduced"
    assert cell_verdict([0.2] * 7, cell, "lower").kind == "worse"
    verdict = cell_verdict([0.2] * 7, published(0.1, 0.0), "lower")
    assert verdict.kind == "worse" and math.isnan(verdict.difference_in_sd)  # of a published sd of zero


@pytest.mark.parametrize(
    ("interval", "direction", "kind"),
    [
        (Interval(-0.08, -0.09, -0.07), "lower", "reproduced"),
        (Interval(-0.08, -0.12, -0.05), "lower", "inconclusive"),
        (Interval(-0.20, -0.30, -0.15), "neither", "differs"),
        (Interval(-0.20, -0.30, -0.15), "lower", "better"),
        (Interval(-0.20, -0.30, -0.15), "higher", "worse"),
        (Interval(-0.01, -0.02, 0.0), "lower", "worse"),
        (Interval(-0.20, -math.inf, -0.15), "lower", "inconclusive"),
        (Interval(-0.20, math.nan, math.nan), "lower", "inconclusive"),
    ],
)
def test_a_statistic_of_all_runs_is_judged_by_its_own_interval(interval, direction, kind):
    verdict = interval_verdict(interval, published(-0.084, None, "none"), direction)
    assert verdict.kind == kind and verdict.difference == pytest.approx(interval.estimate + 0.084)
    assert verdict.tested == math.isfinite(interval.low) and not verdict.reduced
    assert interval_verdict(interval, published(reading="illegible"), direction, True).kind == "not published"


def test_rate_of_false_worse_is_the_expected_one():
    """Both sides from one distribution: 2.5% worse, within three standard errors of 4,000 cells."""
    generator = np.random.default_rng(1)
    verdicts = []
    for _ in range(4000):
        ours, theirs = generator.normal(2.0, 1.5, 20), generator.normal(2.0, 1.5, 10)
        cell = published(float(theirs.mean()), float(theirs.std(ddof=1)), "sd", 10)
        verdicts.append(cell_verdict(ours, cell, "higher"))
    worse = sum(verdict.kind == "worse" for verdict in verdicts)
    expected = (1 - LEVEL) / 2 * sum(verdict.tested and verdict.directed for verdict in verdicts)
    assert expected == pytest.approx(100.0)
    assert abs(worse - expected) < 3 * math.sqrt(expected)


def test_only_tested_cells_can_be_wrong_by_chance():
    tested = cell_verdict(runs_with(-1.0, 0.1, 10), published(0.0, 0.1), "higher")
    undirected = cell_verdict(runs_with(-1.0, 0.1, 10), published(0.0, 0.1), "neither")
    assert tested.kind == "worse" and undirected.kind == "differs" and undirected.tested
    others = [undirected, tested.outside("a part of the grid"), *map(Verdict, KINDS)]
    assert tested.tested and tested.directed
    assert not any(verdict.tested and verdict.directed for verdict in others)


def test_a_single_run_is_inconclusive_whatever_is_published():
    for cell in (published(0.0), published(0.0, None, "none", None)):
        verdict = cell_verdict([3.0], cell, "higher")
        assert verdict.kind == "inconclusive" and not verdict.tested


def test_not_run_and_not_published():
    assert cell_verdict([], published(), "higher").kind == "not run"
    for reading in ("missing", "illegible"):
        verdict = cell_verdict([1.0, 2.0], published(math.nan, reading=reading), "higher")
        assert verdict.kind == "not published" and verdict.note == reading


def test_published_nan_is_reproduced_by_divergence_and_else_bettered():
    nan = published(math.nan, None, "unstated", 50, "nan")
    diverged = cell_verdict([1.0, math.nan, 2.0], nan, "higher")
    assert diverged.kind == "reproduced" and diverged.note == "1 of 3 runs failed"
    assert cell_verdict([1.0, 2.0, 3.0], nan, "higher").kind == "better"
    assert not diverged.tested


@given(st.lists(st.sampled_from([math.nan, math.inf, -math.inf, 5.0]), min_size=1, max_size=9))
def test_a_failed_run_is_worse_and_counted(values):
    failed = sum(not math.isfinite(value) for value in values)
    assume(failed)
    verdict = cell_verdict(values, published(-3.0), "higher")
    assert verdict.kind == "worse" and verdict.note == f"{failed} of {len(values)} runs failed" and not verdict.tested
    assert math.isnan(verdict.difference) if failed == len(values) else verdict.difference == 8.0


def test_reduced_by_scale_or_by_fewer_runs_than_published():
    assert cell_verdict(runs_with(0, 1, 20), published(runs=10), "higher", reduced=True).reduced
    assert cell_verdict(runs_with(0, 1, 9), published(runs=10), "higher").reduced
    assert not cell_verdict(runs_with(0, 1, 10), published(runs=10), "higher").reduced


def test_exact_values():
    assert exact_verdict("1e-6", 0.000001).kind == "equal"
    assert exact_verdict(11_934, "11936").kind == "differs"
    assert exact_verdict("yes ", "yes").kind == "equal"
    assert exact_verdict(math.nan, "nan").kind == "equal"
    assert exact_verdict("", "0").kind == "differs"


def test_unknown_direction_is_refused():
    with pytest.raises(UserError, match=r"'up'; allowed: higher, lower"):
        cell_verdict([1.0], published(), "up")
