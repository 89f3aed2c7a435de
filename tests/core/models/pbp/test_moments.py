"""Moments of the rectifier against quadrature and 60-digit arithmetic, of networks against Monte Carlo; gradients."""

import math

import mpmath
import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from core.models.network import MLP
from core.models.pbp import MomentNetwork, rectify, rectify_backward


def tensors(*values: float) -> tuple[torch.Tensor, ...]:
    return tuple(torch.tensor([value], dtype=torch.float64, requires_grad=True) for value in values)


@given(ratio=st.floats(-6, 6), sd=st.floats(1e-3, 1e3))
def test_rectifier_moments_are_the_integrals(ratio, sd):
    mean = ratio * sd
    nodes, weights = np.polynomial.legendre.leggauss(20)
    edges = np.linspace(0, max(ratio, 0) + 12, 81)  # in units of sd, 20 nodes a panel
    width = np.diff(edges)[:, None] / 2
    t, weights = edges[:-1, None] + width * (1 + nodes), width * weights
    density = stats.norm.pdf(t, ratio) * weights
    moment = [(t**k * density).sum() * sd**k for k in (1, 2)]
    ours = rectify(*tensors(mean, sd**2))
    assert ours.mean.item() == pytest.approx(moment[0], rel=1e-7)
    assert ours.variance.item() == pytest.approx(moment[1] - moment[0] ** 2, rel=1e-6)


@pytest.mark.parametrize("ratio", [-37, -30, -20, -10, -5, -1, 0, 1, 5, 8, 8.25, 8.5, 10, 40, 1e4, 1e8])
def test_rectifier_moments_keep_their_digits_in_both_tails(ratio):
    with mpmath.workdps(60):
        a, sd = mpmath.mpf(ratio), mpmath.mpf(3)
        cdf, pdf = mpmath.ncdf(a), mpmath.npdf(a)
        mean = sd * (a * cdf + pdf)
        variance = sd**2 * ((a**2 + 1) * cdf + a * pdf) - mean**2
        expected = float(mean), float(variance)
    ours = rectify(*tensors(3.0 * ratio, 9.0))
    assert ours.mean.item() == pytest.approx(expected[0], rel=1e-9)
    assert ours.variance.item() == pytest.approx(expected[1], rel=1e-8)


@pytest.mark.parametrize("ratio", [-38.5, -60.0, -1e3, -1e8, -1e150])
def test_a_unit_that_is_never_active_has_neither_moments_nor_gradients(ratio):
    output = rectify(*tensors(ratio, 1.0))
    assert 0 <= output.mean.item() < 1e-300 and 0 <= output.variance.item() < 1e-300
    ones = torch.ones(1, dtype=torch.float64)
    for gradient in rectify_backward(output, ones, ones):
        assert abs(gradient.item()) < 1e-300


@pytest.mark.parametrize(("mean", "expected"), [(-2.0, 0.0), (0.0, 0.0), (2.0, 2.0)])
def test_a_known_activation_is_rectified_exactly(mean, expected):
    output = rectify(*tensors(mean, 0.0))
    assert output.mean.item() == pytest.approx(expected, abs=1e-100)
    assert output.variance.item() == pytest.approx(0, abs=1e-100)


@given(mean=st.floats(-20, 20), variance=st.floats(1e-2, 50))
def test_rectifier_gradients_are_those_of_its_formula(mean, variance):
    m, v = tensors(mean, variance)
    output = rectify(m, v)
    for weights in ((1.0, 0.0), (0.0, 1.0), (0.7, -1.3)):
        combination = weights[0] * output.mean + weights[1] * output.variance
        expected = torch.autograd.grad(combination, (m, v), retain_graph=True)
        ours = rectify_backward(output, *(torch.full_like(m, weight) for weight in weights))
        for gradient, reference in zip(ours, expected):
            assert gradient.item() == pytest.approx(reference.item(), rel=1e-6, abs=1e-10)


def random_network(sizes, runs, seed=0):
    layout, generator = MLP(sizes, "relu"), torch.Generator().manual_seed(seed)
    shape = (runs, layout.num_weights)
    mean = torch.randn(shape, dtype=torch.float64, generator=generator)
    variance = torch.rand(shape, dtype=torch.float64, generator=generator) + 0.05
    return layout, mean, variance


