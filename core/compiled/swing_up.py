"""Swinging a pole up by moving the cart that it hangs on, compiled, one step of one environment.

The constants are those of PILCO's scenario (Deisenroth and Rasmussen 2011; their published code): cart and pole of
M = m = 0.5 kg, a uniform pole of length l = 0.5 m, friction b = 0.1 N s/m between cart and ground, g = 9.82 m/s^2,
a force of at most 10 N that is kept for 0.1 s, episodes of 4 s that start near the state in which all is at rest and
the pole hangs down. With w the angle from there and u = F - b x', Lagrange's equations are

    (M + m) x'' + (m l / 2) (w'' cos w - w'^2 sin w) = u
    (m l / 2) x'' cos w + (m l^2 / 3) w'' + (m g l / 2) sin w = 0

and are integrated by Runge and Kutta's method in four steps of 0.025 s. An instant costs 1 - exp(-d^2 / (2 0.25^2)),
where d is the distance of the pole's tip from where it stands upright over the middle, also PILCO's; the reward of a
step is minus the cost at its end times 0.1 s, so that an episode's reward is minus the seconds spent away from there.
"""

import math

import numba
import numpy as np

from core.compiled.perceptron import normal

STATE, ACTIONS, OBSERVATION, STEPS = 4, 1, 5, 40
CART, POLE, LENGTH, FRICTION, GRAVITY = 0.5, 0.5, 0.5, 0.1, 9.82  # kg, kg, m, N s/m, m/s^2
FORCE, SECONDS, SUBSTEPS = 10.0, 0.1, 4
WIDTH = 0.25  # m
START = 0.1  # standard deviation of all four numbers of the first state


@numba.njit
def accelerations(speed, angle, turning, force):
    """x'' and w'' at the cart's velocity x', the pole's angle w and its velocity w', under a force on the cart."""
    sine, cosine = math.sin(angle), math.cos(angle)
    pushed = force - FRICTION * speed + POLE * LENGTH / 2 * turning * turning * sine
    push = (pushed + 0.75 * POLE * GRAVITY * sine * cosine) / (CART + POLE - 0.75 * POLE * cosine * cosine)
    return push, -1.5 / LENGTH * (push * cosine + GRAVITY * sine)


@numba.njit
def start(state, generator):
    """Draw the first state of an episode: x (m), x', w (rad), w'."""
    for k in range(STATE):
        state[k] = START * normal(generator)


@numba.njit
def observe(state, rows, at):
    """Write what an agent sees to rows[at:]: x, x', sin w, cos w and w', velocities in units that are near 1."""
    rows[at] = state[0]
    rows[at + 1] = state[1] / 3
    rows[at + 2] = math.sin(state[2])
    rows[at + 3] = math.cos(state[2])
    rows[at + 4] = state[3] / 10


@numba.njit
def advance(state, action):
    """Move a state by 0.1 s under a share action[0] in [-1, 1] of the largest force; the reward."""
    h, force = SECONDS / SUBSTEPS, FORCE * action[0]
    for _ in range(SUBSTEPS):
        x, speed, angle, turning = state[0], state[1], state[2], state[3]
        push_1, turn_1 = accelerations(speed, angle, turning, force)
        speed_2, turning_2 = speed + h / 2 * push_1, turning + h / 2 * turn_1
        push_2, turn_2 = accelerations(speed_2, angle + h / 2 * turning, turning_2, force)
        speed_3, turning_3 = speed + h / 2 * push_2, turning + h / 2 * turn_2
        push_3, turn_3 = accelerations(speed_3, angle + h / 2 * turning_2, turning_3, force)
        speed_4, turning_4 = speed + h * push_3, turning + h * turn_3
        push_4, turn_4 = accelerations(speed_4, angle + h * turning_3, turning_4, force)
        state[0] = x + h / 6 * (speed + 2 * speed_2 + 2 * speed_3 + speed_4)
        state[1] = speed + h / 6 * (push_1 + 2 * push_2 + 2 * push_3 + push_4)
        state[2] = angle + h / 6 * (turning + 2 * turning_2 + 2 * turning_3 + turning_4)
        state[3] = turning + h / 6 * (turn_1 + 2 * turn_2 + 2 * turn_3 + turn_4)
    return -SECONDS * cost(state)


@numba.njit
def cost(state):
    """1 - exp(-d^2 / (2 0.25^2)), where the tip is at (x + l sin w, -l cos w) and upright at (0, l)."""
    across, below = state[0] + LENGTH * math.sin(state[2]), LENGTH * (1 + math.cos(state[2]))
    return 1 - math.exp(-(across * across + below * below) / (2 * WIDTH * WIDTH))


@numba.njit
def energy(state):
    """Kinetic and potential energy in J, constant without force and friction; for tests."""
    speed, angle, turning = state[1], state[2], state[3]
    moving = (CART + POLE) / 2 * speed**2 + POLE * LENGTH**2 / 6 * turning**2
    return moving + POLE * LENGTH / 2 * (speed * turning - GRAVITY) * np.cos(angle)
