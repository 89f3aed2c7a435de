"""SGHMC by explicit Euler steps: the authors' update by hand, and what it samples."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from core.foundation.errors import UserError
from core.foundation.randomness import make_generators
from core.samplers import EulerSGHMC


def test_two_steps_in_the_authors_variables():
    """theta <- theta + eps d r, then r <- r - eps grad - eps d r + Normal(0, 2 eps d), the old theta's gradient."""
    step, decay = 0.1, 0.3
    sampler = EulerSGHMC(step, decay)
    theta, momentum = 1.0, 0.7
    state = sampler.init(torch.tensor([[theta]], dtype=torch.float64))
    state.velocity.fill_(step * decay * momentum)
    for noise in (0.7, -1.1):
        gradient = theta**3
        theta += step * decay * momentum
        momentum += -step * gradient - step * decay * momentum + (2 * step * decay) ** 0.5 * noise
        state = sampler.step(state, state.position**3, None, noise=torch.full((1, 1), noise, dtype=torch.float64))
    assert state.position.item() == pytest.approx(theta, rel=1e-12)
    assert state.velocity.item() == pytest.approx(step * decay * momentum, rel=1e-12)


@pytest.mark.parametrize("noise", [0.0, 300.0])
@pytest.mark.parametrize("curvature", [1.0, 50.0])
def test_the_temperature_is_the_friction_and_the_noise_of_the_gradient(exact_covariance, curvature, noise):
    eps, decay = 1e-2, 0.05
    found, radius = exact_covariance(EulerSGHMC(eps, decay), np.diag([curvature]), np.diag([noise]))
    share = eps * decay
    h = share * eps * curvature
    temperature = (decay + eps * noise / 2) / (1 - eps * curvature)
    assert found[0, 0] == pytest.approx(temperature / curvature * (2 - share + h) / (2 - share + h / 2), rel=1e-6)
    assert radius < 1


@pytest.mark.parametrize(("curvature", "stable"), [(99.0, True), (101.0, False)])
def test_limit_of_stability(exact_covariance, curvature, stable):
    assert (exact_covariance(EulerSGHMC(1e-2, 0.05), np.diag([curvature]))[1] < 1) == stable


def test_chains_start_with_momenta_if_a_generator_is_given():
    start = torch.ones(1000, 2, dtype=torch.float64)
    assert not EulerSGHMC(0.1).init(start).velocity.any()
    momentum = EulerSGHMC(0.1, 0.5).init(start, make_generators([0])[0]).velocity / (0.1 * 0.5)
    assert momentum.mean().item() == pytest.approx(0, abs=0.1)
    assert momentum.var().item() == pytest.approx(1, abs=0.15)


def test_constants_out_of_range_are_refused():
    for constants, name in (
        ((0.0, 0.1), "step_size"),
        ((0.1, -1.0), "momentum_decay"),
        ((0.1, 10.5), "momentum_decay"),
    ):
        with pytest.raises(UserError, match=f"EulerSGHMC.{name} is .*; allowed"):
            EulerSGHMC(*constants)
