"""Swinging up and reaching: each step against scipy's integrator on equations set up anew, and extreme rewards."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from core.compiled import reaching, swing_up
from core.compiled.swing_up import CART, FRICTION, GRAVITY, LENGTH, POLE


def hanging_pole(force):
    """Lagrange's equations of cart and uniform pole as a linear system in the two accelerations."""

    def derivative(_, state):
        _, speed, angle, turning = state
        half = POLE * LENGTH / 2
        inertia = np.array([[CART + POLE, half * np.cos(angle)], [half * np.cos(angle), POLE * LENGTH**2 / 3]])
        forces = [force - FRICTION * speed + half * turning**2 * np.sin(angle), -half * GRAVITY * np.sin(angle)]
        push, turn = np.linalg.solve(inertia, forces)
        return [speed, push, turning, turn]

    return derivative


def arm(action):
    return lambda _, state: [*state[2:4], *(reaching.TORQUE * action - state[2:4]), 0, 0]


def exact(derivative, state, seconds):
    return solve_ivp(derivative, (0, seconds), state, method="DOP853", rtol=1e-11, atol=1e-12).y[:, -1]


@pytest.mark.parametrize("seed", range(5))
def test_swinging_up_follows_the_equations_of_motion(seed):
    generator = np.random.default_rng(seed)
    state = generator.normal(0, [1, 2, 3, 4])
    for action in generator.uniform(-1, 1, 10):
        expected = exact(hanging_pole(10 * action), state, 0.1)
        reward = swing_up.advance(state, np.array([action]))
        np.testing.assert_allclose(state, expected, atol=2e-2)
        tip = np.array([state[0] + LENGTH * np.sin(state[2]), -LENGTH * np.cos(state[2])])
        squared = ((tip - [0, LENGTH]) ** 2).sum()
        assert reward == pytest.approx(-0.1 * (1 - np.exp(-squared / (2 * 0.25**2))))


def test_energy_changes_by_the_work_of_force_and_friction():
    """dE/dt = (F - b x') x'."""
    for angle in np.linspace(-3, 3, 13):
        state, force = np.array([0.3, 1.2, angle, -2.0]), 4.0
        rate = np.array(hanging_pole(force)(0, state))
        h = 1e-6
        slope = (swing_up.energy(state + h * rate) - swing_up.energy(state - h * rate)) / (2 * h)
        assert slope == pytest.approx((force - FRICTION * state[1]) * state[1], rel=1e-6)


def test_the_reward_is_minus_the_seconds_away_from_the_upright_pole():
    upright, hanging = np.array([0.0, 0.0, np.pi, 0.0]), np.zeros(4)
    still = np.zeros(1)
    assert swing_up.advance(upright, still) == pytest.approx(0, abs=1e-12)
    rewards = [swing_up.advance(hanging, still) for _ in range(swing_up.STEPS)]
    assert sum(rewards) == pytest.approx(-4, rel=1e-3)


@pytest.mark.parametrize("seed", range(5))
def test_reaching_follows_the_equations_of_motion(seed):
    generator = np.random.default_rng(seed)
    state = np.concatenate([generator.uniform(-1, 1, 4), [0.1, 0.05]])
    for action in generator.uniform(-0.2, 0.2, (10, 2)):
        shoulder, forearm = state[0], state[0] + state[1]
        tip = 0.1 * np.array([np.cos(shoulder), np.sin(shoulder)]) + 0.11 * np.array([np.cos(forearm), np.sin(forearm)])
        expected = exact(arm(action), state, 0.02)
        reward = reaching.advance(state, action)
        assert reward == pytest.approx(-np.linalg.norm(tip - [0.1, 0.05]) - (action**2).sum())
        np.testing.assert_allclose(state, expected, atol=1e-9)


def test_the_elbow_stops_at_three_radians():
    state = np.array([0.0, 2.99, 0.0, 5.0, 0.1, 0.1])
    reaching.advance(state, np.array([0.0, 1.0]))
    assert state[1] == 3.0 and state[3] == 0.0
    reaching.advance(state, np.array([0.0, -1.0]))
    assert state[1] < 3.0 and state[3] < 0.0


def test_episodes_start_as_stated():
    generator = np.array([3], np.uint64)
    starts = np.empty((4000, 6))
    for state in starts:
        reaching.start(state, generator)
    assert (np.abs(starts[:, :2]) <= 0.1).all() and (np.abs(starts[:, 2:4]) <= 0.005).all()
    radii = np.hypot(starts[:, 4], starts[:, 5])
    assert radii.max() <= 0.2
    assert (radii**2).mean() == pytest.approx(0.2**2 / 2, rel=0.05)  # uniform on the disc
    poles = np.empty((4000, 4))
    for state in poles:
        swing_up.start(state, generator)
    np.testing.assert_allclose(poles.std(axis=0), 0.1, rtol=0.06)
    np.testing.assert_allclose(poles.mean(axis=0), 0, atol=0.008)
