"""What a user of JAX would write: a jitted `lax.scan` over the step, `vmap`ped over chains. Runs in the peers' venv.

Usage: python peer_jax.py '{"sizes": [13, 50, 1], "points": 455, "batch": 20, "chains": [1, 10], "seconds": 5}'
The step is that of `core.samplers.AdaptiveSGHMC` with BOHAMIANN's potential; batches are drawn with replacement, which
is cheaper than epochs. JAX's generators threefry (its default) and rbg are tried, and the faster one is printed.
"""

import json
import os
import sys
import time
from itertools import pairwise

os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"

import jax
import jax.numpy as jnp

EPS, DECAY = 1e-2, 0.05


def make_potential(sizes: list[int], points: int):
    """U of flat parameters (weights and biases layer by layer, then s), scaled to all points."""

    def potential(theta, X, y):
        s, a, start, weights = theta[-1], X, 0, 0.0
        for layer, (inputs, outputs) in enumerate(pairwise(sizes)):
            W = theta[start : start + inputs * outputs].reshape(inputs, outputs)
            start += inputs * outputs
            a = a @ W + theta[start : start + outputs]
            start += outputs
            a = jnp.tanh(a) if layer < len(sizes) - 2 else a
            weights = weights + jnp.sum(W**2)
        squares = jnp.sum((y - a[:, 0]) ** 2)
        likelihood = 0.5 * points * s + points / len(y) * 0.5 * squares * jnp.exp(-s)
        return likelihood + 0.5 * 0.01 * weights + 0.5 * (s - jnp.log(1e-6)) ** 2 / 0.01

    return potential


def make_steps(potential, X, y, batch: int, steps: int, adapting: bool):
    """A jitted function that moves a batch of chains by `steps` steps."""

    def step(state, key):
        theta, v, tau, g, V = state
        batch_key, noise_key = jax.random.split(key)
        rows = jax.random.randint(batch_key, (batch,), 0, len(y))
        gradient = jax.grad(potential)(theta, X[rows], y[rows])
        if adapting:
            rate = 1 / (tau + 1)
            tau = tau - tau * g * g / V + 1
            g = g + rate * (gradient - g)
            V = V + rate * (gradient**2 - V)
        M = 1 / jnp.sqrt(V)
        variance = jnp.maximum(2 * EPS**2 * DECAY * M - EPS**4, 0)
        noise = jax.random.normal(noise_key, theta.shape)
        v = v - EPS**2 * M * gradient - DECAY * v + jnp.sqrt(variance) * noise
        return (theta + v, v, tau, g, V), None

    def chain(state, key):
        return jax.lax.scan(step, state, jax.random.split(key, steps))[0]

    return jax.jit(jax.vmap(chain))


def seconds_per_step(case: dict, chains: int, adapting: bool, implementation: str) -> float:
    """Seconds of one step of one chain, the best of repeated measurements."""
    key = jax.random.key(0, impl=implementation)
    sizes, points = case["sizes"], case["points"]
    steps = max(20, 2000 // chains)

    def normal(*shape):
        return 0.1 * jax.random.normal(key, shape)

    X, y = normal(points, sizes[0]), normal(points)
    size = sum((inputs + 1) * outputs for inputs, outputs in pairwise(sizes)) + 1
    theta = normal(chains, size).at[:, -1].set(jnp.log(1e-3))
    ones = jnp.ones_like(theta)
    state = (theta, 0 * ones, ones, ones, 1e6 * ones)
    run = make_steps(make_potential(sizes, points), X, y, case["batch"], steps, adapting)
    keys = jax.random.split(key, chains)
    state = jax.block_until_ready(run(state, keys))
    deadline, times = time.perf_counter() + case["seconds"], []
    while not times or time.perf_counter() < deadline:
        start = time.perf_counter()
        state = jax.block_until_ready(run(state, keys))
        times.append((time.perf_counter() - start) / steps / chains)
    return min(times)


def main() -> None:
    """Print {"burn_in": [s, ...], "sampling": [s, ...]}, one entry per number of chains."""
    case = json.loads(sys.argv[1])
    best = {}
    for phase, adapting in (("burn_in", True), ("sampling", False)):
        best[phase] = [
            min(seconds_per_step(case, chains, adapting, implementation) for implementation in ("threefry2x32", "rbg"))
            for chains in case["chains"]
        ]
    print(json.dumps(best))


if __name__ == "__main__":
    main()
