"""Bayes by Backprop against conjugate linear regression, its gradients against autograd, its interface."""

import math

import pytest
import torch
from botorch.acquisition import LogExpectedImprovement, qLogExpectedImprovement
from botorch.optim import optimize_acqf
from botorch.utils.sampling import manual_seed
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.distributions import Categorical, MixtureSameFamily, Normal, kl_divergence
from torch.nn.functional import softplus

from core.foundation.errors import UserError
from core.foundation.randomness import make_generators, normal_
from core.models.bayes_by_backprop import WEIGHTINGS, BayesByBackprop, FreeEnergyGradient, ScaleMixture

GAUSSIAN = ScaleMixture(weight=1.0, wide=0.7)


def correlated_data(runs=2, n=40, d=3, seed=0):
    """Standardized exactly, so that the model's own standardization changes nothing."""
    generator = torch.Generator().manual_seed(seed)
    X = torch.randn(runs, n, d, dtype=torch.float64, generator=generator)
    X = X + 0.8 * X[..., :1]
    y = X.sum(-1) + 0.5 * torch.randn(runs, n, dtype=torch.float64, generator=generator)
    X, y = (values - values.mean(1, keepdim=True) for values in (X, y))
    return X / X.std(1, correction=0, keepdim=True), y / y.std(1, correction=0, keepdim=True)


def exact_posterior(X, y, noise, sd):
    """Precision (runs, P, P) and mean (runs, P) of weights and bias in Bayesian linear regression."""
    design = torch.cat([X, torch.ones_like(X[..., :1])], -1)
    precision = design.mT @ design / noise + torch.eye(design.shape[-1], dtype=X.dtype) / sd**2
    return precision, torch.linalg.solve(precision, design.mT @ y.unsqueeze(-1) / noise).squeeze(-1)


def linear(**settings):
    defaults = {"widths": (), "prior": GAUSSIAN, "batch_size": 100, "epochs": 1500, "draws": 16}
    return BayesByBackprop(**{**defaults, **settings})


def test_linear_model_converges_to_the_exact_mean_and_the_mean_field_variances():
    X, y = correlated_data()
    precision, mean = exact_posterior(X, y, torch.tensor(0.3), GAUSSIAN.wide)
    model = linear(noise_variance=0.3).fit(X, y, make_generators([0, 1]))
    best_variance = 1 / precision.diagonal(dim1=1, dim2=2)
    assert (best_variance < 0.8 * precision.inverse().diagonal(dim1=1, dim2=2)).any()  # mean field is not exact here
    torch.testing.assert_close(model.mu.double(), mean, atol=0.01, rtol=0)
    torch.testing.assert_close(model.sigma.double().square(), best_variance, atol=0, rtol=0.05)


@pytest.mark.parametrize("weighting", WEIGHTINGS)
def test_minibatches_converge_to_the_same_posterior(weighting):
    X, y = correlated_data()
    precision, mean = exact_posterior(X, y, torch.tensor(0.3), GAUSSIAN.wide)
    settings = {"batch_size": 15, "complexity_weighting": weighting, "epochs": 800}  # batches of 15, 15 and 10
    model = linear(noise_variance=0.3, **settings).fit(X, y, make_generators([0, 1]))
    torch.testing.assert_close(model.mu.double(), mean, atol=0.03, rtol=0)
    sd = precision.diagonal(dim1=1, dim2=2).rsqrt()
    torch.testing.assert_close(model.sigma.double(), sd, atol=0, rtol=0.1)


@pytest.mark.slow
def test_learned_noise_minimizes_the_free_energy():
    """At the optimum the noise variance is the expected squared error; iterated in closed form for the linear model."""
    X, y = correlated_data()
    design = torch.cat([X, torch.ones_like(X[..., :1])], -1)
    noise = torch.ones(2, 1, 1, dtype=torch.float64)
    for _ in range(200):
        precision, mean = exact_posterior(X, y, noise, GAUSSIAN.wide)
        variance = 1 / precision.diagonal(dim1=1, dim2=2)
        error = y.unsqueeze(-1) - design @ mean.unsqueeze(-1)
        noise = (error.square() + design.square() @ variance.unsqueeze(-1)).mean(1, keepdim=True)
    model = linear().fit(X, y, make_generators([0, 1]))
    torch.testing.assert_close(model.noise_variance, noise.squeeze(-1), rtol=0.06, atol=0)


