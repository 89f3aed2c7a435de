"""SGHMC on Gaussians, against the closed form of its discretisation error."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from core.foundation.randomness import normal_
from core.samplers import SGHMC
from core.samplers.sghmc import SGHMCState


def test_two_steps_of_equation_7_by_hand():
    """In the paper's own variables: r = v / eps, C = 0.2 / 0.1 = 2, B^ = 0.5."""
    step, friction, estimate = 0.1, 2.0, 0.5
    sampler = SGHMC(step, momentum_decay=step * friction, noise_estimate=estimate)
    theta, momentum = 1.0, 0.3
    state = SGHMCState(
        torch.tensor([[theta]], dtype=torch.float64), torch.tensor([[step * momentum]], dtype=torch.float64)
    )
    for noise in (0.7, -1.1):
        gradient = theta**3
        momentum += -step * gradient - step * friction * momentum + (2 * (friction - estimate) * step) ** 0.5 * noise
        theta += step * momentum
        state = sampler.step(state, state.position**3, None, noise=torch.full((1, 1), noise, dtype=torch.float64))
    assert state.position.item() == pytest.approx(theta, rel=1e-12)
    assert state.velocity.item() == pytest.approx(step * momentum, rel=1e-12)


def test_stationary_covariance(exact_covariance, badly_scaled):
    """(1/lambda) / (1 - h / (2 (2 - eps C))), h = eps^2 lambda, along each axis: 0.26% off at most for h = 0.01."""
    step, decay = 1e-3, 0.05
    found, radius = exact_covariance(SGHMC(step, decay), badly_scaled)
    exact = np.linalg.inv(badly_scaled - step**2 / (2 * (2 - decay)) * badly_scaled @ badly_scaled)
    np.testing.assert_allclose(found, exact, rtol=1e-6)
    np.testing.assert_allclose(found, np.linalg.inv(badly_scaled), rtol=0.003, atol=0.003)
    assert radius < 1


@pytest.mark.parametrize(("estimated", "heat"), [(False, 1 + 1e-4 * 900 / 0.1), (True, 1.0)])
def test_gradient_noise_heats_unless_it_is_estimated(exact_covariance, estimated, heat):
    curvature, variance, step = 25.0, 900.0, 1e-2
    sampler = SGHMC(step, noise_estimate=step * variance / 2 if estimated else 0.0)
    found, _ = exact_covariance(sampler, np.diag([curvature]), np.diag([variance]))
    assert found[0, 0] == pytest.approx(heat / curvature / (1 - step**2 * curvature / (2 * 1.95)), rel=1e-9)


@pytest.mark.parametrize(("curvature", "stable"), [(3.899e4, True), (3.901e4, False)])
def test_limit_of_stability(exact_covariance, curvature, stable):
    """h = 2 (2 - 0.05) at eps = 1e-2: curvature 3.9e4, a standard deviation of 0.005."""
    assert (exact_covariance(SGHMC(1e-2), np.diag([curvature]))[1] < 1) == stable


def test_chains_reach_the_gaussian(run_chains, assert_gaussian, device):
    mean, precision = torch.tensor([1.0, -2.0], device=device), torch.tensor([[2.0, 0.8], [0.8, 1.0]], device=device)

    def gradient(position, generator):
        return (position - mean) @ precision + 2.0 * normal_(torch.empty_like(position), generator)

    sampler = SGHMC(0.05, noise_estimate=0.05 * 4.0 / 2)
    state = run_chains(sampler, gradient, torch.zeros(4000, 2, device=device), burn_in=0, steps=1500)
    # Bias: h / 3.9 with h = 0.05^2 * 2.5.
    assert_gaussian(state.position, mean.cpu().numpy(), np.linalg.inv(precision.cpu().numpy()), bias=0.002)
