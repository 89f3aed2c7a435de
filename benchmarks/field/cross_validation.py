"""Data of tuning problems, and losses of scikit-learn's models on them by cross-validation.

Losses of regression are mean squared errors in units of the targets' variance, of classification the logarithmic loss
where the model has probabilities, else the error.
"""

from __future__ import annotations

import warnings
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import log_loss
from sklearn.model_selection import KFold, StratifiedKFold

from core.data import load

FOLDS = 2


@lru_cache(maxsize=16)
def data(name: str, rows: int) -> tuple[NDArray[np.float64], NDArray[Any]]:
    """At most `rows` random rows of a data set; targets of regression have mean 0 and variance 1."""
    dataset = load(name)
    chosen = np.random.default_rng(0).permutation(len(dataset.y))[:rows]
    X, y = dataset.X[chosen], dataset.y[chosen]
    return X, (y - y.mean()) / y.std() if dataset.task == "regression" else y


def squared_error(model: Any, X: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    """The mean squared error by cross-validation."""
    errors = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for train, test in KFold(FOLDS, shuffle=True, random_state=0).split(X):
            predicted = model.fit(X[train], y[train]).predict(X[test])
            errors.append(np.mean((predicted - y[test]) ** 2))
    return float(np.mean(errors))


def class_loss(model: Any, X: NDArray[np.float64], y: NDArray[np.int64]) -> float:
    """The logarithmic loss by cross-validation, or the error if there are no probabilities."""
    losses = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for train, test in StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(X, y):
            fitted = model.fit(X[train], y[train])
            if hasattr(fitted, "predict_proba"):
                losses.append(log_loss(y[test], fitted.predict_proba(X[test]), labels=np.unique(y)))
            else:
                losses.append(np.mean(fitted.predict(X[test]) != y[test]))
    return float(np.mean(losses))