@settings(deadline=None)
@given(weight=st.sampled_from([0.25, 0.5, 0.75, 1.0]), w=st.floats(-4, 4), log_narrow=st.floats(-6, 0))
def test_prior_gradient_is_that_of_the_mixture_density(weight, w, log_narrow):
    prior = ScaleMixture(weight, 1.0, math.exp(log_narrow))
    weights, sds = torch.tensor([[weight, 1 - weight], [prior.wide, prior.narrow]], dtype=torch.float64)
    mixture = MixtureSameFamily(Categorical(weights), Normal(torch.zeros_like(sds), sds))
    value = torch.tensor(w, dtype=torch.float64, requires_grad=True)
    expected = -torch.autograd.grad(mixture.log_prob(value), value)[0]
    torch.testing.assert_close(prior.gradient(value.detach()), expected, rtol=1e-6, atol=1e-9)


def test_closed_form_complexity_is_the_divergence_and_its_monte_carlo_estimate():
    generator = torch.Generator().manual_seed(0)
    mu = torch.randn(2, 5, dtype=torch.float64, generator=generator).requires_grad_()
    sigma = (0.2 + torch.rand(2, 5, dtype=torch.float64, generator=generator)).requires_grad_()
    divergence = kl_divergence(Normal(mu, sigma), Normal(0, GAUSSIAN.wide)).sum()
    expected = torch.autograd.grad(divergence, (mu, sigma))
    eps = torch.randn(2, 200_000, 5, dtype=torch.float64, generator=generator)
    mu, sigma = mu.detach(), sigma.detach()
    w = mu.unsqueeze(1) + sigma.unsqueeze(1) * eps
    sampled = ScaleMixture(1 - 1e-12, GAUSSIAN.wide).complexity_gradients(mu, sigma, w, eps)
    for ours, estimate, exact in zip(GAUSSIAN.complexity_gradients(mu, sigma, w, eps), sampled, expected):
        torch.testing.assert_close(ours, exact)
        torch.testing.assert_close(estimate, exact, atol=0.03, rtol=0)


