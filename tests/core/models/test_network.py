"""The hand-written network against torch.nn and autograd."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from core.foundation.randomness import make_generators
from core.models.network import MLP, Backpropagation

SIZES = st.lists(st.integers(1, 9), min_size=1, max_size=4).map(lambda sizes: (*sizes, 1))


def test_layout_is_weights_row_by_row_then_biases():
    network = MLP((2, 3, 1))
    (W, b), (w, c) = network.unpack(torch.arange(13.0).repeat(4, 1))
    assert W[0].tolist() == [[0, 1, 2], [3, 4, 5]] and b[3].tolist() == [6, 7, 8]
    assert w[1].tolist() == [[9], [10], [11]] and c[2].tolist() == [12]
    assert network.num_weights == 13
    assert network.weight_mask().tolist() == [1] * 6 + [0] * 3 + [1] * 3 + [0]


@pytest.mark.parametrize("activation, module", [("tanh", torch.nn.Tanh), ("relu", torch.nn.ReLU)])
def test_forward_equals_torch_nn(activation, module):
    network = MLP((4, 7, 5, 1), activation)
    theta = network.init(make_generators([3]), 2).double()
    X = torch.randn(2, 6, 4, dtype=torch.float64, generator=make_generators([4])[0])
    for chain in range(2):
        linears = [torch.nn.Linear(a, b, dtype=torch.float64) for a, b in ((4, 7), (7, 5), (5, 1))]
        for linear, (W, b) in zip(linears, network.unpack(theta[chain])):
            linear.weight.data, linear.bias.data = W.T.clone(), b.clone()
        expected = torch.nn.Sequential(linears[0], module(), linears[1], module(), linears[2])(X[chain]).squeeze(-1)
        torch.testing.assert_close(network.forward(theta, X)[chain], expected)


@given(SIZES, st.sampled_from(["tanh", "relu"]), st.integers(1, 3), st.integers(1, 6), st.integers(0, 2**31))
def test_backpropagation_equals_autograd(sizes, activation, chains, batch, seed):
    network, generator = MLP(sizes, activation), make_generators([seed])[0]
    theta = torch.randn(chains, network.num_weights, dtype=torch.float64, generator=generator).requires_grad_()
    X = torch.randn(chains, batch, sizes[0], dtype=torch.float64, generator=generator)
    delta = torch.randn(chains, batch, dtype=torch.float64, generator=generator)
    outputs = network.forward(theta, X)
    (expected,) = torch.autograd.grad((outputs * delta).sum(), theta)
    gradient = torch.full_like(expected, torch.nan)
    passes = Backpropagation(network, theta.detach(), gradient, batch)
    for _ in range(2):  # the buffers are used again
        torch.testing.assert_close(passes.forward(X), outputs.detach())
        passes.backward(delta.clone())
        torch.testing.assert_close(gradient, expected)


def test_backpropagation_writes_into_a_view():
    network = MLP((3, 4, 1))
    theta = network.init(make_generators([0, 1]), 2)
    wide, narrow = torch.zeros(2, network.num_weights + 1), torch.zeros(2, network.num_weights)
    X, delta = torch.ones(2, 5, 3), torch.ones(2, 5)
    for out in (wide[:, :-1], narrow):
        passes = Backpropagation(network, theta, out, 5)
        passes.forward(X)
        passes.backward(delta)
    torch.testing.assert_close(wide[:, :-1], narrow)
    assert (wide[:, -1] == 0).all() and narrow.abs().max() > 0


def test_init_is_he():
    network = MLP((20, 400, 100, 1))
    theta = network.init(make_generators([0, 1]), 2)
    for (W, b), inputs in zip(network.unpack(theta), network.sizes):
        n = W.numel()
        assert abs(W.mean()) < 4.5 * math.sqrt(2 / inputs / n)
        assert abs(W.var() * inputs / 2 - 1) < 4.5 * math.sqrt(2 / n)
        assert (b == 0).all()
    alone = network.init(make_generators([1]), 1)
    assert torch.equal(theta[1], alone[0]) and not torch.equal(theta[0], theta[1])


def test_uniform_init_fills_its_interval():
    network = MLP((20, 400, 100, 1), initialisation="uniform")
    theta = network.init(make_generators([0]), 1)
    for (W, b), inputs in zip(network.unpack(theta), network.sizes):
        for values in (W, b) if b.numel() > 1 else (W,):
            scaled = values.flatten() * math.sqrt(inputs)
            assert scaled.abs().max() <= 1 and scaled.max() > 0.9 and scaled.min() < -0.9
            assert abs(scaled.mean()) < 4.5 * math.sqrt(1 / 3 / scaled.numel())


@pytest.mark.parametrize("sizes", [(3,), (3, 0, 1), (3, 5, 2), (3, 2.5, 1), (3, True, 1), ()])
def test_bad_sizes(sizes):
    with pytest.raises(ValueError, match=r"MLP\.sizes.* is .*; allowed"):
        MLP(sizes)


def test_sizes_of_numpy_are_sizes():
    assert MLP((np.int64(3), np.int64(5), 1)) == MLP((3, 5, 1))


def test_other_bad_input():
    with pytest.raises(ValueError, match="one of tanh, relu, got 'sigmoid'"):
        MLP((3, 1), "sigmoid")
    with pytest.raises(ValueError, match="one of he, uniform, got 'zero'"):
        MLP((3, 1), initialisation="zero")
    with pytest.raises(ValueError, match="theta has 5 weights"):
        MLP((3, 1)).unpack(torch.zeros(2, 5))
