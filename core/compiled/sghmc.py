"""Whole steps of SGHMC and scale-adapted SGHMC, compiled, chain after chain: a chain's state stays in the cache for all
the steps of one call, and one pass over the parameters draws the noise, adds the prior's gradient and moves the chain.

Equation numbers are those of the NIPS paper. Arrays are flat, a padded parameter vector (`layout.size`) per chain.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numba
import numpy as np

from core.compiled.elementary import normal_pair
from core.compiled.gradient import likelihood_gradient
from core.compiled.layers import gather
from core.compiled.random_bits import keep_state, shuffle, take_state
from core.compiled.simd import LANES, load, maximum, square_root, store
from core.compiled.sources import fingerprint


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
