"""The compiled refinement against a written-out one, and what must hold for expectation propagation."""

import numpy as np
import pytest
import torch
from scipy import integrate, stats

from core.models.pbp_prior import PriorFactors

LIMIT = 1e6


def written_out(mean, variance, factors, shape, rate):
    """One refinement of one run, by the general update formulas and without rearranging them."""
    for j in range(len(mean)):
        cavity_variance = 1 / (1 / variance[j] - factors[j, 0])
        cavity_mean = cavity_variance * mean[j] / variance[j]
        a, b = shape - factors[j, 1], rate - factors[j, 2]
        totals = [cavity_variance + b / (a - 1 + k) for k in range(3)]
        z = [stats.norm.pdf(0, cavity_mean, np.sqrt(total)) for total in totals]
        by_mean = -cavity_mean / totals[0]
        by_variance = 0.5 * (cavity_mean**2 / totals[0] ** 2 - 1 / totals[0])
        mean[j] = cavity_mean + cavity_variance * by_mean
        variance[j] = cavity_variance - cavity_variance**2 * (by_mean**2 - 2 * by_variance)
        shape = 1 / (z[2] * z[0] / z[1] ** 2 * (a + 1) / a - 1)
        rate = 1 / (z[2] / z[1] * (a + 1) / b - z[1] / z[0] * a / b)
        factors[j] = 1 / variance[j] - 1 / cavity_variance, shape - a, rate - b
    return shape, rate


def after_data(runs=2, weights=7, seed=0):
    """Prior factors, and weights that data have moved and narrowed."""
    rng = np.random.default_rng(seed)
    prior = PriorFactors(runs, weights, 6.0, 6.0, LIMIT)
    variance = prior.weight_variance * rng.uniform(0.05, 0.9, (runs, weights))
    return prior, torch.tensor(rng.normal(size=(runs, weights))), torch.tensor(variance)


def test_refinement_is_the_textbook_update_factor_by_factor():
    prior, mean, variance = after_data()
    expected = [values.numpy().copy() for values in (mean, variance)] + [prior.factors.copy()]
    gammas = [(6.0, 6.0), (6.0, 6.0)]
    for _ in range(3):
        prior.refine(mean, variance)
        gammas = [written_out(*(values[run] for values in expected), *gammas[run]) for run in range(2)]
    np.testing.assert_allclose(mean, expected[0], rtol=1e-8)
    np.testing.assert_allclose(variance, expected[1], rtol=1e-8)
    np.testing.assert_allclose(prior.factors, expected[2], rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(np.stack([prior.shape, prior.rate], 1), gammas, rtol=1e-8)


def test_initial_factors_are_those_of_flat_weights():
    """Multiplying N(w | 0, 1/g) into a flat Gaussian leaves the variance E 1/g = rate / (shape - 1)."""
    prior = PriorFactors(1, 1, 6.0, 9.0, LIMIT)
    inverse = integrate.quad(lambda g: stats.gamma.pdf(g, 6.0, scale=1 / 9.0) / g, 0, 50)[0]
    assert prior.weight_variance == pytest.approx(inverse)


def test_refinement_keeps_the_data_and_settles():
    """q over the prior factors is what the data contributed, whatever the factors are; the factors converge."""
    prior, mean, variance = after_data()
    data = [1 / variance.numpy() - prior.factors[..., 0], mean.numpy() / variance.numpy()]
    for _ in range(60):
        last = prior.factors.copy()
        prior.refine(mean, variance)
    np.testing.assert_allclose(1 / variance.numpy() - prior.factors[..., 0], data[0], rtol=1e-9)
    np.testing.assert_allclose(mean.numpy() / variance.numpy(), data[1], rtol=1e-9)
    np.testing.assert_allclose(prior.factors, last, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(prior.shape, 6 + prior.factors[..., 1].sum(1))
    np.testing.assert_allclose(prior.rate, 6 + prior.factors[..., 2].sum(1))


@pytest.mark.parametrize("spread", [0.1, 3.0])
def test_the_precision_is_learned_from_the_weights(spread):
    """Where data fix the weights, their precision has the posterior Gamma(6 + P/2, 6 + sum w^2 / 2), or nearly so."""
    prior, *_ = after_data(1, 400)
    w = torch.tensor(np.random.default_rng(1).normal(scale=spread, size=(1, 400)))
    mean, variance = w.clone(), torch.full_like(w, 1e-8)
    for _ in range(20):
        prior.refine(mean, variance)
    exact = (6 + 200) / (6 + w.square().sum().item() / 2)
    assert prior.shape[0] / prior.rate[0] == pytest.approx(exact, rel=0.05)


def test_factors_without_a_proper_or_narrow_enough_cavity_stay():
    prior, mean, variance = after_data(1, 3)
    prior.largest_cavity_variance = 50.0
    wide = prior.weight_variance
    variance[0] = torch.tensor([0.5 * wide, 2.0 * wide, 0.99 * wide])  # fine; wider than its factor; cavity too wide
    before = mean.clone(), variance.clone(), prior.factors.copy()
    prior.refine(mean, variance)
    np.testing.assert_array_equal(prior.factors[0, 1:], before[2][0, 1:])
    assert (prior.factors[0, 0] != before[2][0, 0]).any()
    torch.testing.assert_close(mean[:, 1:], before[0][:, 1:])
    torch.testing.assert_close(variance[:, 1:], before[1][:, 1:])


def test_runs_do_not_depend_on_one_another():
    prior, mean, variance = after_data(3)
    alone, mean_1, variance_1 = after_data(3)
    alone.factors, alone.shape, alone.rate = alone.factors[1:2], alone.shape[1:2], alone.rate[1:2]
    mean_1, variance_1 = mean_1[1:2].clone(), variance_1[1:2].clone()
    prior.refine(mean, variance)
    alone.refine(mean_1, variance_1)
    assert torch.equal(mean[1:2], mean_1) and torch.equal(variance[1:2], variance_1)
