"""What section 6 says in words: queries by a Gaussian process beside ours, and the time of an interpolation."""

from __future__ import annotations

import time

import numpy as np
import pandas as pd
import torch
from torch import Tensor

from core.acquisition.maximizers.grid import GridSearch, regular_grid
from core.experiment.context import Context
from core.foundation.randomness import make_generators, normal_, uniform_
from core.models.adaptive_least_squares import AdaptiveLeastSquares
from core.models.gaussian_process import GaussianProcess
from core.objectives.synthetic import lookup
from core.optimizers.model_based import ModelBased
from core.spaces import CubeEncoding
from core.study.lockstep import run_on_cube
from papers.nnbo_regret.settings import GaussianProcessSearch, Interpolation


def gaussian_process(context: Context[GaussianProcessSearch]) -> pd.DataFrame:
    """GP-BO (hyperparameters of largest marginal likelihood, EI) on our grid, noise and number of uniform points.

    Each query is chosen with all earlier ones known, where ours come in batches that share a posterior. One row per
    query: run, iteration (from 1), regret, minimum_regret over all points so far, initial_regret (the uniform points'
    mean), in the units of f.
    """
    settings, function = context.settings, lookup(context.benchmark)
    starts, noise, own = (
        make_generators(seeds, context.device)
        for seeds in (context.shared_seeds("initial"), context.method_seeds("noise"), context.method_seeds("search"))
    )
    shape = (len(context.runs), settings.initial_points, function.dimension)
    X = uniform_(torch.empty(shape, dtype=torch.float64, device=context.device), starts)

    def observe(points: Tensor) -> Tensor:
        value = function.on_cube(points)
        return value + settings.noise_sd * normal_(torch.empty_like(value), noise)

    policy = ModelBased(
        CubeEncoding(function.space),
        lambda n: GaussianProcess(device=context.device),
        GridSearch(regular_grid(function.dimension, settings.points_per_axis)),
    )
    X, _ = run_on_cube(observe, policy, X, own, settings.initial_points + settings.queries)
    regret = (function.on_cube(X) - function.optimum).cpu().numpy()
    initial = regret[:, : settings.initial_points].mean(1)
    queries = np.arange(1, settings.queries + 1)
    return pd.DataFrame(
        {
            "run": np.repeat(list(context.runs), settings.queries),
            "iteration": np.tile(queries, len(regret)),
            "regret": regret[:, settings.initial_points :].ravel(),
            "minimum_regret": np.minimum.accumulate(regret, 1)[:, settings.initial_points :].ravel(),
            "initial_regret": np.repeat(initial, settings.queries),
        }
    )


def interpolation(context: Context[Interpolation]) -> pd.DataFrame:
    """Processor seconds of Eqs. 6 to 8 on uniform points of a function, given the network; the first is not recorded.

    Rows: run, observations, seconds (the median of the repeats).
    """
    settings, function = context.settings, lookup(context.benchmark)
    rows = []
    for run, points, own in zip(
        context.runs,
        make_generators(context.shared_seeds("observations")),
        make_generators(context.method_seeds("network")),
        strict=True,
    ):
        shape = (1, max(settings.observations), function.dimension)
        X = uniform_(torch.empty(shape, dtype=torch.float64), [points])
        y = function.on_cube(X)
        model = AdaptiveLeastSquares(steps=settings.steps)
        model.update(X[:, : settings.trained_on], y[:, : settings.trained_on], [own])
        for n in settings.observations:
            taken = [_seconds(model, X[:, :n], y[:, :n]) for _ in range(settings.repeats + 1)]
            rows.append({"run": run, "observations": n, "seconds": float(np.median(taken[1:]))})
        context.progress(len(rows) / len(settings.observations) / len(context.runs))
    return pd.DataFrame(rows)


def _seconds(model: AdaptiveLeastSquares, X: Tensor, y: Tensor) -> float:
    start = time.process_time()
    model.regress(X, y)
    return time.process_time() - start
