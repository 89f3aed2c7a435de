"""What every stochastic-gradient sampler must do, whatever its algorithm."""

from __future__ import annotations

import math

import pytest
import torch

from core.foundation.errors import UserError
from core.foundation.randomness import make_generators, normal_
from core.samplers import SGHMC, SGLD, AdaptiveSGHMC


def curved_gradient(position: torch.Tensor) -> torch.Tensor:
    """Of U = sum theta^4 / 4 + theta^2 / 2, by products alone: torch's sinh and sigmoid differ in the last bit between
    the body and the tail of a vectorized loop, and so between batch sizes."""
    return position * position * position + position


def potential(position: torch.Tensor) -> torch.Tensor:
    return (position**4 / 4 + position**2 / 2).sum(1)


def run(sampler, position, generators, steps=30, burn_in=20, dtype=torch.float32):
    state = sampler.init(position.to(dtype))
    for step in range(steps):
        if step == burn_in:
            state = sampler.freeze(state)
        state = sampler.step(state, curved_gradient(state.position), generators)
    return state.position


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_a_chain_does_not_depend_on_the_other_chains(sampler, dtype, device):
    """Bit for bit, in float32 and float64, for widths that leave remainders in vectorized loops."""
    for size in (1, 7, 33):
        start = torch.linspace(-2, 2, 6 * size, device=device).reshape(6, size)
        together = run(sampler, start, make_generators([1, 2, 3], device), dtype=dtype)
        alone = run(sampler, start[2:4], make_generators([2], device), dtype=dtype)
        assert torch.equal(together[2:4], alone)


def test_the_same_seed_gives_the_same_chain_and_another_seed_another(sampler):
    start = torch.zeros(2, 3)
    first, again, other = (run(sampler, start, make_generators([seed])) for seed in (5, 5, 6))
    assert torch.equal(first, again)
    assert not torch.equal(first, other)


def test_given_noise_takes_the_place_of_drawn_noise(sampler):
    start, (generator,) = torch.ones(3, 4), make_generators([8])
    noise = normal_(torch.empty(3, 4), make_generators([8])[0])
    drawn = sampler.step(sampler.init(start), start.clone(), generator)
    given = sampler.step(sampler.init(start), start.clone(), None, noise=noise)
    assert torch.equal(drawn.position, given.position)


def test_without_gradient_and_noise_nothing_moves(sampler):
    start = torch.linspace(-1, 1, 8).reshape(2, 4)
    state = sampler.init(start)
    for _ in range(5):
        state = sampler.step(state, torch.zeros(2, 4), None, noise=torch.zeros(2, 4))
    assert torch.equal(state.position, start)


def test_without_noise_it_descends(sampler):
    """The drift alone is an optimizer: it must shrink the potential of every chain."""
    start = torch.tensor([[3.0, -2.0], [-1.0, 2.5]])
    state = sampler.init(start)
    for _ in range(200):
        state = sampler.step(state, curved_gradient(state.position), None, noise=torch.zeros(2, 2))
    assert (potential(state.position) < potential(start)).all()


def test_states_are_updated_in_place_and_the_start_is_not(sampler):
    start = torch.ones(2, 3)
    state = sampler.init(start)
    addresses = [value.data_ptr() for value in state if torch.is_tensor(value)]
    after = sampler.step(state, torch.ones(2, 3), make_generators([0]))
    assert [value.data_ptr() for value in after if torch.is_tensor(value)] == addresses
    assert torch.equal(start, torch.ones(2, 3))


def test_frozen_states_keep_everything_but_position_and_velocity(sampler):
    generators = make_generators([0])
    state = sampler.step(sampler.init(torch.ones(2, 3)), torch.ones(2, 3), generators)
    state = sampler.freeze(state)
    before = {name: value.clone() if torch.is_tensor(value) else value for name, value in state._asdict().items()}
    state = sampler.step(state, 100 * torch.ones(2, 3), generators)
    for name in set(state._fields) - {"position", "velocity"}:
        assert torch.equal(torch.as_tensor(getattr(state, name)), torch.as_tensor(before[name])), name
    again = sampler.freeze(state)
    assert all(
        left is right or torch.equal(torch.as_tensor(left), torch.as_tensor(right))
        for left, right in zip(again, state, strict=True)
    )


@pytest.mark.parametrize("wrong", [torch.zeros(3), torch.zeros(2, 3, 4), torch.zeros(2, 3, dtype=torch.int64)])
def test_positions_of_another_shape_or_type_are_refused(sampler, wrong):
    with pytest.raises(ValueError, match=r"position: must be a floating-point tensor of shape \(chains, P\)"):
        sampler.init(wrong)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda bad: SGLD(bad), "SGLD.step_size is BAD; allowed: positive and finite"),
        (lambda bad: SGHMC(bad), "SGHMC.step_size is BAD; allowed: positive and finite"),
        (lambda bad: SGHMC(0.1, momentum_decay=bad), "SGHMC.momentum_decay is BAD; allowed: above 0, up to 1"),
        (lambda bad: AdaptiveSGHMC(step_size=bad), "AdaptiveSGHMC.step_size is BAD; allowed: positive and finite"),
        (
            lambda bad: AdaptiveSGHMC(momentum_decay=bad),
            "AdaptiveSGHMC.momentum_decay is BAD; allowed: above 0, up to 1",
        ),
    ],
)
@pytest.mark.parametrize("bad", [0.0, -1.0, math.nan, math.inf, "0.1", True])
def test_constants_out_of_range_are_refused(build, message, bad):
    with pytest.raises(UserError, match=message.replace("BAD", repr(bad))):
        build(bad)


@pytest.mark.parametrize("bad", [-1.0, 5.1, math.nan])
def test_a_noise_estimate_beyond_the_friction_is_refused(bad):
    with pytest.raises(UserError, match=r"SGHMC.noise_estimate is .*; allowed: 0 to momentum_decay / step_size = 5"):
        SGHMC(1e-2, noise_estimate=bad)


def test_the_largest_noise_estimate_is_allowed_whatever_its_rounding():
    """0.1 * 3 is above 0.3 in double precision; the step has no noise of its own."""
    sampler = SGHMC(0.1, 0.3, 3.0)
    state = sampler.step(sampler.init(torch.ones(1, 2)), torch.zeros(1, 2), make_generators([0]))
    assert sampler.friction == 0 and torch.equal(state.position, torch.ones(1, 2))
