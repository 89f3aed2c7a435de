"""Cart-pole against gymnasium, against the conservation of energy, and over batches of environments."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from core.compiled.proximal import GRAVITY, HALF_LENGTH, POLE, START, TOTAL, accelerations
from core.control.ppo import start, step
from core.foundation.errors import UserError

REFERENCE = json.loads((Path(__file__).parents[2] / "references" / "cartpole_gymnasium.json").read_text())


@pytest.mark.parametrize("episode", REFERENCE["episodes"])
def test_every_step_is_gymnasiums(episode):
    """tests/references/cartpole_gymnasium.py made the values."""
    state, ended = np.array(episode["states"][0]), False
    for action, expected in zip(episode["actions"], episode["states"][1:], strict=True):
        assert not ended
        ended = bool(step(state, np.array(action)))
        np.testing.assert_allclose(state, expected, rtol=1e-12, atol=1e-14)
    assert ended == episode["ended"]


def test_every_step_is_that_of_an_installed_gymnasium():
    gymnasium = pytest.importorskip("gymnasium")
    environment, generator = gymnasium.make("CartPole-v1").unwrapped, np.random.default_rng(0)
    for seed in range(20):
        environment.reset(seed=seed)
        state, ended = np.array(environment.state, dtype=float), False
        while not ended:
            action = int(generator.integers(2))
            ours, (_, reward, ended, _, _) = step(state, np.array(action)), environment.step(action)
            np.testing.assert_allclose(state, environment.state, rtol=1e-12, atol=1e-14)
            assert reward == 1 and bool(ours) == ended


def energy(state):
    """Kinetic and potential energy, J, of the cart and of the pole, a uniform rod of mass 0.1 kg."""
    _, speed, angle, turning = state
    center = speed + HALF_LENGTH * turning * np.cos(angle), -HALF_LENGTH * turning * np.sin(angle)
    moment = POLE * HALF_LENGTH**2 / 3
    kinetic = (TOTAL - POLE) * speed**2 + POLE * (center[0] ** 2 + center[1] ** 2) + moment * turning**2
    return kinetic / 2 + POLE * GRAVITY * HALF_LENGTH * np.cos(angle)


def motion(force):
    def derivative(_, state):
        push, turn = accelerations(state[2], state[3], force)
        return [state[1], push, state[3], turn]

    return derivative


def test_energy_is_conserved_without_a_force_and_is_the_work_of_one():
    """An independent integrator, over two seconds in which the pole falls and swings through."""
    first = [0.0, 0.3, 0.4, -0.2]
    for force in (0.0, 3.0):
        found = solve_ivp(motion(force), (0, 2), first, rtol=1e-10, atol=1e-12)
        energies = energy(found.y)
        assert np.ptp(found.y[2]) > 3
        np.testing.assert_allclose(energies - energies[0], force * (found.y[0] - found.y[0, 0]), atol=1e-7)


def test_eulers_steps_approach_the_independent_integrator():
    """Over 0.1 s, five steps, the error is of the order of the step: at most a tenth of the distance moved."""
    first = np.array([0.1, -0.2, 0.05, 0.3])
    exact = solve_ivp(motion(10.0), (0, 0.1), first, rtol=1e-10, atol=1e-12).y[:, -1]
    state = first.copy()
    for _ in range(5):
        step(state, np.array(1))
    assert (np.abs(state[[1, 3]] - exact[[1, 3]]) < 0.1 * np.abs(exact - first)[[1, 3]]).all()


def test_environments_of_a_batch_do_not_depend_on_each_other():
    generator = np.random.default_rng(0)
    states, actions = start((3, 5), generator), generator.integers(2, size=(3, 5))
    assert states.shape == (3, 5, 4) and (np.abs(states) <= START).all()
    alone = states.copy()
    ended = step(states, actions)
    assert ended.shape == (3, 5)
    for place in np.ndindex(3, 5):
        one = alone[place].copy()
        assert bool(step(one, actions[place])) == ended[place]
        np.testing.assert_array_equal(one, states[place])


def test_bad_actions_are_named():
    states = np.zeros((2, 4))
    with pytest.raises(UserError, match=r"actions have shape \(3,\); allowed: \(2,\)"):
        step(states, np.zeros(3, int))
    with pytest.raises(UserError, match="action 2; allowed: 0"):
        step(states, np.array([0, 2]))
