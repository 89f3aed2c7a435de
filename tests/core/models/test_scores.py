"""Scores against SciPy's densities and against closed forms."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special, stats

from core.models.scores import (
    mixture_log_likelihood,
    moment_matched_log_likelihood,
    moments,
    noise_log_likelihood,
    rmse,
)

SAMPLES, RUNS, POINTS = 7, 3, 5


@pytest.fixture
def prediction():
    rng = np.random.default_rng(4)
    means = rng.normal(size=(SAMPLES, RUNS, POINTS))
    noise = rng.uniform(0.1, 2.0, size=(SAMPLES, RUNS, POINTS))
    return means, noise, rng.normal(size=(RUNS, POINTS))


def test_mixture_log_likelihood_is_scipys_mixture_density(prediction):
    means, noise, y = prediction
    log_densities = stats.norm.logpdf(y, means, np.sqrt(noise))
    expected = special.logsumexp(log_densities, axis=0, b=1 / SAMPLES).mean(-1)
    ours = mixture_log_likelihood(*map(torch.tensor, prediction))
    np.testing.assert_allclose(ours, expected, rtol=1e-12)


def test_moment_matched_log_likelihood_is_scipys_normal_at_the_mixture_moments(prediction):
    means, noise, y = prediction
    variance = means.var(axis=0) + noise.mean(axis=0)
    expected = stats.norm.logpdf(y, means.mean(axis=0), np.sqrt(variance)).mean(-1)
    np.testing.assert_allclose(moment_matched_log_likelihood(*map(torch.tensor, prediction)), expected, rtol=1e-12)


def test_noise_log_likelihood_is_scipys_normal_without_the_spread_of_the_samples(prediction):
    means, noise, y = prediction
    expected = stats.norm.logpdf(y, means.mean(axis=0), np.sqrt(noise.mean(axis=0))).mean(-1)
    np.testing.assert_allclose(noise_log_likelihood(*map(torch.tensor, prediction)), expected, rtol=1e-12)


def test_moments_are_those_of_draws_from_the_mixture(prediction):
    means, noise, _ = prediction
    rng = np.random.default_rng(0)
    member = rng.integers(SAMPLES, size=400_000)
    draws = rng.normal(means[member, 0, 0], np.sqrt(noise[member, 0, 0]))
    mean, variance = moments(torch.tensor(means), torch.tensor(noise))
    assert mean[0, 0].item() == pytest.approx(draws.mean(), abs=5 * draws.std() / math.sqrt(draws.size))
    assert variance[0, 0].item() == pytest.approx(draws.var(), rel=0.02)


def test_rmse_is_the_error_of_the_averaged_prediction(prediction):
    means, _, y = prediction
    expected = np.sqrt(((means.mean(0) - y) ** 2).mean(-1))
    np.testing.assert_allclose(rmse(torch.tensor(means), torch.tensor(y)), expected, rtol=1e-12)


def test_one_component_makes_both_likelihoods_equal(prediction):
    means, noise, y = (torch.tensor(values) for values in prediction)
    mixture = mixture_log_likelihood(means[:1], noise[:1], y)
    torch.testing.assert_close(moment_matched_log_likelihood(means[:1], noise[:1], y), mixture)


@pytest.mark.parametrize("shape", [(), (1,), (SAMPLES, 1, 1), (SAMPLES, RUNS, 1), (1, RUNS, POINTS), (RUNS, POINTS)])
def test_noise_that_broadcasts_equals_noise_written_out(prediction, shape):
    means, _, y = (torch.tensor(values) for values in prediction)
    noise = torch.rand(shape, dtype=torch.float64, generator=torch.Generator().manual_seed(1)) + 0.1
    full = noise.expand(means.shape).clone()
    for score in (mixture_log_likelihood, moment_matched_log_likelihood):
        torch.testing.assert_close(score(means, noise, y), score(means, full, y))


@settings(deadline=None)
@given(offset=st.floats(-50, 50), log_sd=st.floats(-3, 3))
def test_no_single_gaussian_beats_the_mixture_on_its_own_expected_likelihood(offset, log_sd):
    """Gibbs' inequality: averaged over the mixture, its own log density exceeds the matched Gaussian's."""
    nodes, weights = (torch.tensor(values) for values in np.polynomial.hermite_e.hermegauss(80))
    centres = torch.tensor([0.0, offset], dtype=torch.float64)
    means = centres.reshape(2, 1, 1).expand(2, len(nodes), 1)
    noise = torch.tensor(math.exp(2 * log_sd), dtype=torch.float64)
    gap = 0.0
    for centre in centres:
        y = (centre + noise.sqrt() * nodes).unsqueeze(-1)
        gap += weights @ (mixture_log_likelihood(means, noise, y) - moment_matched_log_likelihood(means, noise, y))
    assert gap.item() >= -1e-6


def test_far_targets_keep_a_finite_log_likelihood():
    means = torch.zeros(3, 1, 1, dtype=torch.float64)
    y = torch.full((1, 1), 1e6, dtype=torch.float64)
    noise = torch.ones((), dtype=torch.float64)
    expected = stats.norm.logpdf(1e6)
    assert mixture_log_likelihood(means, noise, y).item() == pytest.approx(expected)


def test_a_diverged_member_gives_a_score_that_says_so(prediction):
    means, noise, y = (torch.tensor(values) for values in prediction)
    means[2, 1, 0] = float("nan")
    for score in (rmse(means, y), mixture_log_likelihood(means, noise, y), moments(means, noise)[1].mean(-1)):
        assert torch.isnan(score).tolist() == [False, True, False]


def test_wrong_shapes_are_named(prediction):
    means, noise, y = (torch.tensor(values) for values in prediction)
    with pytest.raises(ValueError, match=r"means have shape \(3, 5\) and y \(3, 5\)"):
        rmse(means[0], y)
    with pytest.raises(ValueError, match=r"y \(5, 3\), expected \(samples, runs, n\) and \(runs, n\)"):
        mixture_log_likelihood(means, noise, y.T)
    with pytest.raises(ValueError, match=r"noise variances have shape \(4, 3, 5\)"):
        moments(means, noise[:4])
