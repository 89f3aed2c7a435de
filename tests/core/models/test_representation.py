"""The hand-written gradient against autograd, and that training fits."""

import pytest
import torch

from core.foundation.randomness import make_generators
from core.models.representation import NAMES, Representation


def data(n=20, runs=3):
    g = torch.Generator().manual_seed(0)
    X = torch.randn(runs, n, 2, generator=g)
    return X, (2 * X[..., 0]).sin() + 0.5 * X[..., 1]


@pytest.mark.parametrize("name", NAMES)
def test_gradient_is_autograd_s(name):
    X, y = data()
    model = Representation(widths=(7, 5), activation=name, epochs=1, weight_decay=0.3).fit(
        X, y, make_generators([0, 1, 2])
    )
    theta = model.theta.double().requires_grad_()
    a = X.double()
    for layer, (W, b) in enumerate(model.network.unpack(theta)):
        a = a @ W + b.unsqueeze(1)
        if layer < 2:
            a = a.relu() if name == "relu" or (name == "relu+tanh" and layer == 0) else a.tanh()
        if layer == 1:
            torch.testing.assert_close(model.features(X), a)
    objective = 0.5 * (a.squeeze(-1) - y).square().mean(1) + 0.15 * theta.square().sum(1)
    (expected,) = torch.autograd.grad(objective.sum(), theta)
    ours = torch.empty_like(expected)
    model.gradient(theta.detach(), ours)(X.double(), y.double())
    torch.testing.assert_close(ours, expected)


@pytest.mark.parametrize("name", NAMES)
def test_training_lowers_the_error_of_every_run(name):
    X, y = data(n=50)
    model = Representation(widths=(20, 20), activation=name, epochs=200, batch_size=16).fit(
        X, y, make_generators([0, 1, 2])
    )
    outputs = model.features(X) @ model.network.unpack(model.theta)[-1][0].double()
    outputs = outputs.squeeze(-1) + model.network.unpack(model.theta)[-1][1].double()
    assert ((outputs - y).square().mean(1) < 0.05 * y.var(1)).all()
    assert (model.features(100 * X).abs() <= 1).all() == (name != "relu")


def test_one_step_is_momentum_s():
    X, y = data(n=4, runs=1)
    start = (
        Representation(widths=(3,), epochs=1, batch_size=4, learning_rate=1e-12).fit(X, y, make_generators([0])).theta
    )
    model = Representation(widths=(3,), epochs=2, batch_size=4, learning_rate=0.1, momentum=0.5, weight_decay=0.0)
    model.fit(X, y, make_generators([0]))
    theta, velocity, gradient = start.clone(), torch.zeros_like(start), torch.empty_like(start)
    for rate in (0.1, 0.05):
        model.gradient(theta, gradient)(X, y)
        velocity = 0.5 * velocity - rate * gradient / gradient.norm().clamp(min=1)
        theta = theta + velocity
    torch.testing.assert_close(model.theta, theta)


@pytest.mark.parametrize(
    "settings, message",
    [
        ({"activation": "selu"}, "activation: must be one of tanh, relu, relu"),
        ({"momentum": 1.0}, "momentum is 1.0; allowed: 0 to below 1"),
        ({"weight_decay": -1.0}, "weight_decay is -1.0; allowed: at least 0"),
        ({"widths": ()}, "widths: must hold at least one hidden layer"),
        ({"epochs": 0}, "epochs is .*; allowed: a whole number from 1"),
    ],
)
def test_bad_settings(settings, message):
    with pytest.raises(ValueError, match=message):
        Representation(**settings)


def test_long_gradients_are_cut_to_length_one():
    X, y = data(n=4, runs=1)
    settings = {"widths": (3,), "epochs": 1, "batch_size": 4, "weight_decay": 0.0}
    start = Representation(**settings, learning_rate=1e-12).fit(X, 1e4 * y, make_generators([0])).theta
    moved = Representation(**settings, learning_rate=0.1).fit(X, 1e4 * y, make_generators([0])).theta - start
    torch.testing.assert_close(moved.norm(), torch.tensor(0.1))


@pytest.mark.parametrize("n, batch_size, widths", [(1, 32, (7, 5)), (20, 8, (50, 50, 50)), (17, 17, (9,))])
def test_the_compiled_descent_is_torch_s(n, batch_size, widths):
    X, y = data(n=n)
    model = Representation(widths=widths, epochs=5, batch_size=batch_size, weight_decay=0.1)
    compiled = model.fit(X, 3 * y, make_generators([0, 1, 2])).theta
    model._descend_compiled = model._descend
    plain = model.fit(X, 3 * y, make_generators([0, 1, 2])).theta
    torch.testing.assert_close(compiled, plain, rtol=1e-4, atol=1e-6)
