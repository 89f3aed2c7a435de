"""MC dropout against the closed forms of a linear layer, the formula for tau, its limits and its interface."""

import math

import pytest
import torch
from botorch.acquisition import LogExpectedImprovement, qLogExpectedImprovement
from botorch.optim import optimize_acqf
from botorch.utils.sampling import manual_seed

from core.foundation.errors import UserError
from core.foundation.randomness import make_generators
from core.models.mc_dropout import MCDropout
from core.models.network import MLP


def standard_data(runs=2, n=30, d=3, seed=0):
    """Standardized exactly, so that the model's own standardization changes nothing."""
    generator = torch.Generator().manual_seed(seed)
    X = torch.randn(runs, n, d, dtype=torch.float64, generator=generator)
    y = X.sum(-1) + 0.5 * torch.randn(runs, n, dtype=torch.float64, generator=generator) + X[..., 0] * X[..., 1]
    X, y = (values - values.mean(1, keepdim=True) for values in (X, y))
    return X / X.std(1, correction=0, keepdim=True), y / y.std(1, correction=0, keepdim=True)


def small(**settings):
    return MCDropout(**{"widths": (6,), "epochs": 30, "samples": 12, "dropout": 0.1, **settings})


def test_linear_predictions_have_the_moments_of_bernoulli_masks():
    """y = sum_j z_j x_j w_j + b: mean p x.w + b, variance p (1 - p) sum (x_j w_j)^2, and 1/tau for an observation."""
    X, y = standard_data()
    model = MCDropout(widths=(), dropout=0.3, precision=50.0, epochs=20, samples=20_000)
    model.fit(X, y, make_generators([0, 1]))
    (weight, bias), keep = model.network.unpack(model.theta.double())[0], 0.7
    expected_mean = keep * (X @ weight).squeeze(-1) + bias
    spread = keep * (1 - keep) * (X.square() @ weight.square()).squeeze(-1)
    means, noise = model.predict(X)
    error = 5 * spread.max().sqrt().item() / math.sqrt(20_000)
    torch.testing.assert_close(means.mean(0), expected_mean, atol=error, rtol=0)
    torch.testing.assert_close(means.var(0), spread, rtol=0.06, atol=0)
    torch.testing.assert_close(noise.expand(1, 2, 1), torch.full((1, 2, 1), 1 / 50, dtype=torch.float64))
    mean, variance = model.moments(X)
    torch.testing.assert_close(mean, means.mean(0))
    torch.testing.assert_close(variance, means.var(0, correction=0) + 1 / 50)


def test_training_minimizes_the_expected_objective():
    """In a linear layer the masks can be averaged out: a ridge penalty p (1 - p) sum_j w_j^2 mean(x_j^2) / 2."""
    X, y = standard_data(n=25)
    settings = {"precision": 2.0, "length_scale": 1.5, "dropout": 0.25}
    model = MCDropout(widths=(), epochs=2000, batch_size=25, **settings).fit(X, y, make_generators([0, 1]))
    keep, n = 0.75, 25
    design = torch.cat([keep * X, torch.ones_like(X[..., :1])], -1)
    of_weights, of_bias = keep * 1.5**2 / (2 * n * 2.0), 1.5**2 / (2 * n * 2.0)
    spread = keep * (1 - keep) * X.square().mean(1)
    penalty = torch.cat([spread + 2 * of_weights, torch.full((2, 1), 2 * of_bias, dtype=X.dtype)], 1)
    normal = design.mT @ design / n + torch.diag_embed(penalty)
    expected = torch.linalg.solve(normal, design.mT @ y.unsqueeze(-1) / n).squeeze(-1)
    torch.testing.assert_close(model.theta.double(), expected, atol=0.02, rtol=0)


def test_weight_decay_is_the_papers_formula_for_tau_solved():
    model = MCDropout(widths=(4,), dropout=(0.1, 0.5), precision=3.0, length_scale=0.7)
    for (of_weights, of_biases), keep in zip(model.weight_decay(12), (0.9, 0.5)):
        assert keep * 0.7**2 / (2 * 12 * of_weights) == pytest.approx(3.0)
        assert of_weights == pytest.approx(keep * of_biases)


