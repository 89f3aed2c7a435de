"""Choices in DNGO's network: what kinds of units and the length of its training do to an optimization, and dropout to
the predicted mean (section 3.1.1)."""

from __future__ import annotations

import numpy as np
import pandas as pd
import torch

from core.experiment.context import Context
from core.foundation.randomness import make_generators, uniform_
from core.models.dngo import DNGO
from core.models.scores import rmse
from core.objectives.synthetic import lookup
from papers.dngo.experiments.model_search import search_with
from papers.dngo.experiments.relative_loss import make_dngo, published_architecture
from papers.dngo.settings import ActivationSearch, Dropout, ScheduleSearch

LAYERS = 3  # of the published architecture


def schedule(context: Context[ScheduleSearch]) -> pd.DataFrame:
    """Bayesian optimization by DNGO with the cell's schedule of training; rows as in `core.experiment.optimization`."""
    return search_with(DNGO(updates=context.settings.updates, device=context.device), context)[0]


def activation_search(context: Context[ActivationSearch]) -> pd.DataFrame:
    """Bayesian optimization by DNGO with the cell's units; rows as in `core.experiment.optimization`.

    Besides: `distance` of a point from the best of those before it, in the unit cube over sqrt(d); 0 for the first.
    """
    settings = context.settings
    model = DNGO(activation=settings.activation, epochs=settings.epochs, device=context.device)
    records, histories = search_with(model, context)
    return records.assign(distance=from_the_incumbent(histories.X.cpu().numpy(), histories.loss).ravel())


def from_the_incumbent(X: np.ndarray, losses: np.ndarray) -> np.ndarray:
    """Distance of each point X (runs, n, d) from the best of those before it, over sqrt(d): (runs, n)."""
    distances = np.zeros(losses.shape)
    for n in range(1, losses.shape[1]):
        best = losses[:, :n].argmin(1)
        distances[:, n] = np.linalg.norm(X[:, n] - X[np.arange(len(X)), best], axis=-1)
    return distances / np.sqrt(X.shape[-1])


def dropout(context: Context[Dropout]) -> pd.DataFrame:
    """DNGO of the published architecture with dropout, trained twice on the same points from different weights.

    Rows: run; noise, the root mean square over held-out points of half the difference between the two predicted means,
    times sqrt(2): an estimate of a mean's standard deviation over trainings; rmse, of the two on average. Both are in
    units of the training targets' standard deviation.
    """
    settings, function = context.settings, lookup(context.benchmark)
    generators = make_generators(context.shared_seeds("points"), context.device)
    shape = (len(context.runs), settings.train_points + settings.test_points, function.dimension)
    points = uniform_(torch.empty(shape, dtype=torch.float64, device=context.device), generators)
    X, X_test = points.split([settings.train_points, settings.test_points], 1)
    y, y_test = function.on_cube(X), function.on_cube(X_test)
    scale = y.std(1, correction=0, keepdim=True)
    configuration = published_architecture(LAYERS) | {f"dropout_{i}": settings.rate for i in range(1, LAYERS + 1)}
    means = []
    with torch.no_grad():
        for training in ("first", "second"):
            model = make_dngo(configuration, settings.epochs, context.device)
            model.fit(X, y / scale, make_generators(context.method_seeds(training), context.device))
            means.append(model.predict(X_test)[0].mean(0))
    first, second = means
    errors = [rmse(mean.unsqueeze(0), y_test / scale) for mean in means]
    return pd.DataFrame(
        {
            "run": list(context.runs),
            "noise": ((first - second).square().mean(-1) / 2).sqrt().cpu(),
            "rmse": ((errors[0] + errors[1]) / 2).cpu(),
        }
    )
