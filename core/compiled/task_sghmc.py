"""Whole steps of SGHMC and scale-adapted SGHMC, compiled, for networks of several tasks; otherwise as `sghmc`."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numba
import numpy as np

from core.compiled.sghmc import move, next_batch
from core.compiled.sources import fingerprint
from core.compiled.task_gradient import task_gradient


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
