"""Whole steps of SGHMC and scale-adapted SGHMC, compiled, chain after chain: a chain's state stays in the cache for all
the steps of one call, and one pass over the parameters draws the noise, adds the prior's gradient and moves the chain.

Equation numbers are those of the NIPS paper. Arrays are flat, a padded parameter vector (`perceptron.size`) per chain.

Networks of several tasks have steps of their own: their inputs include learned features of the task.

The inputs of point b are (x_b, psi_t), t its task: psi_t is copied behind x_b before the pass of
`core.compiled.layers`, and with delta_0 = dU / d(a_0 W_0 + b_0) and W_psi the rows of W_0 that belong to psi

    dU/dpsi_t = sum over the batch's points of task t of W_psi delta_0
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numba
import numpy as np

from core.compiled.arguments import fingerprint
from core.compiled.elementary import keep_state, normal_pair, shuffle, take_state
from core.compiled.layers import gather, likelihood_gradient
from core.compiled.perceptron import Layout, make_layout, padded_regression_places, round_up
from core.compiled.simd import LANES, lane_sum, load, maximum, splat, square_root, store


class Data(NamedTuple):
    """Data of all runs, standardized: X rows padded to whole vectors, flat (runs * N * row), y (runs, N).

    Fields:
        weight: Weight of each point in the likelihood.
        sigmoid: Whether the mean is a sigmoid of the network's output.
    """

    X: np.ndarray
    y: np.ndarray
    batch: int
    chains_per_run: int
    weight: float
    sigmoid: bool


class Chains(NamedTuple):
    """The state that changes from step to step; arrays of chains * size float32 unless stated."""

    position: np.ndarray
    velocity: np.ndarray
    window: np.ndarray  # tau
    smoothed_gradient: np.ndarray  # g
    second_moment: np.ndarray  # V
    order: np.ndarray  # (chains, N) int32: the epoch's order of the points
    batches_done: np.ndarray  # (chains,) int64: batches of the epoch already used
    lanes: np.ndarray  # (chains, 32) uint32: state of the normals' generator
    shufflers: np.ndarray  # (chains,) uint64: state of the shuffler


class Frozen(NamedTuple):
    """Coefficients of v <- keep v - rate grad + amplitude xi once nothing adapts; chains * size float32."""

    rate: np.ndarray
    keep: np.ndarray
    amplitude: np.ndarray


class Target(NamedTuple):
    """The posterior's priors and the constants of the adaptive sampler."""

    covered: np.ndarray  # (size,) float32: 1 where the weight prior applies
    valid: np.ndarray  # (size,) float32: 0 in the padding
    noise_mean: float  # prior of s
    noise_variance: float
    step_size: float
    momentum_decay: float
    noise_correction: float  # 1 where the noise has the term -eps^4, else 0


@cache
def compile_advance() -> Callable[..., Any]:
    """The function `advance`, with its machine code cached on disk."""
    version = fingerprint()

    @numba.njit(cache=True, nogil=True, error_model="numpy")
    def advance(steps, adapting, layout, data, target, precision, chains, frozen):
        """Move every chain by `steps` steps; precision (chains,) float32 is that of the weight prior."""
        version  # noqa: B018
        points = data.y.shape[1] * data.weight
        scratch = np.zeros(layout.hidden.scratch, np.float32)
        targets = np.empty(data.batch, np.float32)
        gradient = np.zeros(layout.size, np.float32)
        for chain in range(len(precision)):
            theta0, run = chain * layout.size, chain // data.chains_per_run
            for _ in range(steps):
                next_batch(chain, run, layout, data, chains, scratch, targets)
                likelihood_gradient(
                    chains.position, theta0, layout, targets, data.batch, points, scratch, gradient, data.sigmoid
                )
                move(adapting, chain, theta0, layout, target, precision[chain], gradient, chains, frozen)

    return advance


@numba.njit
def move(adapting, chain, theta0, layout, target, precision, gradient, chains, frozen):
    """Add the noise prior's part to the gradient of the likelihood, and update the chain by it."""
    s = chains.position[theta0 + layout.noise]
    gradient[layout.noise] += np.float32((s - target.noise_mean) / target.noise_variance)
    if adapting:
        adapting_update(chain, theta0, layout.size, target, precision, gradient, chains)
    else:
        frozen_update(chain, theta0, layout.size, target, precision, gradient, chains, frozen)


