"""Proximal policy optimization on cart-pole, compiled: a batch of episodes, then steps of Adam on both networks.

A policy with two logits and a baseline b with one output are perceptrons over the state. The B episodes of a batch run
side by side, as rows of one matrix product in every step of time; episodes that have ended leave it. With reward 1 in
every step, the return at time t of an episode of T steps is R = sum_{k < T - t} discount^k, and the advantage is
A = R - b(s) with the baseline from before the batch. The policy minimizes the mean of (Schulman et al. 2017, Eq. 7)

    -min(r A, clip(r, 1 / (1 + c), 1 + c) A) - beta H,    r = pi(a | s) / pi_old(a | s),    H the entropy of pi(. | s)

over a part of the batch that is drawn anew, with replacement, for each of its steps; the baseline minimizes half the
sum of (b(s) - R)^2 over the whole batch.

The dynamics are those of cart and pole (Barto, Sutton and Anderson 1983), one step of one environment.

With x the cart's position in m, w the pole's angle from the upright in rad, a force F = +-10 N, cart and pole of mass
1 and 0.1 kg together M = 1.1 kg, half the pole's length l = 0.5 m and g = 9.8 m/s^2:

    u   = (F + 0.1 l w'^2 sin w) / M
    w'' = (g sin w - u cos w) / (l (4/3 - 0.1 cos^2 w / M))
    x'' = u - 0.1 l w'' cos w / M

Euler's method has steps of 0.02 s; positions move by the velocities from before the step.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numba
import numpy as np

from core.compiled.arguments import fingerprint
from core.compiled.layers import gather
from core.compiled.perceptron import index_below, move, predict, propagate, uniform
from core.compiled.simd import LANES

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


STATE = 4
ROW = LANES  # length of a state's row, padded
ENDED = -1


class Batch(NamedTuple):
    """The time steps of a batch of episodes, in the order in which they were simulated; arrays for N of them."""

    states: np.ndarray  # (N ROW,) float32, flat
    actions: np.ndarray  # (N,) int64
    log_probability: np.ndarray  # (N,) float32, of the action
    returns: np.ndarray  # (N,) float32
    advantages: np.ndarray  # (N,) float32
    previous: np.ndarray  # (N,) int64: the step of the same episode before, ENDED at its start
    order: np.ndarray  # (N,) int64: steps in the order in which they are used


@numba.njit
def _log_sigmoid(x):
    return -math.log1p(math.exp(-x)) if x > 0 else x - math.log1p(math.exp(x))


@cache
def compile_play() -> Callable[..., Any]:
    """The function `play`, with its machine code cached on disk."""
    version = fingerprint()

    @numba.njit(cache=True, nogil=True, error_model="numpy")
    def play(layout, policy, discount, longest, generator, batch, scratch, lengths):
        """Simulate B episodes of at most `longest` steps into the batch and write their lengths (B,) int64.

        Returns the number of time steps, or ENDED if the policy is no longer finite.
        """
        version  # noqa: B018
        episodes, top, row = len(lengths), layout.activation[-1], layout.row[-1]
        states, last, running = np.empty((episodes, STATE)), np.full(episodes, ENDED), np.arange(episodes)
        for e in range(episodes):
            for k in range(STATE):
                states[e, k] = START * (2 * uniform(generator) - 1)
        lengths[:] = 0
        count, active = 0, episodes
        while active > 0:
            for first in range(0, active, layout.capacity):
                rows = min(layout.capacity, active - first)
                for b in range(rows):
                    for k in range(STATE):
                        value = np.float32(states[running[first + b], k])
                        scratch[b * ROW + k] = batch.states[(count + b) * ROW + k] = value
                    for k in range(STATE, ROW):
                        scratch[b * ROW + k] = batch.states[(count + b) * ROW + k] = 0
                predict(layout, policy, rows, scratch)
                for b in range(rows):
                    e = running[first + b]
                    margin = np.float64(scratch[top + b * row + 1] - scratch[top + b * row])
                    if not math.isfinite(margin):
                        return ENDED
                    action = 1 if uniform(generator) < 1 / (1 + math.exp(-margin)) else 0
                    batch.actions[count] = action
                    batch.log_probability[count] = _log_sigmoid(margin if action == 1 else -margin)
                    batch.previous[count], last[e] = last[e], count
                    count += 1
                    lengths[e] += 1
                    if advance(states, e, action) or lengths[e] == longest:
                        running[first + b] = ENDED
            kept = 0
            for i in range(active):
                if running[i] != ENDED:
                    running[kept] = running[i]
                    kept += 1
            active = kept
        for e in range(episodes):
            total, step = 0.0, last[e]
            while step != ENDED:
                total = 1 + discount * total
                batch.returns[step] = total
                step = batch.previous[step]
        return count

    return play


@cache
def compile_learning() -> Callable[..., Any]:
    """The function `learn`, with its machine code cached on disk."""
    version = fingerprint()

    @numba.njit(cache=True, nogil=True, error_model="numpy")
    def learn(
        policy_layout, policy, baseline_layout, baseline, count, sample, steps, before, rates, clipping, entropy,
        generator, batch, scratch,
    ):  # fmt: skip
        """Move both networks by `steps` steps of Adam each, after `before` earlier ones.

        `count` is the number of time steps in the batch, `sample` the number that each step of the policy uses; `rates`
        are those of policy and baseline, `clipping` is c, `entropy` is beta.
        """
        version  # noqa: B018
        targets, capacity = np.empty(policy_layout.capacity, np.float32), policy_layout.capacity
        top, row = baseline_layout.activation[-1], baseline_layout.row[-1]
        for i in range(count):
            batch.order[i] = i
        for first in range(0, count, capacity):
            rows = min(capacity, count - first)
            gather(batch.states, 0, batch.returns, batch.order, first, rows, ROW, scratch, targets)
            predict(baseline_layout, baseline, rows, scratch)
            for b in range(rows):
                batch.advantages[first + b] = targets[b] - scratch[top + b * row]
        for step in range(steps):
            for first in range(0, count, capacity):
                rows = min(capacity, count - first)
                gather(batch.states, 0, batch.returns, batch.order, first, rows, ROW, scratch, targets)
                predict(baseline_layout, baseline, rows, scratch)
                for b in range(rows):
                    scratch[top + b * row] -= targets[b]
                propagate(baseline_layout, baseline, rows, scratch)
            move(baseline_layout, baseline, rates[1], before + step + 1)
        for step in range(steps):
            for i in range(sample):
                batch.order[i] = index_below(count, generator)
            for first in range(0, sample, capacity):
                rows = min(capacity, sample - first)
                gather(batch.states, 0, batch.advantages, batch.order, first, rows, ROW, scratch, targets)
                predict(policy_layout, policy, rows, scratch)
                _surrogate(policy_layout, batch, first, rows, targets, clipping, entropy, sample, scratch)
                propagate(policy_layout, policy, rows, scratch)
            move(policy_layout, policy, rates[0], before + step + 1)

    return learn


@numba.njit
def _surrogate(layout, batch, first, rows, advantages, clipping, entropy, sample, scratch):
    """Replace logits by the gradient of the policy's loss, a mean over `sample` time steps.

    With p = pi(1 | s), d log pi(1 | s) / d margin = 1 - p and dH / d margin = -margin p (1 - p), where the margin is
    the difference of the two logits.
    """
    top, row = layout.activation[-1], layout.row[-1]
    for b in range(rows):
        i, A = batch.order[first + b], np.float64(advantages[b])
        margin = np.float64(scratch[top + b * row + 1] - scratch[top + b * row])
        p = 1 / (1 + math.exp(-margin))
        slope = 1 - p if batch.actions[i] == 1 else -p
        ratio = math.exp(_log_sigmoid(margin if batch.actions[i] == 1 else -margin) - batch.log_probability[i])
        clipped = min(max(ratio, 1 / (1 + clipping)), 1 + clipping)
        moved = -ratio * A * slope if ratio * A <= clipped * A else 0.0
        moved = (moved + entropy * margin * p * (1 - p)) / sample
        scratch[top + b * row + 1] = moved
        scratch[top + b * row] = -moved
