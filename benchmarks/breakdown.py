"""Where the time of a compiled step goes, and how far it is from the floor that arithmetic and memory set.

The floor of a step is the time of its multiplications and additions at the machine's measured peak, or of its bytes at
the bandwidth measured on as many bytes, whichever is longer. It counts the products of the forward and backward pass,
2 B in out each, and one read or write of each array of the update, but not random numbers, tanh and divisions.
"""

from collections.abc import Callable
from functools import partial
from itertools import pairwise

import numba
import numpy as np
import torch

from benchmarks.ours import best_seconds, make
from core.compiled import layers, sghmc
from core.compiled.elementary import normal_pair, tanh
from core.compiled.layers import product, transpose
from core.compiled.simd import LANES, load, splat, store

UPDATE_ARRAYS = 9  # of P numbers, read or written in sampling: state, gradient, coefficients, mask


def breakdown(case: dict) -> dict[str, float]:
    """Seconds of one step by part, and its floors, for one chain of the compiled engine."""
    engine, _ = make("compiled", case, 1)
    engine.freeze()
    layout, batch = engine.layout, case["batch"]
    alone = partial(_seconds_alone, case["seconds"] / 4)
    theta = engine.chains.position
    scratch, out, targets = (_aligned(size) for size in (layout.hidden.scratch, layout.size, batch))
    update = (layout.size, engine.target, np.float32(1), out, engine.chains, engine.frozen)

    parts = {
        "batch": alone(_run_batches, layout, engine.data, engine.chains, scratch, targets),
        "products": alone(_run_products, theta, layout.hidden, batch, scratch, out),
        "tanh": alone(_run_tanh, layout.hidden, batch, scratch),
        "normals": alone(_run_normals, engine.chains.lanes[0], out),
    }
    whole = alone(_run_gradient, theta, layout, targets, case["points"], scratch, out)
    parts["output layer, sums, 1 - a^2"] = whole - parts["products"] - parts["tanh"]
    parts["update"] = alone(_run_update, False, *update) - parts["normals"]
    parts["burn-in's part of the update"] = alone(_run_update, True, *update) - parts["normals"] - parts["update"]

    width = sum(a * b for a, b in pairwise(case["sizes"]))
    below = sum(a * b for a, b in pairwise(case["sizes"][1:]))
    operations = 2 * batch * (2 * width + below)
    peak = 10 * 2 * LANES / alone(_run_peak, _aligned(3 * LANES))
    size = sum((a + 1) * b for a, b in pairwise(case["sizes"])) + 1
    moved = UPDATE_ARRAYS * 4 * size
    arrays = [_aligned(UPDATE_ARRAYS * layout.size // 24 * 8) for _ in range(3)]
    bandwidth = 3 * arrays[0].nbytes / alone(_run_stream, *arrays)
    parts["arithmetic floor"] = operations / peak
    parts["memory floor"] = moved / bandwidth
    return parts | {"operations": operations, "peak": peak, "moved": moved, "bandwidth": bandwidth}


def _aligned(size: int) -> np.ndarray:
    """Zeros aligned to a cache line, as the engine's arrays are; numpy's own may straddle lines."""
    return torch.zeros(size).numpy()


def _seconds_alone(seconds: float, run: Callable, *arguments) -> float:
    """Seconds of one repetition inside `run`, without the cost of calling it from Python."""
    run(1, *arguments)
    times = next(4**k for k in range(30) if best_seconds(partial(run, 4**k, *arguments), 0) > 5e-4)
    empty = best_seconds(partial(run, 0, *arguments), seconds / 2)
    return (best_seconds(partial(run, times, *arguments), seconds / 2) - empty) / times


@numba.njit
def _run_batches(times, layout, data, chains, scratch, targets):
    for _ in range(times):
        sghmc.next_batch(0, 0, layout, data, chains, scratch, targets)


@numba.njit
def _run_gradient(times, theta, layout, targets, points, scratch, out):
    for _ in range(times):
        layers.likelihood_gradient(theta, 0, layout, targets, len(targets), points, scratch, out)


@numba.njit
def _run_products(times, theta, layout, batch, scratch, out):
    for _ in range(times):
        for layer in range(len(layout.weight)):
            below, above = layout.activation[layer], layout.activation[layer + 1]
            inputs, outputs = layout.sizes[layer], layout.sizes[layer + 1]
            row_below, row, weight = layout.row[layer], layout.row[layer + 1], layout.weight[layer]
            product(scratch, below, row_below, 1, theta, weight, row, scratch, above, row, batch, inputs, row)
            product(scratch, below, 1, row_below, scratch, above, row, out, weight, row, inputs, batch, row)
            if layer > 0:
                flipped, result = layout.transposed[layer], layout.product
                transpose(theta, weight, inputs, row, scratch, flipped, row_below)
                columns = row_below
                product(
                    scratch, above, row, 1, scratch, flipped, columns, scratch, result, columns, batch, outputs, columns
                )


@numba.njit
def _run_tanh(times, layout, batch, scratch):
    for _ in range(times):
        for layer in range(1, len(layout.activation)):
            start = layout.activation[layer]
            for k in range(start, start + batch * layout.row[layer], LANES):
                store(scratch, k, tanh(load(scratch, k)))


@numba.njit
def _run_normals(times, lanes, out):
    s0, s1, s2, s3 = load(lanes, 0), load(lanes, LANES), load(lanes, 2 * LANES), load(lanes, 3 * LANES)
    for _ in range(times):
        for k in range(0, len(out), 2 * LANES):
            first, second, s0, s1, s2, s3 = normal_pair(s0, s1, s2, s3)
            store(out, k, first)
            store(out, k + LANES, second)
    store(lanes, 0, s0)


@numba.njit
def _run_update(times, adapting, size, target, precision, out, chains, frozen):
    for _ in range(times):
        if adapting:
            sghmc.adapting_update(0, 0, size, target, precision, out, chains)
        else:
            sghmc.frozen_update(0, 0, size, target, precision, out, chains, frozen)


@numba.njit(fastmath=True)
def _run_peak(times, out):
    a = b = c = d = e = f = g = h = i = j = splat(1.0)
    x, y = load(out, 0), load(out, LANES)
    for _ in range(times):
        a, b, c, d, e = a * x + y, b * x + y, c * x + y, d * x + y, e * x + y
        f, g, h, i, j = f * x + y, g * x + y, h * x + y, i * x + y, j * x + y
    store(out, 2 * LANES, a + b + c + d + e + f + g + h + i + j)


@numba.njit
def _run_stream(times, a, b, c):
    for _ in range(times):
        for k in range(0, len(a), LANES):
            store(c, k, load(a, k) + load(b, k))
