"""Scale-adapted SGHMC: the adaptation, what freeze does to the friction, and the distribution that is sampled."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from core.foundation.randomness import normal_
from core.samplers import AdaptiveSGHMC

RAISED = AdaptiveSGHMC(raise_friction=True)
GRADIENTS = st.lists(st.floats(-1e6, 1e6, allow_nan=False, width=32), min_size=1, max_size=60)


def adapted(gradients, sampler=None, dtype=torch.float64):
    """The state of one chain with one parameter after these gradients, noise switched off."""
    sampler = sampler or RAISED
    state = sampler.init(torch.zeros(1, 1, dtype=dtype))
    for gradient in gradients:
        state = sampler.step(
            state, torch.full((1, 1), gradient, dtype=dtype), None, noise=torch.zeros(1, 1, dtype=dtype)
        )
    return state


def with_variance(sampler, variance, dtype=torch.float64):
    """A frozen state of one chain, one parameter for each entry of V."""
    variance = torch.as_tensor(variance, dtype=dtype)[None]
    return sampler.freeze(sampler.init(torch.zeros_like(variance))._replace(second_moment=variance))


@pytest.mark.parametrize("noise_correction", [True, False])
def test_burn_in_and_sampling_by_hand(noise_correction):
    """Four steps in plain numbers, the last two frozen, in the paper's C: decay = eps V^-1/2 C."""
    eps, gradients, noises = 0.05, [2.0, -300.0, 5.0, 1.0], [0.3, -1.0, 0.5, 2.0]
    theta, v, tau, g, variance, decay = 0.4, 0.0, 1.0, 1.0, 1.0, 0.05
    sampler = AdaptiveSGHMC(step_size=eps, raise_friction=True, noise_correction=noise_correction)
    state = sampler.init(torch.tensor([[theta]], dtype=torch.float64))
    for step, (gradient, noise) in enumerate(zip(gradients, noises, strict=True)):
        if step < 2:
            rate = 1 / (tau + 1)
            tau += 1 - tau * g**2 / variance
            g += rate * (gradient - g)
            variance += rate * (gradient**2 - variance)
        elif step == 2:
            decay = max(0.05, eps**2 * math.sqrt(variance))
            state = sampler.freeze(state)
        friction = decay * math.sqrt(variance) / eps
        spread = max(2 * eps**3 * friction / variance - eps**4 * noise_correction, 0)
        v += (
            -(eps**2) * gradient / math.sqrt(variance)
            - eps * friction / math.sqrt(variance) * v
            + math.sqrt(spread) * noise
        )
        theta += v
        tensors = [torch.full((1, 1), value, dtype=torch.float64) for value in (gradient, noise)]
        state = sampler.step(state, tensors[0], None, noise=tensors[1])
    found = [
        state.position,
        state.velocity,
        state.window,
        state.smoothed_gradient,
        state.second_moment,
        state.decay,
    ]
    assert [value.item() for value in found] == pytest.approx([theta, v, tau, g, variance, decay], rel=1e-12)
    assert decay > 0.05 and not state.adapting


@given(GRADIENTS)
def test_averages_keep_their_order(gradients):
    """g^2 <= V, tau >= 1 and V > 0 for any gradients, up to rounding: why no floor is needed."""
    state = adapted(gradients)
    assert state.second_moment.item() > 0
    assert state.smoothed_gradient.item() ** 2 <= state.second_moment.item() * (1 + 1e-9)
    assert state.window.item() >= 1 - 1e-6


@given(GRADIENTS, st.floats(1e-4, 1.0), st.floats(0.001, 1.0))
def test_freeze_meets_the_constraint_on_the_friction(gradients, step_size, momentum_decay):
    """min(V^-1) C >= eps where decay is below its cap, the momentum decay at least, and not more than both demand."""
    sampler = AdaptiveSGHMC(step_size=step_size, momentum_decay=momentum_decay, raise_friction=True)
    state = sampler.freeze(adapted(gradients, sampler))
    decay, variance = state.decay.item(), state.second_moment.item()
    friction = decay * math.sqrt(variance) / step_size
    assert momentum_decay <= decay <= 1
    if decay < 1:
        assert friction / variance >= step_size * (1 - 1e-9)
    if decay > momentum_decay:
        assert friction / variance <= step_size * (1 + 1e-9)


@given(GRADIENTS)
def test_by_default_the_friction_stays(gradients):
    """As in the authors' code, whatever the constraint demands."""
    before = adapted(gradients, AdaptiveSGHMC())
    state = AdaptiveSGHMC().freeze(before)
    assert torch.equal(state.decay, before.decay) and state.decay.item() == 0.05 and not state.adapting


