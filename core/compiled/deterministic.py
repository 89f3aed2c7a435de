"""Deep deterministic policy gradient (Lillicrap et al. 2016, Algorithm 1), compiled: episodes, updates and tests.

An actor mu(s) in [-1, 1]^A, the tanh of a perceptron's outputs, and a critic Q(s, a), a perceptron over both, have
slowly following copies mu' and Q'. For B remembered steps (s, a, r, s'), drawn with replacement, an update moves

    the critic by Adam along  d/dtheta mean (Q(s, a) - r - discount Q'(s', mu'(s')))^2 + decay |theta|^2 / 2
    the actor by Adam along   d/dtheta -mean Q(s, mu(s))
    the copies                theta' <- theta' + rate (theta - theta')

An episode ends by the clock alone, so that its last step is no terminal state. The exploring actor adds an
Ornstein-Uhlenbeck process to its actions, n <- n - pull n + spread N(0, 1), which starts at 0 in every episode, and
keeps the sums in [-1, 1].
"""

import math
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numba
import numpy as np

from core.compiled import reaching, swing_up
from core.compiled.arguments import fingerprint
from core.compiled.layers import RELU
from core.compiled.perceptron import Perceptron, index_below, move, normal, predict, propagate
from core.compiled.simd import LANES, load, store

TASKS = {"swing_up": swing_up, "reaching": reaching}
UNIT = RELU


class Learner(NamedTuple):
    """The four networks of an agent; copies share nothing with the networks that they follow."""

    actor: Perceptron
    critic: Perceptron
    slow_actor: Perceptron
    slow_critic: Perceptron


class Memory(NamedTuple):
    """The latest steps of all episodes, N at most, float32; rows have the length of the actor's first row."""

    before: np.ndarray  # (N row,) observations, flat
    after: np.ndarray  # (N row,) those one step later
    actions: np.ndarray  # (N, A)
    rewards: np.ndarray  # (N,)


class Rates(NamedTuple):
    """Constants of an update."""

    actor: float
    critic: float
    follow: float
    decay: float
    discount: float


@numba.njit
def _act(layout, actor, rows, actions, scratch):
    """mu of the observations at the start of the scratch space, (rows, A)."""
    predict(layout, actor, rows, scratch)
    top, row = layout.activation[-1], layout.row[-1]
    for b in range(rows):
        for k in range(actions.shape[1]):
            actions[b, k] = math.tanh(scratch[top + b * row + k])


@numba.njit
def _fill(memory, order, actions, row, critic_row, observation, scratch):
    """The critic's inputs for remembered observations and given actions (B, A)."""
    for b in range(len(order)):
        for k in range(observation):
            scratch[b * critic_row + k] = memory[order[b] * row + k]
        for k in range(actions.shape[1]):
            scratch[b * critic_row + observation + k] = actions[b, k]
        for k in range(observation + actions.shape[1], critic_row):
            scratch[b * critic_row + k] = 0


@numba.njit
def _copy_rows(memory, order, row, scratch):
    """The actor's inputs: remembered observations at the start of its scratch space."""
    for b in range(len(order)):
        for k in range(0, row, LANES):
            store(scratch, b * row + k, load(memory, order[b] * row + k))


@numba.njit
def _follow(layout, slow, network, rate):
    for k in range(0, layout.size, LANES):
        behind = load(slow.theta, k)
        store(slow.theta, k, behind + (load(network.theta, k) - behind) * rate)


@numba.njit
def _slope_in_actions(layout, critic, rows, observation, slopes, scratch):
    """dQ/da (rows, A) from dQ/dz of the critic's first layer, which `propagate` has left in the scratch space."""
    delta, row, weight, units = layout.activation[1], layout.row[1], layout.weight[0], layout.sizes[1]
    for b in range(rows):
        for k in range(slopes.shape[1]):
            total, start = np.float32(0), weight + (observation + k) * row
            for j in range(units):
                total += scratch[delta + b * row + j] * critic.theta[start + j]
            slopes[b, k] = total


