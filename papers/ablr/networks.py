"""Feedforward networks for binary classification (section 3.3), trained by Adam, and what their training tells.

The text at hand lost the ranges of the hyperparameters, and says neither what kind of regularization it tunes nor the
size of minibatches. Chosen here: 1 to 4 hidden relu layers of 4 to 64 units each, dropout from 0 to 0.8 as the
regularization, learning rates from 1e-4 to 1e-1, 3 to 30 epochs, minibatches of 32. Its sets are from LIBSVM (w8a,
sonar, w1a, phishing, australian); sonar and credit approval, the source of australian, are at hand, and spambase and
German credit stand in for the others.

Signals: the validation error, then the training error of the last epoch, measured with dropout while it was trained,
and the logarithm of the CPU seconds of training and validating.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from ConfigSpace import ConfigurationSpace, Float, Integer
from numpy.typing import NDArray

from core.data import load
from core.foundation.schedules import constant
from core.training import Networks, Parts, train
from core.training.preparation import prepare

BATCH, SPLIT_SEED = 32, 0
DIVERGED = 1.0  # the error of a network whose training diverged


def network_space() -> ConfigurationSpace:
    """The five hyperparameters."""
    space = ConfigurationSpace(name="feedforward network")
    space.add(
        Integer("layers", (1, 4)),
        Integer("units", (4, 64), log=True),
        Float("dropout", (0.0, 0.8)),
        Float("learning_rate", (1e-4, 1e-1), log=True),
        Integer("epochs", (3, 30)),
    )
    return space


def parts_of(name: str) -> Parts:
    """A data set of the catalogue, 60% for training and 20% for validation."""
    return prepare(load(name), SPLIT_SEED)[0]


def outcomes_of(configurations: Sequence[Mapping[str, Any]], parts: Parts, seeds: Sequence[int]) -> NDArray[np.float64]:
    """Validation error, training error and log10 of seconds, (n, 3), of one network for each configuration and seed."""
    rows = []
    for configuration, seed in zip(configurations, seeds, strict=True):
        layers = configuration["layers"]
        networks = Networks(
            sizes=(parts.train.X.shape[1], *(configuration["units"],) * layers, parts.classes),
            batch_size=BATCH,
            tanh=np.zeros((1, layers), bool),
            dropout=np.full((1, layers), configuration["dropout"], np.float32),
            rates=constant(configuration["learning_rate"], configuration["epochs"])[None],
            seeds=np.array([seed], np.uint64),
        )
        records = train(networks, parts)
        errors = (records.validation[0, -1], records.train[0, -1])
        rows.append([*np.nan_to_num(errors, nan=DIVERGED), np.log10(max(records.seconds[0], 1e-6))])
    return np.array(rows, dtype=np.float64)
