"""Whole steps of SGHMC and scale-adapted SGHMC for LC-Net, compiled: `sghmc` with batches of curves."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numba
import numpy as np

from core.compiled.curve_gradient import curve_gradient
from core.compiled.random_bits import shuffle
from core.compiled.sghmc import move
from core.compiled.simd import LANES, load, store
from core.compiled.sources import fingerprint


@cache
def compile_curve_advance() -> Callable[..., Any]:
    """The function `advance`, with its machine code cached on disk."""
    version = fingerprint()

    @numba.njit(cache=True, nogil=True, error_model="numpy")
    def advance(steps, adapting, layout, data, target, precision, chains, frozen):
        """Move every chain by `steps` steps; precision (chains,) float32 is that of the weight prior."""
        version  # noqa: B018
        scratch = np.zeros(layout.layers.scratch, np.float32)
        gradient = np.zeros(layout.size, np.float32)
        for chain in range(len(precision)):
            theta0, run = chain * layout.size, chain // data.chains_per_run
            for _ in range(steps):
                curves = next_curves(chain, run, layout, data, chains, scratch)
                curve_gradient(chains.position, theta0, layout, data, run, curves, scratch, gradient)
                move(adapting, chain, theta0, layout, target, precision[chain], gradient, chains, frozen)

    return advance


@numba.njit
def next_curves(chain, run, layout, data, chains, scratch):
    """The curves of the epoch's next batch, (batch,) int32, their configurations at the start of the scratch space."""
    number, row, order = data.lengths.shape[1], layout.layers.row[0], chains.order[chain]
    done = chains.batches_done[chain]
    if done == 0 and data.batch < number:
        chains.shufflers[chain] = shuffle(order, chains.shufflers[chain])
    chains.batches_done[chain] = (done + 1) % (number // data.batch)
    curves = order[done * data.batch : (done + 1) * data.batch]
    for b in range(data.batch):
        for j in range(0, row, LANES):
            store(scratch, b * row + j, load(data.X, (run * number + curves[b]) * row + j))
    return curves
