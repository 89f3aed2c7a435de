"""Training on the CPU in machine code, network after network: a network's state stays in the cache for all epochs.

The engine of choice for small networks: a step takes little more than its arithmetic, see `benchmarks`.
"""

from __future__ import annotations

import time

import numpy as np

from core.compiled.layout import make_layout, padded_places, padded_rows
from core.compiled.random_bits import seed_states
from core.compiled.training import Network, compile_training
from core.foundation.progress import Progress, silent
from core.training.networks import Networks, Parts, Records

EVALUATION_ROWS = 64  # at least this many at a time: enough to reuse the weights that are in registers
CALL_SECONDS = 0.5  # seconds of training between two checks for signals and progress


def train_compiled(networks: Networks, parts: Parts, progress: Progress = silent) -> Records:
    """Train a group; `seconds` is the CPU time of the one thread that trains the network.

    Machine code returns after as many epochs as fill `CALL_SECONDS`, at least one, so that progress is reported and
    signals are obeyed; the number of epochs per call does not affect the results.
    """
    train = compile_training()
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
        if g == 0:  # no epochs: machine code is compiled or loaded before the clock starts
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