@cache
def compile_episodes(task: str) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """The functions `explore` and `test` of a task, with their machine code cached on disk."""
    version = fingerprint()
    start, observe, advance = TASKS[task].start, TASKS[task].observe, TASKS[task].advance
    STATE, ACTIONS = TASKS[task].STATE, TASKS[task].ACTIONS

    @numba.njit(cache=True, nogil=True, error_model="numpy")
    def explore(layout, actor, steps, pull, spread, stored, memory, generator, scratch):
        """Play an episode with noise into the memory, after `stored` earlier steps; its reward."""
        version  # noqa: B018
        state, noise, action = np.empty(STATE), np.zeros(ACTIONS), np.empty((1, ACTIONS), np.float32)
        row, size, reward = layout.row[0], len(memory.rewards), 0.0
        start(state, generator)
        scratch[:row] = 0
        observe(state, scratch, 0)
        for t in range(steps):
            at = (stored + t) % size
            memory.before[at * row : (at + 1) * row] = scratch[:row]
            _act(layout, actor, 1, action, scratch)
            for k in range(ACTIONS):
                noise[k] += spread * normal(generator) - pull * noise[k]
                action[0, k] = min(max(action[0, k] + noise[k], -1.0), 1.0)
                memory.actions[at, k] = action[0, k]
            gained = advance(state, action[0])
            reward += gained
            memory.rewards[at] = gained
            observe(state, scratch, 0)
            memory.after[at * row : (at + 1) * row] = scratch[:row]
        return reward

    @numba.njit(cache=True, nogil=True, error_model="numpy")
    def test(layout, actor, steps, above, rewards, generator, scratch):
        """Play episodes without noise until one has no reward above `above`, len(rewards) at most; their number."""
        version  # noqa: B018
        state, action = np.empty(STATE), np.empty((1, ACTIONS), np.float32)
        scratch[: layout.row[0]] = 0
        for episode in range(len(rewards)):
            start(state, generator)
            rewards[episode] = 0.0
            for _ in range(steps):
                observe(state, scratch, 0)
                _act(layout, actor, 1, action, scratch)
                rewards[episode] += advance(state, action[0])
            if not rewards[episode] > above:
                return episode + 1
        return len(rewards)

    return explore, test


@cache
def compile_update() -> Callable[..., Any]:
    """The function `update`, with its machine code cached on disk."""
    version = fingerprint()

    @numba.njit(cache=True, nogil=True, error_model="numpy")
    def update(
        layout, critic_layout, learner, batch, updates, before, rates, stored, memory, generator, scratch,
        critic_scratch,
    ):  # fmt: skip
        """Make a number of updates, after `before` earlier ones, with batches of the `stored` latest steps.

        Actors and critics have scratch space of their own, so that an actor's activations outlast the critic's passes.
        """
        version  # noqa: B018
        observation, count = layout.sizes[0], memory.actions.shape[1]
        order, actions = np.empty(batch, np.int64), np.empty((batch, count), np.float32)
        targets, row, critic_row = np.empty(batch, np.float32), layout.row[0], critic_layout.row[0]
        top, out = critic_layout.activation[-1], critic_layout.row[-1]
        actor_top, actor_out = layout.activation[-1], layout.row[-1]
        for step in range(before + 1, before + updates + 1):
            for b in range(batch):
                order[b] = index_below(stored, generator)
            _copy_rows(memory.after, order, row, scratch)
            _act(layout, learner.slow_actor, batch, actions, scratch)
            _fill(memory.after, order, actions, row, critic_row, observation, critic_scratch)
            predict(critic_layout, learner.slow_critic, batch, critic_scratch)
            for b in range(batch):
                targets[b] = memory.rewards[order[b]] + rates.discount * critic_scratch[top + b * out]
                for k in range(count):
                    actions[b, k] = memory.actions[order[b], k]
            _fill(memory.before, order, actions, row, critic_row, observation, critic_scratch)
            predict(critic_layout, learner.critic, batch, critic_scratch)
            for b in range(batch):
                critic_scratch[top + b * out] = 2 * (critic_scratch[top + b * out] - targets[b]) / batch
            propagate(critic_layout, learner.critic, batch, critic_scratch)
            if rates.decay > 0:
                for k in range(0, critic_layout.size, LANES):
                    g, theta = load(learner.critic.gradient, k), load(learner.critic.theta, k)
                    store(learner.critic.gradient, k, g + theta * np.float32(rates.decay))
            move(critic_layout, learner.critic, rates.critic, step)

            _copy_rows(memory.before, order, row, scratch)
            _act(layout, learner.actor, batch, actions, scratch)
            _fill(memory.before, order, actions, row, critic_row, observation, critic_scratch)
            predict(critic_layout, learner.critic, batch, critic_scratch)
            for b in range(batch):
                critic_scratch[top + b * out] = np.float32(-1 / batch)
            propagate(critic_layout, learner.critic, batch, critic_scratch)
            learner.critic.gradient[:] = 0
            slopes = np.empty((batch, count), np.float32)
            _slope_in_actions(critic_layout, learner.critic, batch, observation, slopes, critic_scratch)
            for b in range(batch):
                for k in range(count):
                    scratch[actor_top + b * actor_out + k] = slopes[b, k] * (1 - actions[b, k] * actions[b, k])
            propagate(layout, learner.actor, batch, scratch)
            move(layout, learner.actor, rates.actor, step)
            _follow(layout, learner.slow_actor, learner.actor, np.float32(rates.follow))
            _follow(critic_layout, learner.slow_critic, learner.critic, np.float32(rates.follow))

    return update