@numba.njit
def next_batch(chain, run, layout, data, chains, scratch, targets):
    """Gather the next batch of the epoch; a new epoch has a new order, unless a batch is the whole data set."""
    points, row, order = data.y.shape[1], layout.hidden.row[0], chains.order[chain]
    done = chains.batches_done[chain]
    if done == 0 and data.batch < points:
        chains.shufflers[chain] = shuffle(order, chains.shufflers[chain])
    gather(data.X, run * points, data.y[run], order, done * data.batch, data.batch, row, scratch, targets)
    chains.batches_done[chain] = (done + 1) % (points // data.batch)


@numba.njit
def frozen_update(chain, theta0, size, target, precision, gradient, chains, frozen):
    """Eq. 10 with constant coefficients, or Eq. 7."""
    lanes = chains.lanes[chain]
    s0, s1, s2, s3 = take_state(lanes)
    for start in range(0, size, 2 * LANES):
        xi, xi_next, s0, s1, s2, s3 = normal_pair(s0, s1, s2, s3)
        for place in (start, start + LANES):
            k = theta0 + place
            theta = load(chains.position, k)
            grad = load(gradient, place) + load(target.covered, place) * theta * precision
            v = load(frozen.keep, k) * load(chains.velocity, k) - load(frozen.rate, k) * grad
            v = v + load(frozen.amplitude, k) * xi
            store(chains.velocity, k, v)
            store(chains.position, k, theta + v)
            xi = xi_next
    keep_state(lanes, s0, s1, s2, s3)


@numba.njit
def adapting_update(chain, theta0, size, target, precision, gradient, chains):
    """Eqs. 8 and 9, then Eq. 10 with the new V; in burn-in the decay is the same for all elements."""
    squared_step, decay = np.float32(target.step_size**2), np.float32(target.momentum_decay)
    correction = squared_step * squared_step * np.float32(target.noise_correction)
    lanes = chains.lanes[chain]
    s0, s1, s2, s3 = take_state(lanes)
    for start in range(0, size, 2 * LANES):
        xi, xi_next, s0, s1, s2, s3 = normal_pair(s0, s1, s2, s3)
        for place in (start, start + LANES):
            k = theta0 + place
            theta = load(chains.position, k)
            grad = load(gradient, place) + load(target.covered, place) * theta * precision
            tau, g, V = load(chains.window, k), load(chains.smoothed_gradient, k), load(chains.second_moment, k)
            rate = 1.0 / (tau + 1.0)
            tau = tau - tau * (g * g / V) + 1.0
            g = g + rate * (grad - g)
            V = V + rate * (grad * grad - V)
            store(chains.window, k, tau)
            store(chains.smoothed_gradient, k, g)
            store(chains.second_moment, k, V)
            inverse_mass = 1.0 / square_root(V)
            variance = maximum(inverse_mass * (2 * squared_step * decay) - correction, 0.0)
            v = load(chains.velocity, k)
            v = v - v * decay - inverse_mass * grad * squared_step
            v = v + square_root(variance) * xi * load(target.valid, place)
            store(chains.velocity, k, v)
            store(chains.position, k, theta + v)
            xi = xi_next
    keep_state(lanes, s0, s1, s2, s3)


class TaskLayout(NamedTuple):
    """A network with one output, s = log sigma^2 and psi (K, L); offsets in elements."""

    hidden: Layout
    weight: int  # offset of w
    bias: int
    noise: int  # offset of s
    embedding: int  # offset of psi, row by row
    tasks: int  # K
    features: int  # L
    size: int  # length of the padded parameter vector, a multiple of two vectors


class TaskData(NamedTuple):
    """Data of all runs, standardized: X rows padded to whole vectors, flat, with zeros in the place of psi."""

    X: np.ndarray
    y: np.ndarray  # (runs, N)
    task: np.ndarray  # (N,) int64
    batch: int
    chains_per_run: int


def make_task_layout(sizes: tuple[int, ...], capacity: int, tasks: int, features: int) -> TaskLayout:
    """The layout of a network with sizes (inputs with psi, hidden ..., 1), at least one of them hidden."""
    hidden = make_layout(sizes[:-1], capacity)
    bias = hidden.size + int(hidden.row[-1])
    size = round_up(bias + 2 + tasks * features, 2 * LANES)
    return TaskLayout(hidden, hidden.size, bias, bias + 1, bias + 2, tasks, features, size)


def padded_task_places(layout: TaskLayout) -> np.ndarray:
    """Index in the padded vector of every entry of theta = (weights and biases, psi, s): (P_w + 1,)."""
    *perceptron, noise = padded_regression_places(layout)
    return np.array([*perceptron, *layout.embedding + np.arange(layout.tasks * layout.features), noise], np.int64)


@numba.njit
def task_gradient(theta, theta0, layout, y, tasks, points, scratch, gradient):
    """Write the gradient of U at the padded parameters theta[theta0:] into `gradient` (size,).

    The batch's inputs are in the scratch space, in the place of the activations below layer 0; `tasks` (batch,) are
    those of its points, and its targets y (batch,) are overwritten.
    """
    hidden, batch, features = layout.hidden, len(tasks), layout.features
    first = hidden.sizes[0] - features
    for b in range(batch):
        place = theta0 + layout.embedding + tasks[b] * features
        for k in range(features):
            scratch[b * hidden.row[0] + first + k] = theta[place + k]
    likelihood_gradient(theta, theta0, layout, y, batch, points, scratch, gradient)
    for k in range(layout.embedding, layout.embedding + layout.tasks * features):
        gradient[k] = np.float32(0)
    delta, row = hidden.activation[1], hidden.row[1]
    weight = theta0 + hidden.weight[0] + first * row
    for b in range(batch):
        for k in range(features):
            total = splat(0.0)
            for j in range(0, row, LANES):
                total = total + load(theta, weight + k * row + j) * load(scratch, delta + b * row + j)
            gradient[layout.embedding + tasks[b] * features + k] += lane_sum(total)


@cache
def compile_task_advance() -> Callable[..., Any]:
    """The function `advance`, with its machine code cached on disk."""
    version = fingerprint()

    @numba.njit(cache=True, nogil=True, error_model="numpy")
    def advance(steps, adapting, layout, data, target, precision, chains, frozen):
        """Move every chain by `steps` steps; precision (chains,) float32 is that of the weight prior."""
        version  # noqa: B018
        points = data.y.shape[1]
        scratch = np.zeros(layout.hidden.scratch, np.float32)
        targets = np.empty(data.batch, np.float32)
        gradient = np.zeros(layout.size, np.float32)
        for chain in range(len(precision)):
            theta0, run, order = chain * layout.size, chain // data.chains_per_run, chains.order[chain]
            for _ in range(steps):
                first = chains.batches_done[chain] * data.batch
                next_batch(chain, run, layout, data, chains, scratch, targets)
                tasks = data.task[order[first : first + data.batch]]
                task_gradient(chains.position, theta0, layout, targets, tasks, points, scratch, gradient)
                move(adapting, chain, theta0, layout, target, precision[chain], gradient, chains, frozen)

    return advance
