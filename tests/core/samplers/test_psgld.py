"""Preconditioned SGLD: its average, its preconditioner, and what leaving Gamma out costs."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from core.foundation.randomness import normal_
from core.samplers import PreconditionedSGLD


def test_the_average_starts_at_the_chains_mean_and_is_exponential():
    sampler = PreconditionedSGLD(1e-3, smoothing=0.75)
    state = sampler.init(torch.zeros(2, 2))
    expected = np.array([[(9 + 1) / 2] * 2, [(16 + 0) / 2] * 2])
    for gradient in ([[3.0, 1.0], [4.0, 0.0]], [[1.0, 2.0], [0.0, 5.0]]):
        expected = 0.75 * expected + 0.25 * np.square(gradient)
        state = sampler.step(state, torch.tensor(gradient), None, noise=torch.zeros(2, 2))
        np.testing.assert_allclose(state.squared_gradient.numpy(), expected, rtol=1e-6)


def test_a_small_first_gradient_does_not_throw_a_parameter_out():
    """Preconditioned by its own first gradient alone, the second parameter would be moved by some (1e-2 / 1e-9)^1/2."""
    sampler, generator = PreconditionedSGLD(1e-2, damping=1e-12), torch.Generator().manual_seed(0)
    state = sampler.init(torch.zeros(1, 2, dtype=torch.float64))
    for gradient in (1e-9, 1.0, 1.0):
        state = sampler.step(state, torch.tensor([[1.0, gradient]], dtype=torch.float64), generator)
    assert state.position.abs().max() < 1


def test_one_frozen_step_by_hand():
    sampler = PreconditionedSGLD(0.1, damping=0.5)
    state = sampler.init(torch.tensor([[1.0]]))._replace(squared_gradient=torch.tensor([[4.0]]), started=True)
    state = sampler.step(sampler.freeze(state), torch.tensor([[3.0]]), None, noise=torch.tensor([[2.0]]))
    assert state.position.item() == pytest.approx(1 - 0.05 / 2.5 * 3 + (0.1 / 2.5) ** 0.5 * 2)


def test_stationary_covariance_once_frozen(exact_covariance, badly_scaled):
    """Preconditioned by V = diag(precision): with eps = 1e-3 the largest error is below 6% where SGLD needs eps = 1e-5
    for as much, and a step is 100 times longer in the widest direction."""
    sampler = PreconditionedSGLD(1e-3, damping=1e-8)
    found, radius = exact_covariance(sampler, badly_scaled, squared_gradient=np.diag(badly_scaled))
    scale = 1 / (np.sqrt(np.diag(badly_scaled)) + sampler.damping)
    inverse = np.linalg.inv(found)
    np.testing.assert_allclose(
        inverse,
        badly_scaled - sampler.step_size / 4 * badly_scaled @ (scale[:, None] * badly_scaled),
        rtol=1e-6,
        atol=1e-6,
    )
    lower = np.linalg.cholesky(badly_scaled)
    assert np.abs(np.linalg.eigvalsh(lower.T @ found @ lower) - 1).max() < 0.06
    assert radius < 1


def test_chains_reach_a_badly_scaled_gaussian(run_chains, assert_gaussian):
    """Curvatures 1 to 1e4, gradient noise of 9 times the signal's variance; frozen, so that Gamma is zero."""
    curvature = torch.logspace(0, 4, 4)

    def gradient(position, generator):
        return curvature * position + 3 * curvature.sqrt() * normal_(torch.empty_like(position), generator)

    start = torch.randn(3000, 4, generator=torch.Generator().manual_seed(0)) / curvature.sqrt()
    state = run_chains(PreconditionedSGLD(3e-3), gradient, start, burn_in=1500, steps=2000)
    # eps G c / 4 is at most 3e-3 * 100 / (4 * 3.1); gradient noise heats by eps G s^2 / 4, nine times that: 22%.
    spread = state.position.double().var(0) * curvature
    expected = torch.tensor([1.00, 1.01, 1.05, 1.25])
    assert ((spread - expected).abs() < 5 * (2 / 3000) ** 0.5 * expected + 0.03).all(), spread


def test_gamma_left_out_while_adapting_biases_the_variance(run_chains):
    """With smoothing 0, G follows the current gradient: long steps near the mode drive chains out, and the variance is
    far too large. The exact gradient of a standard normal; frozen, the same sampler is right."""
    start = torch.randn(4000, 1, generator=torch.Generator().manual_seed(1))
    sampler = PreconditionedSGLD(0.01, smoothing=0.0, damping=0.1)
    adapting = run_chains(sampler, lambda position, _: position, start, burn_in=2000, steps=0)
    frozen = sampler.init(start)._replace(squared_gradient=torch.ones_like(start), started=True)
    frozen = sampler.freeze(frozen)
    generator = torch.Generator().manual_seed(2)
    for _ in range(2000):
        frozen = sampler.step(frozen, frozen.position, generator)
    assert adapting.position.var() > 1.3
    assert frozen.position.var() == pytest.approx(1.0, abs=5 * (2 / 4000) ** 0.5)


def test_freezing_before_any_gradient_is_refused():
    sampler = PreconditionedSGLD(0.1)
    with pytest.raises(ValueError, match="has seen no gradient"):
        sampler.freeze(sampler.init(torch.zeros(1, 1)))
