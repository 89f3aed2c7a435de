"""DNGO's design (Fig 2, sections 3.1.1 and 3.1.2), and optimizers beside it: Table 1 and the times of Fig 1."""

from __future__ import annotations

import math
import time

import numpy as np
import pandas as pd
import torch

from core.acquisition.maximizers import GradientAscent
from core.data import load
from core.data.preparation import train_test_split
from core.experiment.context import Context
from core.experiment.search import Searches, search
from core.experiment.suggestion_time import measure_suggestions
from core.foundation.randomness import make_generators, uniform_
from core.models.dngo import DNGO, EvidenceRepresentation
from core.models.scores import moment_matched_log_likelihood, rmse
from core.objectives import objective
from core.objectives.synthetic import FUNCTIONS, lookup
from core.objectives.toys import Sinc, prediction_records
from core.optimizers.model_based import ModelBased
from core.optimizers.model_settings import DNGOSettings
from core.spaces import CubeEncoding
from papers.dngo.experiments.architecture import dngo_on, make_dngo, published_architecture
from papers.dngo.settings import (
    Activations,
    ActivationSearch,
    DesignSearch,
    Dropout,
    Features,
    FeatureSearch,
    HPOlib,
    ScheduleSearch,
    SuggestionTime,
)

LAYERS = 3  # of the published architecture
Data = tuple[torch.Tensor, torch.Tensor]


def suggestion_time(context: Context[SuggestionTime]) -> pd.DataFrame:
    """Fig 1: seconds of one suggestion by repetition and number of observations; see `measure_suggestions`."""
    return measure_suggestions(context)


def activations(context: Context[Activations]) -> pd.DataFrame:
    """Fig 2: DNGO's mean and standard deviation, noise included, over [-1, 2] given 20 points of sinc in [0, 1].

    Rows as `prediction_records` has them.
    """
    settings = context.settings
    toy = Sinc(points=settings.points)
    X, y = toy.observations(make_generators(context.shared_seeds("points")), len(context.runs))
    grid = toy.grid()
    model = DNGO(widths=settings.widths, activation=settings.activation, epochs=settings.epochs, device=context.device)
    model.fit(X, y, make_generators(context.method_seeds("model"), context.device))
    with torch.no_grad():
        mean, variance = model.moments(grid.to(context.device))
    return prediction_records(context.runs, X, y, grid, mean, variance)


def hpolib(context: Context[HPOlib]) -> pd.DataFrame:
    """Table 1: an optimizer on one of HPOlib's benchmarks; rows as in `core.experiment.search`."""
    return search(context, objective(context.benchmark)).evaluations()


def schedule(context: Context[ScheduleSearch]) -> pd.DataFrame:
    """Bayesian optimization by DNGO with the cell's schedule of training; rows as in `core.experiment.search`."""
    return search_with(DNGO(updates=context.settings.updates, device=context.device), context).evaluations()


def activation_search(context: Context[ActivationSearch]) -> pd.DataFrame:
    """Bayesian optimization by DNGO with the cell's units; rows as in `core.experiment.search`.

    Besides: `distance` of a point from the best of those before it, in the unit cube over sqrt(d); 0 for the first.
    """
    settings = context.settings
    model = DNGO(activation=settings.activation, epochs=settings.epochs, device=context.device)
    searches = search_with(model, context)
    points, losses = searches.histories.X.cpu().numpy(), searches.histories.loss
    return searches.evaluations().assign(distance=from_the_incumbent(points, losses).ravel())


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


def features(context: Context[Features]) -> pd.DataFrame:
    """Section 3.1.2: what features by MAP and by evidence maximization predict at held-out points, by repetition.

    `rmse` in units of the training targets' standard deviation; `log_likelihood`, nats per point, of the Gaussian
    with the model's moments, for targets in the same units; `seconds` of processor time per repetition that a fit took
    (repetitions are fitted side by side), and its number of `updates` of the network.
    """
    settings = context.settings
    (X, y), (X_test, y_test) = _held_out(context, settings)
    scale = y.std(1, correction=0, keepdim=True)
    y, y_test = y / scale, y_test / scale
    model = _feature_model(settings, context.device)
    model.fit(X[:, :2], y[:, :2], make_generators(context.method_seeds("warm-up"), context.device))
    start = time.process_time()
    with torch.no_grad():
        model.fit(X, y, make_generators(context.method_seeds("model"), context.device))
        seconds = time.process_time() - start
        means, variances = model.predict(X_test)
    return pd.DataFrame(
        {
            "run": list(context.runs),
            "rmse": rmse(means, y_test).cpu(),
            "log_likelihood": moment_matched_log_likelihood(means, variances, y_test).cpu(),
            "seconds": seconds / len(context.runs),
            "updates": settings.epochs * math.ceil(X.shape[1] / model.representation.batch_size),
        }
    )


def feature_search(context: Context[FeatureSearch]) -> pd.DataFrame:
    """Section 3.1.2: Bayesian optimization with either kind of features; rows as in `core.experiment.search`."""
    return search_with(_feature_model(context.settings, context.device), context).evaluations()


def _feature_model(settings: Features | FeatureSearch, device: str) -> DNGO:
    """DNGO with the features that the settings name."""
    if settings.features == "evidence":
        return dngo_on(EvidenceRepresentation(epochs=settings.epochs), device=device)
    return DNGO(epochs=settings.epochs, device=device)


def _held_out(context: Context, settings: Features) -> tuple[Data, Data]:
    """Training and test data, X (runs, N, d) in the unit cube and y (runs, N): of a function or a split data set."""
    if context.benchmark in FUNCTIONS:
        function, generators = lookup(context.benchmark), make_generators(context.shared_seeds("points"))
        total = settings.train_points + settings.test_points
        X = uniform_(torch.empty(len(context.runs), total, function.dimension, dtype=torch.float64), generators)
        parts = X.to(context.device).split([settings.train_points, settings.test_points], 1)
        train, test = ((part, function.on_cube(part)) for part in parts)
        return train, test
    data = load(context.benchmark)
    splits = [np.random.default_rng(seed) for seed in context.shared_seeds("split")]
    low, high = data.X.min(0), data.X.max(0)
    X = torch.as_tensor((data.X - low) / (high - low), device=context.device)
    y = torch.tensor(data.y, dtype=torch.float64, device=context.device)
    train, test = train_test_split(len(y), settings.test_fraction, splits)
    return (X[train], y[train]), (X[test], y[test])


def search_with(model: DNGO, context: Context[DesignSearch]) -> Searches:
    """The searches of the cell's function with this model."""
    objective = lookup(context.benchmark)
    plain = DNGOSettings(unseen=False, unordered=False, gaussian_targets=False)
    policy = ModelBased(CubeEncoding(objective.space), lambda n: model, GradientAscent(), plain)
    return search(context, objective, policy=policy)
