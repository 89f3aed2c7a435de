"""A pick of Optuna's TPE with its own defaults, which fits again for each pick."""

import time

import numpy as np
import optuna
from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution
from optuna.trial import create_trial


def pick(case: dict) -> dict[str, float]:
    """CPU seconds of the shortest pick; the case is that of `benchmarks.peer_hpbandster`."""
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    distributions: dict[str, BaseDistribution] = {f"x{i}": FloatDistribution(0, 1) for i in range(case["continuous"])}
    for i, count in enumerate(case["categorical"]):
        distributions[f"c{i}"] = CategoricalDistribution(range(count))
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=0))
    g = np.random.default_rng(0)
    for _ in range(case["points"]):
        values = {
            name: g.random() if isinstance(kind, FloatDistribution) else int(g.integers(len(kind.choices)))
            for name, kind in distributions.items()
        }
        study.add_trial(create_trial(params=values, distributions=distributions, value=g.random()))
    picks, deadline = [], time.perf_counter() + case["seconds"]
    while len(picks) < 3 or time.perf_counter() < deadline:
        start = time.process_time()
        study.ask(distributions)
        picks.append(time.process_time() - start)
    return {"pick": min(picks)}
