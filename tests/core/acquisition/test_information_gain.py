"""The information gain against its definition by numerical integration, and against probabilities computed anew."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import norm

from core.acquisition.entropy_search import InformationGain, draw_representers
from core.acquisition.minimum_probability import linear_response
from core.foundation.randomness import make_generators, uniform_


def log_probability(mean, covariance):
    return linear_response(mean, covariance, 1e-8).log_probability


def information(log_p, log_density):
    return (log_p.exp() * (log_p + log_density)).sum(-1)


def gaussian(size, seed, length=0.3, members=2):
    """Moments at `size` points of the line and a few candidates between them, (members, ...)."""
    random = np.random.default_rng(seed)
    points = np.concatenate([random.uniform(size=size), random.uniform(size=5)])
    scale = length * np.arange(1, members + 1)[:, None, None]
    covariance = torch.from_numpy(
        np.exp(-0.5 * (points[:, None] - points) ** 2 / scale**2) + 1e-6 * np.eye(len(points))
    )
    mean = torch.from_numpy(random.normal(size=(members, size)))
    log_density = torch.from_numpy(random.normal(size=size))
    return mean, covariance[:, :size, :size], covariance[:, size:, :size], log_density


@pytest.mark.parametrize("noise", [3.0, 10.0, 100.0])
def test_with_two_representers_it_is_an_integral_over_the_observation(noise):
    """p_min is then a normal distribution function, before and after each observation."""
    mean, covariance = torch.tensor([0.2, -0.3]).double(), torch.tensor([[1.0, 0.4], [0.4, 0.8]]).double()
    cross, log_density = torch.tensor([[0.5, 0.1], [0.3, 0.3], [-0.2, 0.6]]).double(), torch.tensor([0, -0.7]).double()
    variance = torch.full((3,), 1.0 + noise).double()
    found = InformationGain(mean, covariance, log_density)(cross, variance)

    def relative_entropy(difference, spread):
        p = norm.cdf(np.array([difference, -difference]) / spread)
        return float((p * (np.log(p) + log_density.numpy())).sum())

    spread = float(covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1])
    difference = float(mean[1] - mean[0])
    for value, v in zip(found, cross, strict=True):
        step = float((v[1] - v[0]) / variance[0].sqrt())
        after, _ = quad(
            lambda omega, step=step: (
                norm.pdf(omega) * relative_entropy(difference + step * omega, np.sqrt(spread - step**2))
            ),
            -8,
            8,
        )
        expected = after - relative_entropy(difference, np.sqrt(spread))
        assert float(value) == pytest.approx(
            expected, abs=1e-4, rel=0.5 / math.sqrt(noise)
        )  # of a second-order expansion


@pytest.mark.parametrize("size", [2, 6, 12])
def test_it_is_that_of_probabilities_computed_again(size):
    """Algorithm 3 in full: expectation propagation once more for every hallucinated observation."""
    mean, covariance, cross, log_density = gaussian(size, seed=size)
    variance = torch.full(cross.shape[:-1], 1.5).double()
    gain = InformationGain(mean, covariance, log_density)
    moved = cross / variance.sqrt().unsqueeze(-1)
    smaller = covariance.unsqueeze(-3) - moved.unsqueeze(-1) * moved.unsqueeze(-2)
    after = [log_probability(mean.unsqueeze(-2) + omega * moved, smaller) for omega in gain.omega]
    after = sum(w * information(log_p, log_density) for w, log_p in zip(gain.weights, after, strict=True))
    expected = after - information(log_probability(mean, covariance), log_density).unsqueeze(-1)
    torch.testing.assert_close(gain(cross, variance), expected, atol=0.02, rtol=0.2)


@given(st.integers(2, 10), st.integers(0, 1000))
@settings(max_examples=15, deadline=None)
def test_what_is_independent_of_the_representers_tells_nothing(size, seed):
    mean, covariance, cross, log_density = gaussian(size, seed)
    gain = InformationGain(mean, covariance, log_density)
    noise = torch.ones(cross.shape[:-1]).double()
    torch.testing.assert_close(gain(0 * cross, noise), torch.zeros_like(noise))
    assert (gain(cross, 1e12 * noise).abs() < 1e-6).all()


def test_candidates_are_valued_one_by_one_and_gradients_are_finite_differences():
    mean, covariance, cross, log_density = gaussian(6, seed=0)
    gain, variance = InformationGain(mean, covariance, log_density), torch.full((2, 5), 1.5).double()
    together = gain(cross, variance)
    torch.testing.assert_close(together[:, 3:4], gain(cross[:, 3:4], variance[:, 3:4]))
    many = gain(cross.repeat(1, 20_000, 1), variance.repeat(1, 20_000))  # in blocks
    torch.testing.assert_close(many, together.repeat(1, 20_000))
    assert torch.autograd.gradcheck(gain, (cross.requires_grad_(), variance.requires_grad_()))


def test_degenerate_moments_give_finite_gains():
    mean, size = torch.zeros(4, 5).double(), 5
    covariance = torch.stack([torch.zeros(size, size), torch.ones(size, size), torch.eye(size), 1e8 * torch.eye(size)])
    gain = InformationGain(mean, covariance.double(), torch.zeros(size).double())
    values = gain(covariance[:, :2].double(), 1e-9 + covariance[:, :2, 0].double())
    assert torch.isfinite(values).all()


def drawn(count, seed=3):
    generators = make_generators(range(seed, seed + 2))
    candidates = uniform_(torch.empty(2, 40, 3).double(), generators)
    log_density = -20 * candidates[..., 0]
    return draw_representers(log_density, candidates, generators, count), candidates


def test_representers_are_candidates_each_once_that_promise_improvement():
    (points, log_density), candidates = drawn(10)
    everything, _ = drawn(40)[0]
    assert points.shape == (2, 10, 3) and log_density.shape == (2, 10)
    assert all(len(run.unique(dim=0)) == 40 for run in everything)
    assert (points[..., 0].mean(-1) < 0.5 * candidates[..., 0].mean(-1)).all()
    torch.testing.assert_close(log_density.diff(), -20 * points[..., 0].diff())


def test_a_density_of_zero_everywhere_draws_uniformly():
    candidates = torch.rand(1, 9, 2).double()
    points, log_density = draw_representers(
        torch.full((1, 9), -torch.inf).double(), candidates, make_generators([0]), 9
    )
    assert torch.isfinite(log_density).all() and len(points[0].unique(dim=0)) == 9


@pytest.mark.parametrize("count", [1, 41])
def test_as_many_representers_as_there_are_candidates_at_most(count):
    with pytest.raises(ValueError, match=f"representers must be 2 to 40, the number of candidates; got {count}"):
        drawn(count)


def test_one_outcome_is_no_expectation():
    with pytest.raises(ValueError, match="InformationGain: outcomes must be at least 2, got 1"):
        InformationGain(torch.zeros(2), torch.eye(2), torch.zeros(2), outcomes=1)
