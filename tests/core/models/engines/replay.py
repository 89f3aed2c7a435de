"""The random numbers that the compiled engine is about to use, so that tests can give the torch engine the same."""

import numba
import numpy as np
import torch
from torch import Tensor

from core.compiled.elementary import keep_state, normal_pair, shuffle, take_state
from core.compiled.simd import LANES, store
from core.models.engines.compiled import CompiledEngine
from core.models.engines.problem import Problem


@numba.njit
def fill_normals(lanes, out):
    """Normals in the order in which the compiled step draws them."""
    s0, s1, s2, s3 = take_state(lanes)
    for start in range(0, len(out), 2 * LANES):
        first, second, s0, s1, s2, s3 = normal_pair(s0, s1, s2, s3)
        store(out, start, first)
        store(out, start + LANES, second)
    keep_state(lanes, s0, s1, s2, s3)


def replayed_noise(engine: CompiledEngine) -> Tensor:
    """The standard normals of the compiled engine's next step, (chains, P_w + 1), without advancing it."""
    noise = np.zeros((len(engine.chains.lanes), engine.layout.size), np.float32)
    for lanes, row in zip(engine.chains.lanes.copy(), noise):
        fill_normals(lanes, row)
    return engine.unpack(noise.reshape(-1))


def replayed_batch(engine: CompiledEngine, problem: Problem) -> tuple[Tensor, Tensor]:
    """The batch of the compiled engine's next step, without advancing it."""
    X, y = [], []
    for chain in range(problem.chains):
        order, done = engine.chains.order[chain].copy(), engine.chains.batches_done[chain]
        if done == 0 and problem.batch < problem.points:
            shuffle(order, engine.chains.shufflers[chain])
        rows = order[done * problem.batch : (done + 1) * problem.batch]
        run = chain // problem.chains_per_run
        X.append(problem.X[run, rows])
        y.append(problem.y[run, rows])
    return torch.stack(X), torch.stack(y)
