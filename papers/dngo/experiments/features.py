"""Section 3.1.2: features by MAP against features by evidence maximization, in prediction and in optimization."""

from __future__ import annotations

import math
import time

import numpy as np
import pandas as pd
import torch

from core.data import load
from core.data.splits import train_test_split
from core.experiment.context import Context
from core.foundation.randomness import make_generators, uniform_
from core.models.dngo import DNGO
from core.models.evidence_network import EvidenceRepresentation
from core.models.scores import moment_matched_log_likelihood, rmse
from core.objectives.synthetic import FUNCTIONS, lookup
from papers.dngo.experiments.model_search import search_with
from papers.dngo.experiments.representations import dngo_on
from papers.dngo.settings import Features, FeatureSearch

Data = tuple[torch.Tensor, torch.Tensor]


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
    """Section 3.1.2: Bayesian optimization with either kind of features; rows as in `core.experiment.optimization`."""
    return search_with(_feature_model(context.settings, context.device), context)[0]


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
