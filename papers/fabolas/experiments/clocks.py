"""How long the surrogate's machines train on each share of the data: what the authors' clocks are compared with."""

from __future__ import annotations

import numpy as np
import pandas as pd

from core.experiment.context import Context
from core.objectives import objective
from core.objectives.svm_space import BOUND
from papers.fabolas.settings import SurrogateSeconds


def surrogate_seconds(context: Context[SurrogateSeconds]) -> pd.DataFrame:
    """Quantiles of the seconds of machines that are drawn uniformly, as those of an initial design are.

    Returns:
        run, `share`, `quantile` and `seconds`.
    """
    settings, surrogate, frames = context.settings, objective(context.benchmark), []
    for run, seed in zip(context.runs, context.shared_seeds("machines"), strict=True):
        logs = np.random.default_rng(seed).uniform(-BOUND, BOUND, (settings.machines, 2))
        for share in settings.shares:
            seconds = np.quantile(surrogate.look_up(logs, share)[1], settings.quantiles)
            rows = {"share": share, "quantile": settings.quantiles, "seconds": seconds}
            frames.append(pd.DataFrame({"run": run, **rows}))
    return pd.concat(frames, ignore_index=True)
