"""Reaching a point with an arm of two links in a horizontal plane, compiled, one step of one environment.

Geometry, start and reward are those of Reacher-v1 of OpenAI's gym (2016), which MuJoCo simulates: links of 0.1 m, the
fingertip 0.11 m from the elbow, motors of at most 200 N m, joints with a damping of 1 N m s/rad and rotors of 1 kg m^2,
an elbow that stops at 3 rad, 50 steps of 0.02 s. The links weigh 36 g each, so that their inertia is a thousandth of
the rotors'. Without it the joints are independent,

    w'' = 200 a - w',    w'(t) = 200 a + (w'(0) - 200 a) e^-t,    w(t) = w(0) + 200 a t + (w'(0) - 200 a) (1 - e^-t)

which is exact, while MuJoCo integrates in two steps. The target is uniform on a disc of 0.2 m around the shoulder, the
arm starts stretched out, within 0.1 rad. The reward is minus the distance of fingertip and target in m before a step,
minus the sum of squares of the two actions.
"""

import math

import numba

from core.compiled.perceptron import uniform

STATE, ACTIONS, OBSERVATION, STEPS = 6, 2, 10, 50
UPPER, LOWER, REACH = 0.1, 0.11, 0.2  # m, and the radius of the disc
TORQUE, SECONDS, STOP = 200.0, 0.02, 3.0  # rad/s^2 at the largest action, s, rad
ANGLE, SPEED = 0.1, 0.005  # bounds of the first state
LEFT = math.exp(-SECONDS)


@numba.njit
def start(state, generator):
    """Draw the first state of an episode: both angles (rad), their velocities, and the target (m)."""
    for joint in range(2):
        state[joint] = ANGLE * (2 * uniform(generator) - 1)
        state[2 + joint] = SPEED * (2 * uniform(generator) - 1)
    radius, angle = REACH * math.sqrt(uniform(generator)), 2 * math.pi * uniform(generator)
    state[4], state[5] = radius * math.cos(angle), radius * math.sin(angle)


@numba.njit
def offset(state):
    """From the target to the fingertip, in m."""
    forearm = state[0] + state[1]
    x = UPPER * math.cos(state[0]) + LOWER * math.cos(forearm)
    y = UPPER * math.sin(state[0]) + LOWER * math.sin(forearm)
    return x - state[4], y - state[5]


@numba.njit
def observe(state, rows, at):
    """Write what an agent sees to rows[at:]: cosines and sines of the angles, target, velocities, offset from it.

    Lengths are in decimetres and velocities in units of 10 rad/s, so that all are near 1.
    """
    for joint in range(2):
        rows[at + joint], rows[at + 2 + joint] = math.cos(state[joint]), math.sin(state[joint])
        rows[at + 4 + joint], rows[at + 6 + joint] = 10 * state[4 + joint], state[2 + joint] / 10
    x, y = offset(state)
    rows[at + 8], rows[at + 9] = 10 * x, 10 * y


@numba.njit
def advance(state, action):
    """Move a state by 0.02 s with shares action[0], action[1] in [-1, 1] of the largest torques; the reward."""
    x, y = offset(state)
    reward = -math.hypot(x, y) - action[0] * action[0] - action[1] * action[1]
    for joint in range(2):
        limit = TORQUE * action[joint]
        rest = state[2 + joint] - limit
        state[joint] += limit * SECONDS + rest * (1 - LEFT)
        state[2 + joint] = limit + rest * LEFT
    if abs(state[1]) > STOP:
        state[1], state[3] = math.copysign(STOP, state[1]), 0.0
    return reward
