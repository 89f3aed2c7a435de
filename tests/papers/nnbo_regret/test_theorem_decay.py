"""Decay rates on lives with a known rate, zeros and censoring included."""

import numpy as np
import pytest
from scipy import optimize, stats

from papers.nnbo_regret import decay


def lives(runs: int, n: int, rate: float, shoulder: int, seed: int = 0) -> np.ndarray:
    """Runs above for `shoulder` queries and a geometric time with P[longer than k] = exp(-rate k), (runs, n)."""
    after = np.random.default_rng(seed).geometric(1 - np.exp(-rate), runs)
    return np.arange(1, n + 1) <= (shoulder + after)[:, None]


def test_share_and_wilson_interval():
    above = np.zeros((100, 2), dtype=bool)
    above[:30, 0] = True
    probability = decay.exceedance(above)
    expected = stats.binomtest(30, 100).proportion_ci(method="wilson")
    assert probability.share.tolist() == [0.3, 0.0]
    assert (probability.low[0], probability.high[0]) == pytest.approx((expected.low, expected.high))
    assert probability.low[1] == 0 and probability.high[1] == pytest.approx(0.037, abs=0.001)


@pytest.mark.parametrize("rate", [0.012, 0.084])
def test_the_likelihood_finds_the_published_rates(rate):
    """Many runs, so that the shoulder of the window (the first tenth of the runs) is the only bias left."""
    fit = decay.fit_decay(lives(20_000, 900, rate, 400), 0, n=50)
    assert fit.rate.estimate == pytest.approx(-rate, rel=0.03)
    assert fit.start.estimate == pytest.approx(400 + 0.105 / rate, abs=3)


def test_intervals_cover():
    """100 runs, as the paper's: the 95% interval contains the rate in about 95 of 100 repetitions, here most of 40."""
    covered = 0
    for seed in range(40):
        interval = decay.fit_decay(lives(100, 900, 0.012, 100, seed), 0, n=200).rate
        covered += interval.low <= -0.012 <= interval.high
    assert covered >= 33


def test_closed_form_is_the_maximum_of_the_binomial_likelihood():
    counts = lives(30, 80, 0.05, 10).sum(0)
    first = int(decay.last_above(counts[None], 0.9)[0])

    def negative(rate: float) -> float:
        return -stats.binom.logpmf(counts[first + 1 :], counts[first:-1], np.exp(rate)).sum()

    best = optimize.minimize_scalar(negative, bounds=(-1, -1e-6), method="bounded", options={"xatol": 1e-9}).x
    ours = decay.rate_of_counts(counts[None].astype(float), np.array([first]))[0]
    assert ours == pytest.approx(best, rel=1e-5)


def test_zeros_and_censoring():
    """Exactly geometric counts: one rate however long the tail of zeros, however early the end."""
    counts = np.array([[100, 100, 50, 25, 0, 0, 0]], dtype=float)
    rates = [decay.rate_of_counts(counts[:, :end], np.array([1]))[0] for end in (3, 4)]
    assert rates == pytest.approx([-np.log(2)] * 2)
    whole = decay.rate_of_counts(counts, np.array([1]))[0]
    assert whole == pytest.approx(np.log(75 / 175))  # the last 25 fall at once
    assert decay.rate_of_counts(np.pad(counts, ((0, 0), (0, 90))), np.array([1]))[0] == whole


def test_least_squares_of_logarithms_drops_zeros():
    counts = np.array([[100, 100, 50, 25, 0, 0]], dtype=float)
    assert decay.rate_of_logs(counts, np.array([1]))[0] == pytest.approx(-np.log(2))
    line = np.polyfit([0, 1, 2, 3], np.log([100, 100, 50, 25]), 1)
    assert decay.rate_of_logs(counts, np.array([0]))[0] == pytest.approx(line[0])


def test_no_fall_and_no_start():
    never = decay.fit_decay(np.ones((10, 20), dtype=bool), 0, n=20)
    assert never.rate == (0, 0, 0) and never.start.estimate == 20
    always = decay.fit_decay(np.zeros((10, 20), dtype=bool), 0, n=20)
    assert np.isnan(always.rate.estimate) and np.isnan(always.rate_of_logs.estimate)
    assert np.isnan(always.start.estimate)