def test_without_dropout_every_pass_is_the_one_network():
    X, y = standard_data()
    model = small(dropout=0.0, precision=40.0).fit(X, y, make_generators([0, 1]))
    means, _ = model.predict(X)
    network = MLP((3, 6, 1)).forward(model.theta, X.float()).double()
    torch.testing.assert_close(means, network.expand_as(means), rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(model.moments(X)[1], torch.full_like(network, 1 / 40), rtol=1e-6, atol=1e-9)


def test_a_sample_is_the_network_with_units_masked():
    """Zeroed rows are dropped inputs: written out with masks on the activations, recovered from the samples."""
    X, y = standard_data(1)
    model = small(dropout=(0.4, 0.5)).fit(X, y, make_generators([0]))
    (W1, b1), (W2, b2) = model.network.unpack(model.theta[0])
    for sample, prediction in zip(model.samples[:, 0], model.predict(X)[0][:, 0]):
        (V1, _), (V2, _) = model.network.unpack(sample)
        inputs, hidden = (V1 != 0).any(1), (V2 != 0).any(1)
        torch.testing.assert_close(V1, W1 * inputs.unsqueeze(1))
        expected = (torch.tanh((X[0].float() * inputs) @ W1 + b1) * hidden) @ W2 + b2
        torch.testing.assert_close(prediction, expected.squeeze(1).double(), rtol=1e-5, atol=1e-5)


def test_units_are_kept_at_each_layers_own_rate():
    X, y = standard_data()
    model = small(dropout=(0.2, 0.6), samples=4000).fit(X, y, make_generators([0, 1]))
    kept = [(weight != 0).any(-1).double().mean((0, 2)) for weight, _ in model.network.unpack(model.samples)]
    for rate, expected in zip(kept, (0.8, 0.4)):
        torch.testing.assert_close(rate, torch.full_like(rate, expected), atol=0.02, rtol=0)


def test_dropout_spreads_predictions_and_the_fit_follows_the_data():
    X, y = standard_data(2, n=60)
    model = small(widths=(30,), dropout=(0.0, 0.05), epochs=400, samples=200).fit(X, y, make_generators([0, 1]))
    means, _ = model.predict(X)
    assert (means.mean(0) - y).square().mean() < 0.3
    assert means.std(0).min() > 1e-3


def test_a_run_does_not_depend_on_the_others():
    X, y = standard_data(3)
    together = small(batch_size=12).fit(X, y, make_generators([5, 6, 7]))
    alone = small(batch_size=12).fit(X[1], y[1], make_generators([6]))
    torch.testing.assert_close(together.predict(X)[0][:, 1], alone.predict(X[1])[0][:, 0], rtol=1e-4, atol=1e-4)


def test_predictions_are_fixed_functions_in_the_units_of_the_data():
    X, y = standard_data(1)
    model = small().fit(X, y, make_generators([0]))
    torch.testing.assert_close(model.predict(X[:, 3:5])[0], model.predict(X)[0][..., 3:5], rtol=1e-5, atol=1e-5)
    scaled = small().fit(1e3 * X - 7, 50 * y + 1e4, make_generators([0])).moments(1e3 * X - 7)
    mean, variance = model.moments(X)
    torch.testing.assert_close(scaled[0], 50 * mean + 1e4, rtol=1e-4, atol=1e-2)
    torch.testing.assert_close(scaled[1], 2500 * variance, rtol=1e-3, atol=0)


def test_botorch_optimizes_acquisition_functions_over_it():
    X, y = standard_data(1)
    model = small().fit(X, y, make_generators([0]))
    bounds = torch.tensor([[-1.0] * 3, [1.0] * 3], dtype=torch.float64)
    for function in (LogExpectedImprovement, qLogExpectedImprovement):
        with manual_seed(0):
            candidates, value = optimize_acqf(function(model, y.max()), bounds, q=1, num_restarts=2, raw_samples=16)
        assert candidates.shape == (1, 3) and torch.isfinite(value)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"dropout": 1.0}, r"dropout: must be a rate in \[0, 1\)"),
        ({"dropout": (0.1, 0.1)}, "one for each of 4 layers"),
        ({"precision": 0.0}, "precision is 0.0; allowed: positive"),
        ({"length_scale": math.nan}, "length_scale is nan; allowed: positive"),
        ({"samples": 0}, "samples is .*; allowed: a whole number from 1"),
    ],
)
def test_bad_settings_are_named(settings, message):
    with pytest.raises(ValueError, match=message):
        MCDropout(**settings)


def test_prediction_before_fit_is_named():
    with pytest.raises(UserError, match="call fit"):
        MCDropout().moments(torch.zeros(2, 3))
