"""One suggestion of pybnn's BOHAMIANN or DNGO: fit, then expected improvement. Runs in the peers' environment.

Usage: python peer_pybnn_suggestion.py '{"model": "bohamiann", "points": 100, "dimension": 6, "burn_in": 10000,
"steps": 20000}'
pybnn has no search for the best expected improvement. It is given the cheapest one: the best of 500 random points,
predicted in one call. DNGO runs with its own defaults.
"""

import json
import sys
import time

import numpy as np
import torch
from peer_pybnn import make_network
from pybnn.bohamiann import Bohamiann
from pybnn.dngo import DNGO
from scipy.stats import norm


def suggest(case: dict) -> dict[str, float]:
    """CPU seconds of the fit and of the search."""
    rng = np.random.default_rng(0)
    X = rng.random((case["points"], case["dimension"]))
    y = np.sin(3 * X).sum(1)
    start = time.process_time()
    if case["model"] == "bohamiann":
        sizes = [case["dimension"], 50, 50, 50, 1]
        model = Bohamiann(get_network=lambda input_dimensionality: make_network(sizes))
        budget = {"num_steps": case["steps"], "num_burn_in_steps": case["burn_in"]}
        model.train(X, y, lr=1e-2, batch_size=20, keep_every=100, **budget)
    else:
        model = DNGO(rng=np.random.RandomState(0))
        model.train(X, y)
    fitted = time.process_time()
    candidates = rng.random((500, case["dimension"]))
    mean, variance = model.predict(candidates)
    deviation = np.sqrt(variance)
    gamma = (y.min() - mean) / deviation
    candidates[np.argmax(deviation * (gamma * norm.cdf(gamma) + norm.pdf(gamma)))]
    return {"fit": fitted - start, "search": time.process_time() - fitted}


if __name__ == "__main__":
    torch.set_num_threads(1)
    print(json.dumps(suggest(json.loads(sys.argv[1]))))
