"""The whole algorithm against one written out, invariances, what it learns, and its face to BoTorch."""

import math

import pytest
import torch
from botorch.acquisition import LogExpectedImprovement, qLogExpectedImprovement, qUpperConfidenceBound
from botorch.exceptions.errors import UnsupportedError
from botorch.optim import optimize_acqf
from botorch.posteriors import GPyTorchPosterior
from botorch.utils.sampling import manual_seed

from core.foundation.errors import UserError
from core.foundation.randomness import make_generators, normal_, permutations
from core.models.network import MLP
from core.models.pbp import ProbabilisticBackpropagation
from core.models.pbp_prior import PriorFactors
from core.models.scores import mixture_log_likelihood, moment_matched_log_likelihood


def waves(runs=1, n=20, d=2, seed=0):
    generator = torch.Generator().manual_seed(seed)
    X = torch.rand(runs, n, d, generator=generator, dtype=torch.float64)
    return X, torch.sin(4 * X[..., 0]) + X.sum(-1)


def fitted(runs=1, seeds=None, **settings):
    X, y = waves(runs)
    model = ProbabilisticBackpropagation(**{"widths": (10,), "epochs": 5, **settings})
    return model.fit(X, y, make_generators(seeds or range(runs)))


def log_evidence(layout, mean, variance, x, y, noise):
    """log N(y | moments of the output + noise), with the network's moments unit by unit; differentiable."""
    normal = torch.distributions.Normal(torch.zeros((), dtype=torch.float64), 1)
    m, v = x, torch.zeros_like(x)
    for layer, ((M, b), (V, c)) in enumerate(zip(layout.unpack(mean), layout.unpack(variance))):
        if layer > 0:
            cdf, pdf = normal.cdf(m / v.sqrt()), normal.log_prob(m / v.sqrt()).exp()
            first, second = m * cdf + v.sqrt() * pdf, (m * m + v) * cdf + m * v.sqrt() * pdf
            m, v = first, second - first**2
        m, v = m @ M + b, v @ (M**2 + V) + m**2 @ V + c
        m, v = m / math.sqrt(len(M) + 1), v / (len(M) + 1)
    return torch.distributions.Normal(m, (v + noise).sqrt()).log_prob(y).squeeze()


def written_out(X, y, widths, epochs, seed):
    """Assumed density filtering of one run by autograd, with the Gamma update as printed; X and y standardized."""
    layout, generators = MLP((X.shape[1], *widths, 1), "relu"), make_generators([seed])
    mean = normal_(torch.empty(1, layout.num_weights, dtype=torch.float64), generators)[0]
    for layer, inputs in zip(layout.unpack(mean), layout.sizes):
        for values in layer:
            values /= math.sqrt(inputs + 1)
    prior = PriorFactors(1, layout.num_weights, 6.0, 6.0, 1e2)
    variance = torch.full_like(mean, 6 / 5)
    a, b = 6.0, 6.0
    for _ in range(epochs):
        for i in permutations(len(X), 1, generators)[0]:
            m, v = mean.clone().requires_grad_(), variance.clone().requires_grad_()
            z = [log_evidence(layout, m, v, X[i], y[i], b / (a - 1 + k)) for k in range(3)]
            by_m, by_v = torch.autograd.grad(z[0], (m, v))
            mean, variance = mean + variance * by_m, variance - variance**2 * (by_m**2 - 2 * by_v)
            z0, z1, z2 = (value.exp().item() for value in z)
            a, b = 1 / (z0 * z2 / z1**2 * (a + 1) / a - 1), 1 / (z2 / z1 * (a + 1) / b - z1 / z0 * a / b)
        prior.refine(mean.unsqueeze(0), variance.unsqueeze(0))
    return mean, variance, a, b


def test_fit_is_the_algorithm_written_out():
    generator = torch.Generator().manual_seed(3)
    X = torch.randn(2, 6, 3, dtype=torch.float64, generator=generator)
    y = X.prod(-1) + torch.randn(2, 6, dtype=torch.float64, generator=generator)
    X, y = (X - X.mean(1, True)) / X.std(1, correction=0, keepdim=True), y - y.mean(1, True)
    y = y / y.std(1, correction=0, keepdim=True)
    model = ProbabilisticBackpropagation(widths=(5, 4), epochs=3).fit(X, y, make_generators([8, 9]))
    for run, seed in enumerate([8, 9]):
        mean, variance, a, b = written_out(X[run], y[run], (5, 4), 3, seed)
        torch.testing.assert_close(model.mean[run], mean, rtol=1e-7, atol=1e-9)
        torch.testing.assert_close(model.variance[run], variance, rtol=1e-7, atol=1e-9)
        assert model.noise_shape[run].item() == pytest.approx(a, rel=1e-7)
        assert model.noise_rate[run].item() == pytest.approx(b, rel=1e-7)


def test_a_run_does_not_depend_on_the_others():
    X, y = waves(3)
    together = fitted(3, seeds=[5, 6, 7])
    alone = ProbabilisticBackpropagation(widths=(10,), epochs=5).fit(X[1], y[1], make_generators([6]))
    for ours, expected in zip(together.moments(X), alone.moments(X[1])):
        torch.testing.assert_close(ours[1], expected[0], rtol=1e-8, atol=1e-10)


def test_predictions_follow_the_units_of_the_data():
    X, y = waves()
    mean, variance = fitted().moments(X)
    model = ProbabilisticBackpropagation(widths=(10,), epochs=5).fit(1e3 * X - 7, 50 * y + 1e4, make_generators([0]))
    scaled_mean, scaled_variance = model.moments(1e3 * X - 7)
    torch.testing.assert_close(scaled_mean, 50 * mean + 1e4)
    torch.testing.assert_close(scaled_variance, 2500 * variance)