@pytest.mark.parametrize("sizes", [(3, 1), (3, 4, 1)])
def test_moments_of_the_output_are_those_of_sampled_networks(sizes):
    """Exact up to one hidden layer: its activations are Gaussian and its units independent."""
    layout, mean, variance = random_network(sizes, 1)
    x = torch.tensor([0.4, -1.2, 0.9], dtype=torch.float64)
    m, v, _ = MomentNetwork(layout, mean, variance).forward(x.view(1, 1, 3))
    draws = 400_000
    noise = torch.randn(draws, layout.num_weights, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    z = x.expand(draws, 1, 3)
    for layer, (weight, bias) in enumerate(layout.unpack(mean + variance.sqrt() * noise)):
        z = torch.relu(z) if layer > 0 else z
        z = (z @ weight + bias.unsqueeze(1)) / math.sqrt(weight.shape[1] + 1)
    assert m.item() == pytest.approx(z.mean().item(), abs=5 * z.std().item() / math.sqrt(draws))
    assert v.item() == pytest.approx(z.var().item(), rel=0.02)


def written_out(layout, mean, variance, X):
    """The propagation as Hernandez-Lobato and Adams write it, unit by unit, with gamma = pdf / cdf; one run."""
    gaussian = torch.distributions.Normal(torch.zeros((), dtype=torch.float64), 1)
    m, v = X, torch.zeros_like(X)
    for layer, ((M, M_bias), (V, V_bias)) in enumerate(zip(layout.unpack(mean), layout.unpack(variance))):
        if layer > 0:
            alpha = m / v.sqrt()
            gamma = gaussian.log_prob(alpha).exp() / gaussian.cdf(alpha)
            inner = m + v.sqrt() * gamma
            rectified = gaussian.cdf(alpha) * inner
            v = rectified * inner * gaussian.cdf(-alpha) + gaussian.cdf(alpha) * v * (1 - gamma * (gamma + alpha))
            m = rectified
        ones = torch.ones_like(m[:, :1])
        m, v = torch.cat([m, ones], 1), torch.cat([v, 0 * ones], 1)
        M, V = torch.cat([M[0], M_bias]), torch.cat([V[0], V_bias])
        m, v = m @ M / math.sqrt(len(M)), (v @ (M * M) + (m * m) @ V + v @ V) / len(M)
    return m.squeeze(1), v.squeeze(1)


def test_forward_and_backward_match_the_propagation_written_out():
    runs, points = 3, 4
    layout, mean, variance = random_network((2, 6, 5, 1), runs)
    X = torch.randn(runs, points, 2, dtype=torch.float64, generator=torch.Generator().manual_seed(2))
    generator = torch.Generator().manual_seed(3)
    grad_mean, grad_variance = torch.randn(2, runs, points, dtype=torch.float64, generator=generator)
    network = MomentNetwork(layout, mean, variance)
    m, v, tape = network.forward(X)
    by_mean, by_variance = torch.full_like(mean, np.nan), torch.full_like(mean, np.nan)
    network.backward(tape, grad_mean, grad_variance, by_mean, by_variance)
    for run in range(runs):
        M, V = (values[run : run + 1].clone().requires_grad_() for values in (mean, variance))
        expected_m, expected_v = written_out(layout, M, V, X[run])
        torch.testing.assert_close(m[run], expected_m)
        torch.testing.assert_close(v[run], expected_v)
        gradients = torch.autograd.grad(grad_mean[run] @ expected_m + grad_variance[run] @ expected_v, (M, V))
        torch.testing.assert_close(by_mean[run : run + 1], gradients[0])
        torch.testing.assert_close(by_variance[run : run + 1], gradients[1])


def test_outputs_are_differentiable_in_the_inputs():
    layout, mean, variance = random_network((2, 5, 4, 1), 1)
    X = torch.randn(1, 3, 2, dtype=torch.float64, generator=torch.Generator().manual_seed(4), requires_grad=True)
    network = MomentNetwork(layout, mean, variance)
    assert torch.autograd.gradcheck(lambda inputs: network.forward(inputs)[:2], X)
