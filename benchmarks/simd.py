"""What `core.compiled.simd` gains: a step of SGHMC with explicit vectors, and the same step in plain numba.

The plain step is what numba makes of ordinary loops over arrays allocated once, which LLVM may vectorise and reorder
(`fastmath`), with tanh and normals of numba's own. At these sizes calls of BLAS in their place take longer.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import pairwise

import numba
import numpy as np
from rich.table import Table

from benchmarks.ours import best_seconds, seconds_per_step
from benchmarks.steps import NETWORKS

WORTHWHILE = 1.5  # a smaller gain would not pay for 240 lines that generate LLVM's vectors


def report(seconds: float) -> tuple[list[Table], list[str]]:
    """Microseconds of a step of one chain in sampling, both ways."""
    table = Table(
        "network", "explicit vectors, us", "plain numba, us", "gain", title="SGHMC's step, one chain, in sampling"
    )
    gains = []
    for name, sizes in NETWORKS.items():
        case = {"sizes": sizes, "points": 455, "batch": 20, "chains": [1], "seconds": seconds}
        ours, plain = seconds_per_step("compiled", case)["sampling"][0], plain_seconds(case)
        gains.append(plain / ours)
        table.add_row(name, f"{1e6 * ours:.2f}", f"{1e6 * plain:.2f}", f"{gains[-1]:.1f}x")
    return [table], [f"explicit vectors gain {min(gains):.1f}x at least; kept from {WORTHWHILE}x on"]


def plain_seconds(case: dict) -> float:
    """Seconds of a plain step."""
    generator = np.random.default_rng(0)
    sizes = np.array(case["sizes"])
    theta = (0.1 * generator.standard_normal(weights(case["sizes"]) + 1)).astype(np.float32)
    X = generator.standard_normal((case["points"], sizes[0])).astype(np.float32)
    y = generator.standard_normal(case["points"]).astype(np.float32)
    run = partial(advance, generator=generator, sizes=sizes, X=X, y=y, batch=case["batch"], theta=theta)
    run(steps=1, velocity=np.zeros_like(theta))
    steps, velocity = 200, np.zeros_like(theta)
    return best_seconds(lambda: run(steps=steps, velocity=velocity), case["seconds"]) / steps


def weights(sizes: Sequence[int]) -> int:
    """The length of theta without s = log sigma^2, packed as `core.models.network.MLP` packs it."""
    return sum((inputs + 1) * outputs for inputs, outputs in pairwise(sizes))


@numba.njit(fastmath=True, error_model="numpy")
def advance(steps, generator, sizes, X, y, batch, theta, velocity):
    """Steps of Eq. 7 with constant coefficients, of a new random batch each."""
    gradient = np.empty_like(theta)
    activations = np.empty((len(sizes), batch, np.max(sizes)), np.float32)
    deltas = np.empty_like(activations)
    targets = np.empty(batch, np.float32)
    for _ in range(steps):
        for b in range(batch):
            point = int(generator.random() * len(y))
            targets[b] = y[point]
            for i in range(sizes[0]):
                activations[0, b, i] = X[point, i]
        potential_gradient(sizes, activations, deltas, targets, len(y), theta, gradient)
        for k in range(len(theta)):
            noise = np.float32(generator.standard_normal())
            velocity[k] = velocity[k] * np.float32(0.95) - np.float32(1e-6) * gradient[k] + np.float32(1e-5) * noise
            theta[k] += velocity[k]


@numba.njit(fastmath=True, error_model="numpy")
def potential_gradient(sizes, activations, deltas, y, points, theta, gradient):
    """The gradient of `core.compiled.layers`, for theta and out (P + 1,); inputs are in activations[0]."""
    layers, rows, start = len(sizes) - 1, len(y), 0
    for layer in range(layers):
        inputs, outputs = sizes[layer], sizes[layer + 1]
        below, above = activations[layer], activations[layer + 1]
        W = theta[start : start + inputs * outputs].reshape((inputs, outputs))
        bias = theta[start + inputs * outputs : start + (inputs + 1) * outputs]
        for b in range(rows):
            for j in range(outputs):
                above[b, j] = bias[j]
            for i in range(inputs):
                for j in range(outputs):
                    above[b, j] += below[b, i] * W[i, j]
            if layer < layers - 1:
                for j in range(outputs):
                    above[b, j] = np.tanh(above[b, j])
        start += (inputs + 1) * outputs
    scale, squares = np.float32(points / rows) * np.exp(-theta[-1]), np.float32(0)
    for b in range(rows):
        error = activations[layers, b, 0] - y[b]
        squares += error * error
        deltas[layers, b, 0] = error * scale
    gradient[-1] = np.float32(0.5) * (np.float32(points) - scale * squares)
    gradient[:-1] = 0
    for layer in range(layers - 1, -1, -1):
        inputs, outputs = sizes[layer], sizes[layer + 1]
        start -= (inputs + 1) * outputs
        below, delta, delta_below = activations[layer], deltas[layer + 1], deltas[layer]
        W = theta[start : start + inputs * outputs].reshape((inputs, outputs))
        to_W = gradient[start : start + inputs * outputs].reshape((inputs, outputs))
        to_bias = gradient[start + inputs * outputs : start + (inputs + 1) * outputs]
        for b in range(rows):
            for j in range(outputs):
                to_bias[j] += delta[b, j]
            for i in range(inputs):
                total = np.float32(0)
                for j in range(outputs):
                    to_W[i, j] += below[b, i] * delta[b, j]
                    total += delta[b, j] * W[i, j]
                delta_below[b, i] = total * (np.float32(1) - below[b, i] * below[b, i])