@pytest.mark.slow
def test_noise_and_function_are_recovered_from_noisy_data():
    generator = torch.Generator().manual_seed(1)
    X = 4 * torch.rand(2, 150, 1, dtype=torch.float64, generator=generator) - 2
    f = X.squeeze(-1).abs()
    y = f + 0.3 * torch.randn(2, 150, dtype=torch.float64, generator=generator)
    model = ProbabilisticBackpropagation(widths=(20,), epochs=12).fit(X, y, make_generators([0, 1]))
    noise = model.targets.inverse_variance(model.noise_variance).sqrt()
    torch.testing.assert_close(noise, torch.full_like(noise, 0.3), rtol=0.15, atol=0)
    assert (model.moments(X)[0] - f).square().mean().sqrt() < 0.12


def test_uncertainty_grows_away_from_the_data():
    X, y = waves(d=1)
    model = ProbabilisticBackpropagation(widths=(20,), epochs=10).fit(X, y, make_generators([0]))
    sd = model.posterior(torch.tensor([[0.5], [3.0], [10.0]], dtype=torch.float64)).variance.flatten().sqrt()
    assert sd[1] > 2 * sd[0] and sd[2] > 2 * sd[1]


def test_a_deep_network_with_more_weights_than_data_stays_finite_and_bounded():
    """The case in which wide cavities let the weights' precision run away (see the prior's docstring)."""
    X, y = waves(2, d=1)
    model = ProbabilisticBackpropagation(widths=(50, 50), epochs=15).fit(X, y, make_generators([0, 1]))
    mean, variance = model.moments(X)
    assert (mean - y).abs().max() < 3 and variance.max() < 10


def test_constant_targets_are_predicted():
    X, _ = waves()
    model = ProbabilisticBackpropagation(widths=(5,), epochs=5).fit(X, torch.full((1, 20), 7.0), make_generators([0]))
    mean, _ = model.moments(X)
    torch.testing.assert_close(mean, torch.full_like(mean, 7), rtol=0, atol=0.3)


def test_a_prediction_is_an_ensemble_of_one_gaussian():
    model, (X, y) = fitted(2), waves(2)
    means, variances = model.predict(X)
    assert means.shape == variances.shape == (1, 2, 20)
    torch.testing.assert_close(model.moments(X), (means[0], variances[0]))
    mixture, matched = (score(means, variances, y) for score in (mixture_log_likelihood, moment_matched_log_likelihood))
    torch.testing.assert_close(mixture, matched)


@pytest.mark.parametrize("runs", [1, 2])
def test_posterior_is_of_the_function_or_of_observations(runs):
    model = fitted(runs)
    X = torch.rand(5, 3, 2, dtype=torch.float64) if runs == 1 else torch.rand(5, runs, 3, 2, dtype=torch.float64)
    latent, noisy = model.posterior(X), model.posterior(X, observation_noise=True)
    assert isinstance(latent, GPyTorchPosterior) and latent.mean.shape == (*X.shape[:-1], 1)
    noise = model.targets.inverse_variance(model.noise_variance)
    noise = noise.view(1, 1, 1) if runs == 1 else noise.view(runs, 1, 1)
    torch.testing.assert_close(noisy.variance - latent.variance, noise.expand_as(latent.variance))
    by_run = X.unsqueeze(1) if runs == 1 else X
    mean, variance = model.moments(by_run)
    torch.testing.assert_close(noisy.mean.squeeze(-1).view_as(mean), mean)
    torch.testing.assert_close(noisy.variance.squeeze(-1).view_as(variance), variance)


@pytest.mark.parametrize("acquisition", ["LogEI", "qLogEI", "qUCB"])
def test_botorch_optimizes_acquisition_functions_over_it(acquisition):
    model, (_, y) = fitted(), waves()
    function, q = {
        "LogEI": (LogExpectedImprovement(model, best_f=y.max()), 1),
        "qLogEI": (qLogExpectedImprovement(model, best_f=y.max()), 2),
        "qUCB": (qUpperConfidenceBound(model, beta=4.0), 2),
    }[acquisition]
    bounds = torch.tensor([[0.0, 0.0], [1.0, 1.0]], dtype=torch.float64)
    with manual_seed(0):
        candidates, value = optimize_acqf(function, bounds, q=q, num_restarts=3, raw_samples=32)
    assert candidates.shape == (q, 2) and torch.isfinite(value)
    random = torch.rand(200, q, 2, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    with torch.no_grad():
        assert value >= function(random).max() - 1e-3


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"widths": (0,)}, "sizes"),
        ({"epochs": 0}, "epochs is 0; allowed: a whole number from 1"),
        ({"prior_shape": 1.0}, "prior_shape is 1.0; allowed: finite, above 1"),
        ({"prior_rate": 0.0}, "prior_rate is 0.0; allowed: positive"),
        ({"largest_cavity_variance": -1.0}, "largest_cavity_variance is -1.0; allowed: positive"),
    ],
)
def test_bad_settings_are_named(settings, message):
    with pytest.raises(ValueError, match=message):
        ProbabilisticBackpropagation(**settings)


def test_bad_use_is_named():
    model = ProbabilisticBackpropagation()
    X, y = waves()
    with pytest.raises(UserError, match="call fit"):
        model.posterior(X[0])
    with pytest.raises(ValueError, match="expected"):
        model.fit(X, y[:, :-1], make_generators([0]))
    with pytest.raises(UnsupportedError, match="observation_noise"):
        fitted().posterior(X[0], observation_noise=torch.ones(1))
    with pytest.raises(UnsupportedError, match="only output"):
        fitted().posterior(X[0], output_indices=[1])
