"""Hyperparameters of XGBoost on regression sets (thesis 3.6.2 and A.2)."""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd
import torch

from core.experiment.context import Context
from core.experiment.optimization import optimize
from core.experiment.sobol_tables import collect
from core.models.tasks import Task
from core.objectives.guard import guarded_evaluate
from core.objectives.xgboost import space, xgboost
from core.spaces import CubeEncoding
from papers.bohamiann.settings import XGBoostTable
from papers.bohamiann.task_settings import XGBoostSearch


def xgboost_table(context: Context[XGBoostTable]) -> pd.DataFrame:
    """Errors and seconds of 100 D configurations on one set (thesis 8.3.1); see `core.experiment.sobol_tables`."""
    settings = context.settings
    return collect(context, xgboost(context.benchmark, settings.most_rows), settings.configurations)


def xgboost_search(context: Context[XGBoostSearch]) -> pd.DataFrame:
    """A search with live training; see `core.experiment.optimization.optimize`.

    Besides its columns: `earlier`, the set that a run of a multi-task method starts from, empty for the others.
    """
    settings = context.settings
    benchmark, names, earlier = xgboost(context.benchmark, settings.most_rows), [""] * len(context.runs), []
    if settings.method.learns_from_tasks:
        names, task = _on_other_sets(context)
        earlier = [task]
    records = optimize(context, benchmark, earlier)
    return records.assign(earlier=records["run"].map(dict(zip(context.runs, names, strict=True))))


def _on_other_sets(context: Context[XGBoostSearch]) -> tuple[list[str], Task]:
    """Random configurations, each run's on a set drawn at random, the same for all methods; and the sets' names."""
    settings, encoding = context.settings, CubeEncoding(space())
    others = [name for name in settings.others if name != context.benchmark] or list(settings.others)
    benchmark = cache(lambda name: xgboost(name, settings.most_rows))
    names, points, losses = [], [], []
    for seed in context.shared_seeds("earlier task"):
        generator = np.random.default_rng(seed)
        names.append(str(generator.choice(others)))
        points.append(encoding.sample(settings.observations, generator))
        evaluation = guarded_evaluate(benchmark(names[-1]), encoding.decode(points[-1]), None, generator)
        losses.append(evaluation.loss)
    return names, Task(*(torch.from_numpy(np.stack(values)) for values in (points, losses)), name="another set")
