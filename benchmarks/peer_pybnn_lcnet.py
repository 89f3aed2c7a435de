"""pybnn's LC-Net: CPU seconds per step in sampling. Runs in the peers' environment.

Usage: python peer_pybnn_lcnet.py '{"curves": 256, "epochs": 40, "dimension": 6, "batch": 20, "seconds": 5}'
Version 0.0.5 has fourteen basis functions in place of the thesis' five, and a batch is points, not curves.
"""

import json
import sys
import time

import numpy as np
import torch
from pybnn.lcnet import LCNet

STEPS = 100


def seconds_per_step(case: dict) -> float:
    """CPU seconds per step in one call of `train`."""
    rng = np.random.default_rng(0)
    x, t = rng.random((case["curves"], case["dimension"])), np.arange(1, case["epochs"] + 1) / case["epochs"]
    inputs = np.column_stack([np.repeat(x, len(t), 0), np.tile(t, len(x))])
    y = 0.5 + 0.4 * inputs[:, 0] * (1 - np.exp(-3 * inputs[:, -1])) + 0.01 * rng.standard_normal(len(inputs))
    model = LCNet()
    start = time.process_time()
    model.train(inputs, y, num_steps=STEPS, num_burn_in_steps=0, lr=1e-2, batch_size=case["batch"], keep_every=100)
    return (time.process_time() - start) / STEPS


def main() -> None:
    """Print the best of repeated measurements."""
    case = json.loads(sys.argv[1])
    torch.set_num_threads(1)
    seconds_per_step(case)
    deadline, times = time.perf_counter() + case["seconds"], []
    while not times or time.perf_counter() < deadline:
        times.append(seconds_per_step(case))
    print(json.dumps(min(times)))


if __name__ == "__main__":
    main()