@given(GRADIENTS, GRADIENTS)
def test_nothing_adapts_after_freeze(burn_in, after):
    sampler = RAISED
    state = sampler.freeze(adapted(burn_in, sampler))
    names = ("window", "smoothed_gradient", "second_moment", "decay")
    frozen = {name: getattr(state, name).clone() for name in names}
    for gradient in after:
        state = sampler.step(state, torch.full((1, 1), gradient, dtype=torch.float64), torch.Generator())
    assert not state.adapting
    assert all(torch.equal(getattr(state, name), frozen[name]) for name in names)


@given(st.floats(1e-3, 1e3), st.floats(-50, 50, allow_nan=False))
def test_the_drift_does_not_depend_on_the_units_of_a_gradient(scale, gradient):
    """V^-1/2 grad is the same for (grad, V) and (scale grad, scale^2 V): what the adaptation is for."""
    sampler, zero = RAISED, torch.zeros(1, 2, dtype=torch.float64)
    state = with_variance(sampler, [1.0, scale**2])
    state = sampler.step(state, torch.tensor([[gradient, scale * gradient]], dtype=torch.float64), None, noise=zero)
    assert state.velocity[0, 1].item() == pytest.approx(state.velocity[0, 0].item(), rel=1e-9)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_a_gradient_that_vanishes_widens_the_window(dtype):
    """V falls like 0.1 / step, so its inverse root stays moderate: a dead parameter makes no division by zero."""
    state = adapted([0.0] * 1000, dtype=dtype)
    assert state.second_moment.item() == pytest.approx(1.1e-4, rel=0.02)
    assert 850 < state.window.item() < 1000


def test_a_constant_gradient_shortens_the_window_to_one_step():
    state = adapted([7.0] * 200)
    assert state.window.item() == pytest.approx(1.0)
    assert state.second_moment.item() == pytest.approx(49.0)


def test_pure_noise_gives_an_average_over_all_steps():
    noise = np.random.default_rng(0).normal(0, 30, 4000)
    state = adapted(noise.tolist())
    assert state.window.item() > 1000
    assert state.second_moment.item() == pytest.approx(900, rel=0.1)


def test_noise_is_injected_up_to_the_cap_of_the_friction():
    """decay = 0.05 up to V^1/2 = 500, eps^2 V^1/2 up to 1e4, then 1; the noise is gone from 2e4 on, never negative."""
    sampler = RAISED
    roots = torch.tensor([1e-3, 1.0, 499.0, 1e3, 9.9e3, 1.5e4, 1.99e4, 2.01e4, 1e9], dtype=torch.float64)
    state = with_variance(sampler, roots**2)
    decay = (1e-4 * roots).clamp(0.05, 1)
    torch.testing.assert_close(state.decay[0], decay)
    one, zero = torch.ones(1, 9, dtype=torch.float64), torch.zeros(1, 9, dtype=torch.float64)
    state = sampler.step(state, zero, None, noise=one)
    torch.testing.assert_close(state.velocity[0], (2e-4 * decay / roots - 1e-8).clamp(min=0).sqrt())
    assert (state.velocity[0, :7] > 0).all() and (state.velocity[0, 7:] == 0).all()


def closed_form(step, curvature, variance, share):
    """The stationary variance of the module's docstring."""
    root = math.sqrt(variance)
    decay = min(max(0.05, step**2 * root), 1)
    injected = max(1 - step**2 * root / (2 * decay), 0)
    temperature = injected + share * step**2 * root / (2 * decay)
    return temperature / curvature / (1 - step**2 * curvature / root / (2 * (2 - decay)))


@pytest.mark.parametrize("curvature", [1e-4, 1.0, 1e4, 1e6, 5e7])
@pytest.mark.parametrize("share", [0.0, 0.5, 0.95, 1.0])
def test_stationary_variance(exact_covariance, curvature, share):
    """V as it is at stationarity, E grad^2 = curvature + noise. A share of 1 is noise of 1e4 times the curvature: it
    reaches beyond V^1/2 = 2 / eps^2, where nothing is injected and the noise of the gradients heats the chain."""
    variance = curvature / (1 - share) if share < 1 else 1e4 * curvature
    noise = np.diag([share * variance])
    found, radius = exact_covariance(RAISED, np.diag([curvature]), noise, second_moment=[variance])
    assert radius < 1
    assert found[0, 0] == pytest.approx(closed_form(1e-2, curvature, variance, share), rel=1e-9)
    assert found[0, 0] * curvature > 0.49


