"""The spaces of three algorithms whose evaluations are on OpenML, with short names for their hyperparameters.

Evaluations were drawn from these ranges, judging by the tables. Hyperparameters that never vary are left out
(the random forest's 100 trees of any depth). All hyperparameters are given for every configuration, also those of the
support vector machine that its kernel does not use.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from ConfigSpace import Categorical, ConfigurationSpace, Float, Integer
from numpy.typing import NDArray

from core.foundation.errors import UnknownNameError

COLUMNS: Mapping[str, Mapping[str, str]] = {
    "openml_random_forest": {
        "bootstrap": "randomforestclassifier__bootstrap",
        "criterion": "randomforestclassifier__criterion",
        "max_features": "randomforestclassifier__max_features",
        "min_samples_leaf": "randomforestclassifier__min_samples_leaf",
        "min_samples_split": "randomforestclassifier__min_samples_split",
        "imputation": "columntransformer__numeric__imputer__strategy",
    },
    "openml_adaboost": {
        "algorithm": "adaboostclassifier__algorithm",
        "learning_rate": "adaboostclassifier__learning_rate",
        "max_depth": "adaboostclassifier__base_estimator__max_depth",
        "n_estimators": "adaboostclassifier__n_estimators",
        "imputation": "columntransformer__numeric__imputer__strategy",
    },
    "openml_svm": {name: name for name in ("C", "coef0", "gamma", "kernel", "tol")},
}
"""The tables' columns, by the names of the hyperparameters."""

ACCURACIES = {
    "openml_random_forest": "predictive_accuracy",
    "openml_adaboost": "predictive_accuracy",
    "openml_svm": "y",
}
"""The tables' columns of accuracies."""

IMPUTATIONS = ["mean", "median", "most_frequent"]


def error_rates(name: str, frame: pd.DataFrame) -> NDArray[np.float64]:
    """The error rates of a table with these columns, (rows,)."""
    accuracies = frame[ACCURACIES[name]].to_numpy(np.float64)
    return 1 - accuracies


def openml_space(name: str) -> ConfigurationSpace:
    """The space of one of `COLUMNS`.

    Raises:
        UnknownNameError: another name.
    """
    if name not in COLUMNS:
        raise UnknownNameError("algorithm on OpenML", name, COLUMNS)
    space = ConfigurationSpace(name=name)
    if name == "openml_random_forest":
        space.add(
            Categorical("bootstrap", ["True", "False"]),
            Categorical("criterion", ["gini", "entropy"]),
            Float("max_features", (0.1, 0.9)),
            Integer("min_samples_leaf", (1, 20)),
            Integer("min_samples_split", (2, 20)),
            Categorical("imputation", IMPUTATIONS),
        )
    elif name == "openml_adaboost":
        space.add(
            Categorical("algorithm", ["SAMME", "SAMME.R"]),
            Float("learning_rate", (0.01, 2.0), log=True),
            Integer("max_depth", (1, 10)),
            Integer("n_estimators", (50, 500)),
            Categorical("imputation", IMPUTATIONS),
        )
    else:
        space.add(
            Float("C", (2.0**-5, 2.0**15), log=True),
            Float("coef0", (-1.0, 1.0)),
            Float("gamma", (2.0**-15, 2.0**3), log=True),
            Categorical("kernel", ["poly", "rbf", "sigmoid"]),
            Float("tol", (1e-5, 1e-1), log=True),
        )
    return space