def test_free_energy_gradient_is_autograds():
    """F_i written with torch.distributions on the same draws, for two hidden layers and a partial batch."""
    X, y = correlated_data(n=7)
    X, y = X.float(), y.float()
    prior, share, draws = ScaleMixture(0.4, 0.8, 0.1), 0.35, 3
    model = BayesByBackprop(widths=(4, 3), prior=prior, draws=draws, batch_size=5)
    model.prepare(X, y)
    model.mu = model.network.init(make_generators([0, 1]), 2)
    rho, log_noise = torch.full_like(model.mu, -1.0), torch.tensor([[-1.0], [0.5]])
    ours = FreeEnergyGradient(model, 7)(model.mu, rho, log_noise, X[:, :2], y[:, :2], share, make_generators([5, 6]))

    parameters = [values.clone().requires_grad_() for values in (model.mu, rho, log_noise)]
    mu, rho, log_noise = parameters
    eps = normal_(torch.empty(2, draws, mu.shape[1]), make_generators([5, 6]))
    sigma = softplus(rho).unsqueeze(1)
    w = mu.unsqueeze(1) + sigma * eps
    components = Normal(torch.zeros(2), torch.tensor([prior.wide, prior.narrow]))
    log_prior = MixtureSameFamily(Categorical(torch.tensor([0.4, 0.6])), components).log_prob(w).sum(-1)
    log_posterior = Normal(mu.unsqueeze(1), sigma).log_prob(w).sum(-1)
    output = model.network.forward(w, X[:, :2].unsqueeze(1))
    log_likelihood = Normal(output, (log_noise.unsqueeze(1) / 2).exp()).log_prob(y[:, :2].unsqueeze(1)).sum(-1)
    free_energy = (share * (log_posterior - log_prior) - log_likelihood).mean(1).sum()
    for gradient, expected in zip(ours, torch.autograd.grad(free_energy, parameters)):
        torch.testing.assert_close(gradient, expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("batches", [1, 2, 5, 2000])
def test_shares_of_the_complexity_cost_sum_to_one(batches):
    shares = {name: [share(i, batches) for i in range(1, batches + 1)] for name, share in WEIGHTINGS.items()}
    for values in shares.values():
        assert sum(values) == pytest.approx(1)
    assert shares["uniform"] == pytest.approx([1 / batches] * batches)
    if batches <= 5:
        assert shares["decaying"] == pytest.approx(
            [2 ** (batches - i) / (2**batches - 1) for i in range(1, batches + 1)]
        )


def small(**settings):
    return BayesByBackprop(**{"widths": (6,), "epochs": 30, "samples": 12, "noise_variance": 1e-2, **settings})


def test_a_run_does_not_depend_on_the_others():
    X, y = correlated_data(3)
    together = small().fit(X, y, make_generators([5, 6, 7]))
    alone = small().fit(X[1], y[1], make_generators([6]))
    torch.testing.assert_close(together.predict(X)[0][:, 1], alone.predict(X[1])[0][:, 0], rtol=1e-4, atol=1e-4)


def test_predictions_follow_the_units_of_the_data():
    X, y = correlated_data(1)
    mean, variance = small().fit(X, y, make_generators([0])).moments(X)
    scaled = small().fit(1e3 * X - 7, 50 * y + 1e4, make_generators([0])).moments(1e3 * X - 7)
    torch.testing.assert_close(scaled[0], 50 * mean + 1e4, rtol=1e-4, atol=1e-2)
    torch.testing.assert_close(scaled[1], 2500 * variance, rtol=1e-3, atol=0)


def test_members_are_draws_from_the_posterior_and_fixed_functions():
    X, y = correlated_data(2)
    model = small(samples=4000).fit(X, y, make_generators([0, 1]))
    torch.testing.assert_close(model.samples.mean(0), model.mu, atol=0.02, rtol=0)
    torch.testing.assert_close(model.samples.std(0), model.sigma, rtol=0.08, atol=0)
    means, noise = model.predict(X)
    torch.testing.assert_close(model.predict(X[:, 3:5])[0], means[..., 3:5], rtol=1e-5, atol=1e-5)
    expected = model.targets.inverse_variance(model.noise_variance)
    torch.testing.assert_close(noise.expand(1, 2, 1), expected.unsqueeze(0))
    assert model.predict(X.expand(4, *X.shape))[0].shape == (4000, 4, 2, 40)


def test_botorch_optimizes_acquisition_functions_over_it():
    X, y = correlated_data(1)
    model = small().fit(X, y, make_generators([0]))
    bounds = torch.tensor([[-1.0] * 3, [1.0] * 3], dtype=torch.float64)
    for function in (LogExpectedImprovement, qLogExpectedImprovement):
        with manual_seed(0):
            candidates, value = optimize_acqf(function(model, y.max()), bounds, q=1, num_restarts=2, raw_samples=16)
        assert candidates.shape == (1, 3) and torch.isfinite(value)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"complexity_weighting": "linear"}, "complexity_weighting: must be one of uniform, decaying, got 'linear'"),
        ({"noise_variance": 0.0}, "noise_variance is 0.0; allowed: positive"),
        ({"draws": 0}, "draws is .*; allowed: a whole number from 1"),
        ({"batch_size": 2.5}, "batch_size is 2.5; allowed: a whole number from 1"),
        ({"learning_rate": math.inf}, "learning_rate is inf; allowed: positive and finite"),
        ({"activation": "sine"}, "activation"),
    ],
)
def test_bad_settings_are_named(settings, message):
    with pytest.raises(ValueError, match=message):
        BayesByBackprop(**settings)


@pytest.mark.parametrize("values", [(0.0, 1.0, 0.1), (1.2, 1.0, 0.1), (0.5, 0.1, 1.0), (0.5, 1.0, 0.0)])
def test_bad_priors_are_named(values):
    with pytest.raises(ValueError, match="0 < weight <= 1 and 0 < narrow <= wide"):
        ScaleMixture(*values)


def test_prediction_before_fit_is_named():
    with pytest.raises(UserError, match="call fit"):
        BayesByBackprop().predict(torch.zeros(2, 3))
