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

from core.compiled.random_bits import seed_states, shuffle
from core.compiled.simd import LANES, load, store
from core.compiled.sources import fingerprint
from core.progress import Progress, silent
from core.training import passes
from core.training.layout import make_layout, padded_places, padded_rows
from core.training.networks import Networks, Parts, Records
from core.training.passes import Network, adam, backward, forward, head

EVALUATION_ROWS = 64  # at least so many at a time: enough to reuse the weights that are in registers
EVALUATING = -1  # instead of a number of steps
CALL_SECONDS = 0.5  # of training between two looks at the outside world


def train_compiled(networks: Networks, parts: Parts, progress: Progress = silent) -> Records:
    """Train a group; `seconds` is the CPU time of one thread that trains the network, alone.

    Machine code is left after as many epochs as fill `CALL_SECONDS`, one at least, so that progress is told and
    signals are obeyed meanwhile; how many they are changes no number.
    """
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
        order, scratch = np.arange(len(parts.train.y)), np.zeros(layout.scratch, np.float32)
        fixed = (layout, network, *data, parts.classes, networks.batch_size, order, scratch)
        varied = (networks.rates[g], records.train[g], records.validation[g])
        if g == 0:  # no epoch: machine code is made or loaded before the clock starts
            train(*fixed, shufflers[:1], 0, False, *(array[:0] for array in varied))
        done, seconds, finite = 0, 0.0, True
        while finite and done < epochs:
            count = max(1, int(CALL_SECONDS * done / seconds)) if seconds > 0 else 1
            slices = (array[done : done + count] for array in varied)
            before = time.thread_time()
            more, finite, test = train(*fixed, shufflers[g : g + 1], done, done + count >= epochs, *slices)
            seconds += time.thread_time() - before
            done += more
            progress((g + done / epochs) / group)
        records.test[g] = test
        records.seconds[g] = seconds * epochs / done
    return records


@cache
def _compile() -> Callable:
    """The training of one network, its machine code kept on disk until a source here or in the kernels changes."""
    own = (Path(__file__), Path(passes.__file__))
    version = fingerprint() + hashlib.sha256(b"".join(path.read_bytes() for path in own)).hexdigest()

    @numba.njit(cache=True, nogil=True, error_model="numpy")
    def train(
        layout, network, train_part, validation_part, test_part, classes, batch, order, scratch, shuffler,
        epochs_before, is_last, rates, train_errors, validation_errors,
    ):  # fmt: skip
        """Fill the errors (E,) of the next epochs; `order`, `scratch` and `shuffler` (1,) go from call to call.

        Returns how many epochs were done, whether the network is still finite, and after the last its test error.
        """
        version  # noqa: B018
        as_they_are = np.arange(max(len(validation_part[1]), len(test_part[1])))
        steps = epochs_before * -(-len(order) // batch)
        for epoch in range(len(rates)):
            shuffler[0] = shuffle(order, shuffler[0])
            rate = rates[epoch]
            train_errors[epoch] = _sweep(layout, network, train_part, order, batch, classes, rate, steps, scratch)
            steps += -(-len(order) // batch)
            validation_errors[epoch] = _sweep(
                layout, network, validation_part, as_they_are, layout.capacity, classes, rate, EVALUATING, scratch
            )
            if not (np.isfinite(train_errors[epoch]) and np.isfinite(validation_errors[epoch])):
                train_errors[epoch] = validation_errors[epoch] = np.nan
                return epoch + 1, False, np.nan
        if not is_last:
            return len(rates), True, np.nan
        test = _sweep(layout, network, test_part, as_they_are, layout.capacity, classes, 0.0, EVALUATING, scratch)
        return len(rates), True, (test if np.isfinite(test) else np.nan)

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
