"""A model-based pick of hpbandster's BOHB: fit, then pick. Runs in the peers' environment.

Usage: python peer_hpbandster.py '{"continuous": 6, "categorical": [3, 3], "points": 50, "seconds": 2.0}'
Only the generator of configurations runs: whole runs hang under numpy 2.
"""

import json
import sys
import time
from types import ModuleType, SimpleNamespace

import numpy as np
from ConfigSpace import Categorical, ConfigurationSpace, Float

sys.modules["netifaces"] = ModuleType("netifaces")  # only needed for its cluster, and has to be compiled

from hpbandster.optimizers.config_generators.bohb import BOHB  # noqa: E402


def pick(case: dict) -> dict[str, float]:
    """CPU seconds of the fit that follows the last result, and of the shortest pick."""
    space = ConfigurationSpace(seed=0)
    space.add(*(Float(f"x{i}", (0.0, 1.0)) for i in range(case["continuous"])))
    space.add(*(Categorical(f"c{i}", list(range(count))) for i, count in enumerate(case["categorical"])))
    generator = BOHB(space, random_fraction=0.0)
    losses = np.random.default_rng(0).random(case["points"])
    for configuration, loss in zip(space.sample_configuration(case["points"]), losses):
        job = {"budget": 1.0, "config": dict(configuration)}
        start = time.process_time()
        generator.new_result(SimpleNamespace(result={"loss": loss}, exception=None, kwargs=job, id=(0, 0, 0)))
        fit = time.process_time() - start
    picks, deadline = [], time.perf_counter() + case["seconds"]
    while len(picks) < 3 or time.perf_counter() < deadline:
        start = time.process_time()
        _, info = generator.get_config(1.0)
        picks.append(time.process_time() - start)
        if not info["model_based_pick"]:
            raise RuntimeError("hpbandster picked at random")
    return {"fit": fit, "pick": min(picks)}


if __name__ == "__main__":
    print(json.dumps(pick(json.loads(sys.argv[1]))))
