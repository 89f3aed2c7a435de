"""The networks of Table B.1 against torch.nn's layers, torch.distributions and closed forms."""

import math
from itertools import pairwise

import pytest
import torch
from torch import nn
from torch.distributions import Normal, kl_divergence
from torch.nn import functional

from core.foundation.errors import UnknownNameError, UserError
from core.objectives.spaces import curve_space
from core.training.curve_networks import NETWORKS, Shape, dropped

SHAPE = Shape(channels=1, height=8, width=8, classes=3)
CHOSEN = {
    "lr": {"learning_rate": 0.1, "l2": 0.01, "batch_size": 8, "dropout": 0.0},
    "fcnet": {"learning_rate": 0.1, "l2": 0.01, "log10_gamma": -2.0, "kappa": 0.5, "momentum": 0.9}
    | {"batch_size": 8, "units_1": 7, "units_2": 5, "dropout_1": 0.0, "dropout_2": 0.0},
    "cnn": {"learning_rate": 0.01, "batch_size": 8, "units_1": 3, "units_2": 4, "units_3": 5},
    "vae": {"samples": 2, "units": 6, "batch_size": 8, "latent_dimension": 2},
}


def make(name, **changes):
    return NETWORKS[name](CHOSEN[name] | changes, SHAPE, torch.Generator().manual_seed(0))


@pytest.fixture
def batch():
    generator = torch.Generator().manual_seed(1)
    return torch.rand(20, SHAPE.pixels, generator=generator), torch.randint(3, (20,), generator=generator)


def test_logistic_regression_descends_on_the_penalized_cross_entropy(batch):
    network, (X, y) = make("lr"), batch
    linear = nn.Linear(SHAPE.pixels, 3)
    with torch.no_grad():
        linear.weight.copy_(network.W.T)
        linear.bias.copy_(network.b)
    expected = functional.cross_entropy(linear(X), y) + 0.01 * linear.weight.square().sum()
    torch.testing.assert_close(network.objective(X, y), expected)


def test_fcnet_is_batch_normalized_in_training_and_by_running_means_in_validation(batch):
    network, (X, y) = make("fcnet"), batch
    layers = [nn.Linear(64, 7, bias=False), nn.BatchNorm1d(7), nn.ReLU()]
    layers += [nn.Linear(7, 5, bias=False), nn.BatchNorm1d(5), nn.ReLU(), nn.Linear(5, 3)]
    reference = nn.Sequential(*layers)
    with torch.no_grad():
        for place, weight in zip((0, 3, 6), network.W, strict=True):
            reference[place].weight.copy_(weight.T)
        reference[6].bias.copy_(network.b)
    torch.testing.assert_close(network.scores(X, training=True), reference(X))
    torch.testing.assert_close(network.scores(X, training=False), reference.eval()(X))
    error, loss = network.validate(X, y)
    assert float(error) == pytest.approx(float((reference(X).argmax(1) != y).float().mean()))
    torch.testing.assert_close(loss, functional.cross_entropy(reference(X), y))


def test_fcnets_rate_falls_with_the_steps():
    network = make("fcnet")
    assert network.rate(0) == pytest.approx(0.1)
    assert network.rate(300) == pytest.approx(0.1 / math.sqrt(1 + 0.01 * 300))


def test_cnn_has_three_convolutions_of_stride_2(batch):
    network, (X, y) = make("cnn"), batch
    planes, layers = (1, 3, 4, 5), []
    for a, b in pairwise(planes):
        layers += [nn.Conv2d(a, b, 3, stride=2, padding=1), nn.ReLU()]
    reference = nn.Sequential(nn.Unflatten(1, (1, 8, 8)), *layers, nn.Flatten(), nn.Linear(5, 3))
    with torch.no_grad():
        for layer, filters, shift in zip(reference[1:7:2], network.filters, network.shift, strict=True):
            layer.weight.copy_(filters)
            layer.bias.copy_(shift)
        reference[8].weight.copy_(network.W.T)
        reference[8].bias.copy_(network.b)
    torch.testing.assert_close(network.objective(X, y), functional.cross_entropy(reference(X), y))


def test_the_vaes_bound_is_divergence_plus_reconstruction(batch):
    """A decoder without weights takes every pixel for a fair coin: ln 2 nats each."""
    network, (X, y) = make("vae"), batch
    (W1, b1), (W2, b2), _, (W4, b4) = network.layers
    with torch.no_grad():
        W4.zero_()
        b4.zero_()
    mean, log_variance = (torch.tanh(X @ W1 + b1) @ W2 + b2).chunk(2, 1)
    divergence = kl_divergence(Normal(mean, (0.5 * log_variance).exp()), Normal(0.0, 1.0)).sum(1).mean()
    torch.testing.assert_close(network.objective(X, y), divergence + SHAPE.pixels * math.log(2))


@pytest.mark.parametrize("name", NETWORKS)
def test_initial_weights_are_uniform_in_the_range_of_their_layer(name):
    network = make(name)
    tensors = [tensor for group in network.optimizer.param_groups for tensor in group["params"] if tensor.ndim > 1]
    for tensor in tensors:
        inputs, outputs = tensor.shape if tensor.ndim == 2 else (9 * tensor.shape[1], 9 * tensor.shape[0])
        bound = math.sqrt(6 / (inputs + outputs))
        assert 0.5 * bound < float(tensor.detach().abs().max()) <= bound


def test_dropout_keeps_the_mean():
    X = torch.ones(400, 500)
    found = dropped(X, 0.3, torch.Generator().manual_seed(0))
    zero = found == 0
    assert float(zero.float().mean()) == pytest.approx(0.3, abs=0.01)
    torch.testing.assert_close(found[~zero], torch.full_like(found[~zero], 1 / 0.7))
    torch.testing.assert_close(dropped(X, 0.0, torch.Generator().manual_seed(0)), X)


@pytest.mark.parametrize("name", NETWORKS)
def test_every_network_takes_the_configurations_of_its_space(name, batch):
    most = None if name == "lr" else 40
    configuration = dict(curve_space(name, most).get_default_configuration())
    assert torch.isfinite(NETWORKS[name](configuration, SHAPE, torch.Generator().manual_seed(0)).objective(*batch))


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (("rnn",), UnknownNameError, "rnn"),
        (("lr", 8), UserError, "logistic regression has no hidden units; allowed: None"),
        (("cnn", 16), UserError, "most_units = 16 for cnn; allowed: 17 to 1024"),
        (("fcnet", 5000), UserError, "most_units = 5000 for fcnet; allowed: 33 to 4096"),
    ],
)
def test_spaces_that_do_not_exist_are_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        curve_space(*arguments)