def test_stationary_covariance_where_v_is_all_noise(exact_covariance, badly_scaled):
    """Condition 1e4; -eps^4 makes room for exactly the noise there is: only the discretisation is left, below 1%."""
    noise = np.diag(50 * np.diag(badly_scaled))
    found, radius = exact_covariance(RAISED, badly_scaled, noise, second_moment=np.diag(noise))
    lower = np.linalg.cholesky(badly_scaled)
    assert np.abs(np.linalg.eigvalsh(lower.T @ found @ lower) - 1).max() < 0.01
    assert radius < 1


@pytest.mark.parametrize(("corrected", "temperature"), [(True, 1 - 1e-4 * 200 / 0.1), (False, 1.0)])
def test_without_the_correction_exact_gradients_give_temperature_one(exact_covariance, corrected, temperature):
    """T and h of the module's formula for f = 0: curvature 400, V^1/2 = 200."""
    sampler = AdaptiveSGHMC(noise_correction=corrected)
    found, _ = exact_covariance(sampler, np.diag([400.0]), second_moment=[200.0**2])
    h = 1e-4 / 200 * 400
    assert found[0, 0] == pytest.approx(temperature / 400 / (1 - h / (2 * 1.95)), rel=1e-9)


@pytest.mark.parametrize(("root", "stable"), [(0.2565, True), (0.2563, False)])
def test_limit_of_stability_when_v_is_too_small(exact_covariance, root, stable):
    """Curvature 1e4: chains diverge where h = 1 / V^1/2 exceeds 2 (2 - 0.05). (The root of E grad^2 is 100.)"""
    assert (exact_covariance(RAISED, np.diag([1e4]), second_moment=[root**2])[1] < 1) == stable


@pytest.mark.parametrize(("curvature", "stable"), [(1e7, 1.0), (1e8, 0.0)])
def test_limit_of_stability_after_a_burn_in_with_exact_gradients(run_chains, curvature, stable):
    """Nearly all chains are on the side of 0.39 / eps^4 = 4e7 that the curvature is on."""
    start = torch.randn(200, 1, dtype=torch.float64, generator=torch.Generator().manual_seed(0)) / curvature**0.5
    sampler = RAISED
    state = sampler.freeze(run_chains(sampler, lambda position, _: curvature * position, start, burn_in=3000, steps=0))
    h = sampler.step_size**2 * curvature / state.second_moment.sqrt()
    assert (h < 2 * (2 - state.decay)).double().mean().item() == pytest.approx(stable, abs=0.05)


def test_chains_reach_a_badly_scaled_gaussian(run_chains, assert_gaussian, device):
    """Curvatures 1 to 1e4 with the paper's constants; gradient noise of 19 times the signal's variance, as minibatches
    have, so that T >= 0.98 and h < 0.03: 3% of bias."""
    curvature = torch.logspace(0, 4, 4, device=device)
    noise_sd = (19 * curvature).sqrt()

    def gradient(position, generator):
        return curvature * (position - 1) + noise_sd * normal_(torch.empty_like(position), generator)

    state = run_chains(RAISED, gradient, torch.ones(2000, 4, device=device), burn_in=2000, steps=2000)
    assert_gaussian(state.position, np.ones(4), np.diag(1 / curvature.cpu().numpy()), bias=0.03)


def test_a_raised_friction_keeps_stiff_parameters_near_temperature_one(run_chains):
    """Curvature 4e6 under gradient noise: V^1/2 is about 9,000, and at a decay of 0.05 the noise of the gradients alone
    would heat the chain 7 times. Raised by `freeze`, the variance is right within a fifth."""
    curvature = 4e6

    def gradient(position, generator):
        return curvature * position + math.sqrt(19 * curvature) * normal_(torch.empty_like(position), generator)

    sampler, start = RAISED, torch.zeros(2000, 1, dtype=torch.float64)
    state = run_chains(sampler, gradient, start, burn_in=3000, steps=500)
    assert state.decay.median() > 0.8
    assert state.position.square().mean().item() * curvature == pytest.approx(0.9, abs=0.15)
    unraised = state._replace(decay=torch.full_like(state.decay, 0.05))
    generator = torch.Generator().manual_seed(1)
    for _ in range(500):
        unraised = sampler.step(unraised, gradient(unraised.position, generator), generator)
    assert unraised.position.square().mean().item() * curvature > 5
