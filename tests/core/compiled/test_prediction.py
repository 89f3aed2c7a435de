"""The compiled outputs of many networks and their gradients, against torch in double precision and autograd."""

import pytest
import torch

from core.compiled import prediction
from core.compiled.prediction import covers, network_outputs
from core.models.network import MLP

SIZES = [(1, 1), (3, 1), (1, 7, 1), (6, 50, 50, 50, 1), (2, 3, 17, 16, 1), (13, 8, 1)]


def make(sizes, points, samples=3, runs=2, seed=0):
    generator = torch.Generator().manual_seed(seed)
    network = MLP(sizes)
    theta = torch.randn(samples, runs, network.num_weights, generator=generator) * 0.4
    X = torch.randn(runs, points, sizes[0], generator=generator)
    weights = torch.randn(samples, runs, points, generator=generator)
    return network, theta, X, weights


@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("points", [1, 8, 13, prediction.BLOCK, 2 * prediction.BLOCK + 21])
def test_outputs_and_gradients_equal_autograd(sizes, points):
    network, theta, X, weights = make(sizes, points)
    exact_X = X.double().requires_grad_()
    exact = network.forward(theta.double(), exact_X)
    (exact_gradient,) = torch.autograd.grad((exact * weights).sum(), exact_X)

    plain = network_outputs(network.sizes, theta, X)
    X.requires_grad_()
    outputs = network_outputs(network.sizes, theta, X)
    (gradient,) = torch.autograd.grad((outputs * weights).sum(), X)
    assert not plain.requires_grad and outputs.requires_grad
    assert plain.shape == (3, 2, points) and torch.equal(plain, outputs)
    torch.testing.assert_close(outputs.double(), exact, rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(gradient.double(), exact_gradient, rtol=1e-4, atol=1e-5)


def test_an_output_depends_on_its_own_point_run_and_sample_alone():
    network, theta, X, _ = make((2, 9, 6, 1), 77, samples=4, runs=3)
    whole = network_outputs(network.sizes, theta, X)
    assert torch.equal(network_outputs(network.sizes, theta[2:3, 1:2], X[1:2]), whole[2:3, 1:2])
    assert torch.equal(network_outputs(network.sizes, theta, X[:, 70:71]), whole[..., 70:71])
    theta[1, 2], X[0, 5] = torch.nan, torch.nan
    lost = network_outputs(network.sizes, theta, X).isnan()
    expected = torch.zeros_like(lost)
    expected[1, 2], expected[:, 0, 5] = True, True
    assert torch.equal(lost, expected)


def test_weights_need_not_be_contiguous():
    network, theta, X, _ = make((2, 9, 1), 5)
    wide = torch.cat([theta, theta.new_full((3, 2, 1), 9.0)], -1)[..., :-1]
    assert not wide.is_contiguous() and torch.equal(
        network_outputs(network.sizes, wide, X), network_outputs(network.sizes, theta, X)
    )


def test_a_second_derivative_is_refused():
    network, theta, X, _ = make((2, 9, 1), 5)
    X.requires_grad_()
    (gradient,) = torch.autograd.grad(network_outputs(network.sizes, theta, X).square().sum(), X, create_graph=True)
    with pytest.raises(RuntimeError, match="once_differentiable"):
        gradient.sum().backward()


def test_what_is_covered():
    network, theta, _, _ = make((2, 9, 1), 5)
    assert covers(network.activation, theta)
    assert not covers("relu", theta)
    assert not covers(network.activation, theta.double())
    assert not covers(network.activation, theta.clone().requires_grad_())
