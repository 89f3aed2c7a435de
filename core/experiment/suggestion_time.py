"""How long a suggestion takes, which fits a model to the observations and maximizes an acquisition function."""

from __future__ import annotations

import time

import pandas as pd
import torch

from core.experiment.context import Context
from core.experiment.search_settings import Suggestions
from core.foundation.randomness import make_generators, uniform_
from core.objectives.synthetic import lookup
from core.optimizers.policy import no_memory
from core.spaces import CubeEncoding


def measure_suggestions(context: Context[Suggestions]) -> pd.DataFrame:
    """Measured seconds of one suggestion given N uniform points of the function of the benchmark's name.

    A row for each repetition and N.

    Repetitions are measured one after the other, each after a suggestion that is not recorded; sizes go up until a
    suggestion took longer than `longest`. `seconds` is wall time, `cpu_seconds` the time of one thread, which other
    jobs on the machine hardly change.
    """
    settings, function = context.settings, lookup(context.benchmark)
    policy = settings.method.policy(CubeEncoding(function.space), context.device)
    data = make_generators(context.shared_seeds("observations"), context.device)
    own = make_generators(context.method_seeds("suggestion"), context.device)
    rows = []
    for done, (run, points, generator) in enumerate(zip(context.runs, data, own, strict=True)):
        shape = (1, settings.observations[-1], function.dimension)
        X = uniform_(torch.empty(shape, dtype=torch.float64, device=context.device), points)
        y = function.on_cube(X)
        before = X[:, : settings.warm_up], y[:, : settings.warm_up]
        memory, _ = policy.propose(no_memory(1), *before, X[:, :0], [generator])
        for n in settings.observations:
            wall, cpu = time.perf_counter(), time.process_time()
            memory, _ = policy.propose(memory, X[:, :n], y[:, :n], X[:, :0], [generator])
            taken = {"seconds": time.perf_counter() - wall, "cpu_seconds": time.process_time() - cpu}
            rows.append({"run": run, "observations": n, **taken})
            if taken["cpu_seconds"] > settings.longest:
                break
        context.progress((done + 1) / len(context.runs))
    return pd.DataFrame(rows)
