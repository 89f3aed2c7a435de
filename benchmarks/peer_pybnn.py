"""pybnn's scale-adapted SGHMC: seconds per step in burn-in and in sampling. Runs in the peers' environment.

Usage: python peer_pybnn.py '{"sizes": [13, 50, 1], "points": 455, "batch": 20, "chains": [1], "seconds": 5}'
pybnn has no chains: a second chain is a second run, so its chain-steps per second are the same for any number.
"""

import json
import sys
import time
from itertools import pairwise

import numpy as np
import torch
from pybnn.bohamiann import Bohamiann
from pybnn.util.layers import AppendLayer


def make_network(sizes: list[int]) -> torch.nn.Module:
    """A tanh network with the given layers and the noise parameter that pybnn's likelihood expects."""
    layers = []
    for inputs, outputs in pairwise(sizes[:-1]):
        layers += [torch.nn.Linear(inputs, outputs), torch.nn.Tanh()]
    return torch.nn.Sequential(*layers, torch.nn.Linear(sizes[-2], 1), AppendLayer(noise=1e-3))


def seconds_per_step(case: dict, steps: int, burn_in: int) -> float:
    """Seconds per step in one call of `train` with pybnn's defaults and the paper's step size."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((case["points"], case["sizes"][0])), rng.standard_normal(case["points"])
    model = Bohamiann(get_network=lambda input_dimensionality: make_network(case["sizes"]))
    start = time.perf_counter()
    model.train(X, y, num_steps=steps, num_burn_in_steps=burn_in, lr=1e-2, batch_size=case["batch"], keep_every=100)
    return (time.perf_counter() - start) / steps


def main() -> None:
    """Print {"burn_in": [s], "sampling": [s]}, the best of repeated measurements."""
    case = json.loads(sys.argv[1])
    torch.set_num_threads(1)
    seconds_per_step(case, 50, 0)
    best = {}
    for phase, share in (("burn_in", 1), ("sampling", 0)):
        steps, deadline, times = 200, time.perf_counter() + case["seconds"], []
        while not times or time.perf_counter() < deadline:
            times.append(seconds_per_step(case, steps, steps * share))
        best[phase] = [min(times)] * len(case["chains"])
    print(json.dumps(best))


if __name__ == "__main__":
    main()
