"""BOHAMIANN's Bayesian optimization experiments (NIPS section 6.1, thesis section 3.6.1)."""

from __future__ import annotations

import pandas as pd
import torch

from core.experiment.context import Context
from core.experiment.optimization import improvements, in_lockstep, optimize
from core.objectives import objective
from papers.bohamiann.settings import FitAfterOptimization, Search


def optimization(context: Context[Search]) -> pd.DataFrame:
    """Regret of one method on one objective; see `core.experiment.optimization.optimize` for the columns."""
    records = optimize(context, objective(context.benchmark))
    return improvements(records) if context.settings.record == "improvements" else records


def fit_after_optimization(context: Context[FitAfterOptimization]) -> pd.DataFrame:
    """NIPS Fig 1 right: BOHAMIANN's fit to the points that its own optimization evaluated, in one dimension.

    Rows: part ("grid", "data"), x in the unit cube, value (of the function), mean and sd of an observation.
    """
    settings, function = context.settings, objective(context.benchmark)
    history = in_lockstep(context, function, settings.evaluations, settings.initial_design)
    y = torch.as_tensor(history.loss).to(history.X)
    model = settings.method.model(settings.evaluations, context.device).fit(history.X, y, history.generators)
    grid = torch.linspace(0, 1, settings.grid, dtype=torch.float64, device=context.device)[:, None]
    with torch.no_grad():
        mean, variance = (values.cpu() for values in model.moments(grid))
    frames = []
    for index, run in enumerate(context.runs):
        on_grid = {"x": grid[:, 0].cpu(), "value": function.on_cube(grid).cpu()}
        frames.append(
            pd.DataFrame({"run": run, "part": "grid", **on_grid, "mean": mean[index], "sd": variance[index].sqrt()})
        )
        data = {"x": history.X[index, :, 0].cpu(), "value": history.loss[index], "mean": history.loss[index], "sd": 0.0}
        frames.append(pd.DataFrame({"run": run, "part": "data", **data}))
    return pd.concat(frames, ignore_index=True)
