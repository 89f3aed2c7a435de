"""The dynamics of cart and pole (Barto, Sutton and Anderson 1983), compiled, one step of one environment.

With x the cart's position in m, w the pole's angle from the upright in rad, a force F = +-10 N, cart and pole of mass
1 and 0.1 kg together M = 1.1 kg, half the pole's length l = 0.5 m and g = 9.8 m/s^2:

    u   = (F + 0.1 l w'^2 sin w) / M
    w'' = (g sin w - u cos w) / (l (4/3 - 0.1 cos^2 w / M))
    x'' = u - 0.1 l w'' cos w / M

Euler's method has steps of 0.02 s; positions move by the velocities from before the step.
"""

import math

import numba

GRAVITY, FORCE, SECONDS = 9.8, 10.0, 0.02
POLE, TOTAL, HALF_LENGTH = 0.1, 1.1, 0.5  # kg, kg, m
FARTHEST, STEEPEST = 2.4, math.radians(12)  # m, rad: an episode ends beyond
START = 0.05  # an episode starts with all four numbers uniform in +-0.05


@numba.njit(cache=True)
def accelerations(angle, turning, force):
    """x'' and w'' for the pole's angle w, its velocity w' and a force."""
    sine, cosine = math.sin(angle), math.cos(angle)
    pushed = (force + POLE * HALF_LENGTH * turning * turning * sine) / TOTAL
    turn = (GRAVITY * sine - cosine * pushed) / (HALF_LENGTH * (4 / 3 - POLE * cosine * cosine / TOTAL))
    return pushed - POLE * HALF_LENGTH * turn * cosine / TOTAL, turn


@numba.njit(cache=True)
def advance(states, e, action):
    """Move row e of states (n, 4), which are x, x', w, w', by one step; whether the episode has ended.

    Action 1 pushes the cart towards larger x, action 0 towards smaller.
    """
    x, speed, angle, turning = states[e, 0], states[e, 1], states[e, 2], states[e, 3]
    push, turn = accelerations(angle, turning, FORCE if action == 1 else -FORCE)
    states[e, 0] = x + SECONDS * speed
    states[e, 1] = speed + SECONDS * push
    states[e, 2] = angle + SECONDS * turning
    states[e, 3] = turning + SECONDS * turn
    return abs(states[e, 0]) > FARTHEST or abs(states[e, 2]) > STEEPEST
