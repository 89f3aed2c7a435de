"""SGLD on Gaussians, against the closed form of its discretisation error."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from core.foundation.randomness import normal_
from core.samplers import SGLD


def test_one_step_by_hand():
    state = SGLD(0.04).init(torch.tensor([[1.0, 2.0]]))
    state = SGLD(0.04).step(state, torch.tensor([[3.0, -4.0]]), None, noise=torch.tensor([[0.5, -1.0]]))
    torch.testing.assert_close(state.position, torch.tensor([[1 - 0.02 * 3 + 0.2 * 0.5, 2 + 0.02 * 4 - 0.2]]))


def test_stationary_covariance(exact_covariance, badly_scaled):
    """(1/lambda) / (1 - eps lambda/4) along each axis: 2.5% off in the stiffest, eps lambda = 0.1."""
    step = 1e-5
    found, radius = exact_covariance(SGLD(step), badly_scaled)
    np.testing.assert_allclose(found, np.linalg.inv(badly_scaled - step / 4 * badly_scaled @ badly_scaled), rtol=1e-7)
    assert radius < 1


def test_gradient_noise_heats_by_a_known_share(exact_covariance):
    curvature, variance, step = 50.0, 400.0, 1e-3
    found, _ = exact_covariance(SGLD(step), np.diag([curvature]), np.diag([variance]))
    assert found[0, 0] == pytest.approx((1 + step * variance / 4) / curvature / (1 - step * curvature / 4), rel=1e-9)


@pytest.mark.parametrize(("step", "stable"), [(0.0399, True), (0.0401, False)])
def test_limit_of_stability(exact_covariance, step, stable):
    assert (exact_covariance(SGLD(step), np.diag([100.0]))[1] < 1) == stable


def test_chains_reach_the_gaussian(run_chains, assert_gaussian, device):
    mean, precision = torch.tensor([1.0, -2.0], device=device), torch.tensor([[2.0, 0.8], [0.8, 1.0]], device=device)
    noise_sd = 2.0

    def gradient(position, generator):
        return (position - mean) @ precision + noise_sd * normal_(torch.empty_like(position), generator)

    state = run_chains(SGLD(0.02), gradient, torch.zeros(4000, 2, device=device), burn_in=0, steps=1500)
    # Bias: 2.5 * 0.02 / 4 of discretisation in the stiffest direction, 0.02 * 4 / 4 of gradient noise.
    assert_gaussian(state.position, mean.cpu().numpy(), np.linalg.inv(precision.cpu().numpy()), bias=0.0125 + 0.02)
