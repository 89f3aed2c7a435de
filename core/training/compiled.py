"""Training on the CPU in machine code, network after network: a network's state stays in the cache for all epochs.

The engine of choice for networks that are small: per step it takes the time of the arithmetic, see `benchmarks`.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numba
import numpy as np

from core.models.kernels.random_bits import seed_states, shuffle
from core.models.kernels.simd import LANES, load, store
from core.models.kernels.sources import fingerprint
from core.training import passes
from core.training.layout import make_layout, padded_places, padded_rows
from core.training.networks import Networks, Parts, Records
from core.training.passes import Network, adam, backward, forward, head

EVALUATION_ROWS = 64  # at least so many at a time: enough to reuse the weights that are in registers
EVALUATING = -1  # instead of a number of steps


def train_compiled(networks: Networks, parts: Parts) -> Records:
    """Train a group; `seconds` is the CPU time of one thread that trains the network, alone."""
    train = _compile()
    layout = make_layout(networks.sizes, max(networks.batch_size, EVALUATION_ROWS))
    places = padded_places(layout)
    data = tuple((padded_rows(part.X), part.y) for part in parts[:3])
    lanes, shufflers = seed_states(networks.seeds)
    group, epochs = len(networks.seeds), networks.epochs
    records = Records(*(np.full(shape, np.nan, np.float32) for shape in ((group, epochs),) * 2 + (group,) * 2))
    for g, start in enumerate(networks.initial()):
        theta, gradient, first, second = (np.zeros(layout.size, np.float32) for _ in range(4))
        theta[places] = start
        network = Network(networks.tanh[g], networks.dropout[g], theta, gradient, first, second, lanes[g])
        settings = (parts.classes, networks.batch_size, networks.rates[g], shufflers[g])
        if g == 0:  # no epoch: machine code is made or loaded before the clock starts
            nothing = (*settings[:2], networks.rates[g][:0], shufflers[g])
            train(layout, network, *data, *nothing, records.train[g][:0], records.validation[g][:0])
        before = time.thread_time()
        records.test[g], done = train(layout, network, *data, *settings, records.train[g], records.validation[g])
        records.seconds[g] = (time.thread_time() - before) * epochs / done
    return records


@cache
def _compile() -> Callable:
    """The training of one network, its machine code kept on disk until a source here or in the kernels changes."""
    own = (Path(__file__), Path(passes.__file__))
    version = fingerprint() + hashlib.sha256(b"".join(path.read_bytes() for path in own)).hexdigest()

    @numba.njit(cache=True, nogil=True, error_model="numpy")
    def train(
        layout, network, train_part, validation_part, test_part, classes, batch, rates, shuffler, train_errors,
        validation_errors,
    ):  # fmt: skip
        """Fill the errors (E,) of an epoch each; the test error, and the epochs done before the network diverged."""
        version  # noqa: B018
        points, scratch = len(train_part[1]), np.zeros(layout.scratch, np.float32)
        order, as_they_are = np.arange(points), np.arange(max(len(validation_part[1]), len(test_part[1])))
        steps = 0
        for epoch in range(len(rates)):
            shuffler = shuffle(order, shuffler)
            rate = rates[epoch]
            train_errors[epoch] = _sweep(layout, network, train_part, order, batch, classes, rate, steps, scratch)
            steps += -(-points // batch)
            validation_errors[epoch] = _sweep(
                layout, network, validation_part, as_they_are, layout.capacity, classes, rate, EVALUATING, scratch
            )
            if not (np.isfinite(train_errors[epoch]) and np.isfinite(validation_errors[epoch])):
                train_errors[epoch] = validation_errors[epoch] = np.nan
                return np.nan, epoch + 1
        test = _sweep(layout, network, test_part, as_they_are, layout.capacity, classes, 0.0, EVALUATING, scratch)
        return (test if np.isfinite(test) else np.nan), len(rates)

    return train


@numba.njit
def _sweep(layout, network, part, order, batch, classes, rate, steps, scratch):
    """One pass over a part of the data, after so many steps of training, or evaluating; the mean error."""
    X, y = part
    row, targets, total = layout.row[0], np.empty(batch, np.float32), 0.0
    for first in range(0, len(y), batch):
        rows = min(batch, len(y) - first)
        for b in range(rows):
            point = order[first + b]
            targets[b] = y[point]
            for j in range(0, row, LANES):
                store(scratch, b * row + j, load(X, point * row + j))
        forward(layout, network, rows, steps != EVALUATING, scratch)
        total += head(scratch, layout.activation[-1], layout.row[-1], targets, rows, classes)
        if steps != EVALUATING:
            backward(layout, network, rows, scratch)
            steps += 1
            adam(network, rate, steps)
    return total / len(y)
