"""Tuning problems of scikit-learn: each evaluation trains a small model by cross-validation, in milliseconds.

What diverges has a huge loss (an outlier) or none (a failure).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from ConfigSpace import Categorical, EqualsCondition, Float, InCondition, Integer
from numpy.typing import NDArray
from sklearn.ensemble import GradientBoostingRegressor
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import SGDRegressor
from sklearn.model_selection import StratifiedKFold
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR
from sklearn.tree import DecisionTreeRegressor

from benchmarks.field.cross_validation import FOLDS, class_loss, data, squared_error
from benchmarks.field.problem import Problem, space_of

Configuration = Mapping[str, Any]
SEEDS = 2**31 - 1
DIVERGED = 1e12

KERNELS = (
    Categorical("kernel", ["linear", "rbf", "poly", "sigmoid"]),
    Float("C", (1e-3, 1e3), log=True),
    Float("gamma", (1e-5, 1e1), log=True),
    Integer("degree", (2, 4)),
    Float("coef0", (-1.0, 1.0)),
)


def _kernel_conditions(space: Any) -> list[Any]:
    kernel = space["kernel"]
    return [
        InCondition(space["gamma"], kernel, ["rbf", "poly", "sigmoid"]),
        EqualsCondition(space["degree"], kernel, "poly"),
        InCondition(space["coef0"], kernel, ["poly", "sigmoid"]),
    ]


def svr(name: str, dataset: str) -> Problem:
    """Support vector regression with conditional parameters of the kernel."""
    X, y = data(dataset, 200)
    X = StandardScaler().fit_transform(X)
    space = space_of(*KERNELS, Float("epsilon", (1e-3, 1.0), log=True), conditions=_kernel_conditions)
    return Problem(name, space, lambda given, _: squared_error(SVR(**given, max_iter=5000), X, y))


def svm(name: str, dataset: str) -> Problem:
    """A support vector classifier with conditional parameters: its squared hinge loss; unfinished training fails."""
    X, y = data(dataset, 300)
    X = StandardScaler().fit_transform(X)
    signs = np.where(y == 1, 1.0, -1.0)

    def loss(given: Configuration, generator: np.random.Generator) -> float:
        losses = []
        for train, test in StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(X, y):
            machine = SVC(**given, max_iter=500)
            with warnings.catch_warnings():
                warnings.simplefilter("error", ConvergenceWarning)
                machine.fit(X[train], y[train])
            margin = signs[test] * np.clip(machine.decision_function(X[test]), -2, 2)
            losses.append(np.mean(np.maximum(0, 1 - margin) ** 2))
        return float(np.mean(losses))

    return Problem(name, space_of(*KERNELS, conditions=_kernel_conditions), loss)


def tree(name: str, dataset: str) -> Problem:
    """A regression tree: mixed hyperparameters, many of which matter little."""
    X, y = data(dataset, 500)
    space = space_of(
        Categorical("criterion", ["squared_error", "friedman_mse", "poisson", "absolute_error"]),
        Categorical("splitter", ["best", "random"]),
        Integer("max_depth", (1, 20)),
        Integer("min_samples_split", (2, 100), log=True),
        Integer("min_samples_leaf", (1, 100), log=True),
        Float("max_features", (0.1, 1.0)),
        Float("ccp_alpha", (1e-5, 1e-1), log=True),
    )
    shifted = y - y.min()  # "poisson" needs targets that are not negative

    def loss(given: Configuration, generator: np.random.Generator) -> float:
        return squared_error(DecisionTreeRegressor(**given, random_state=0), X, shifted)

    return Problem(name, space, loss)


def boosting(name: str, dataset: str) -> Problem:
    """Gradient boosting of up to 20 trees whose random numbers are those of the evaluation: noisy."""
    X, y = data(dataset, 150)
    space = space_of(
        Categorical("loss", ["squared_error", "absolute_error", "huber", "quantile"]),
        Float("learning_rate", (1e-3, 1.0), log=True),
        Integer("n_estimators", (3, 20)),
        Integer("max_depth", (1, 6)),
        Integer("min_samples_leaf", (1, 50), log=True),
        Float("subsample", (0.2, 1.0)),
        Float("max_features", (0.1, 1.0)),
        Float("alpha", (0.5, 0.99)),
        conditions=lambda space: [InCondition(space["alpha"], space["loss"], ["huber", "quantile"])],
    )

    def loss(given: Configuration, generator: np.random.Generator) -> tuple[float, float]:
        told, judged = (
            squared_error(GradientBoostingRegressor(**given, random_state=seed), X, y)
            for seed in (int(generator.integers(SEEDS)), 0)
        )
        return told, judged

    return Problem(name, space, loss)


def network_regression(name: str, dataset: str) -> Problem:
    """A small network trained for 10 epochs from random weights that differ in every evaluation: noisy."""
    X, y = data(dataset, 200)
    return _network(name, StandardScaler().fit_transform(X), y, MLPRegressor, squared_error)


def network_classification(name: str, dataset: str) -> Problem:
    """The same with classes."""
    X, y = data(dataset, 120)
    return _network(name, X / np.abs(X).max(), y, MLPClassifier, class_loss)


def _network(
    name: str, X: NDArray[np.float64], y: Any, make: Callable[..., Any], score: Callable[..., float]
) -> Problem:
    space = space_of(
        Categorical("solver", ["adam", "sgd"]),
        Categorical("activation", ["relu", "tanh", "logistic"]),
        Integer("units", (4, 64), log=True),
        Integer("layers", (1, 3)),
        Float("alpha", (1e-6, 1.0), log=True),
        Integer("batch_size", (8, 64), log=True),
        Float("learning_rate_init", (1e-5, 1.0), log=True),
        Float("momentum", (0.0, 0.99)),
        conditions=lambda space: [EqualsCondition(space["momentum"], space["solver"], "sgd")],
    )

    def loss(given: Configuration, generator: np.random.Generator) -> tuple[float, float]:
        rest = {key: value for key, value in given.items() if key not in ("units", "layers")}
        widths = (given["units"],) * given["layers"]
        told, judged = (
            score(make(hidden_layer_sizes=widths, **rest, max_iter=10, random_state=seed), X, y)
            for seed in (int(generator.integers(SEEDS)), 0)
        )
        return told, judged

    return Problem(name, space, loss)


def descent(name: str, dataset: str) -> Problem:
    """Linear regression by stochastic gradient descent, which diverges where the learning rate is too large.

    Losses there reach any size; above `DIVERGED` they are failures, below it outliers.
    """
    X, y = data(dataset, 200)
    X = StandardScaler().fit_transform(X)
    space = space_of(
        Categorical("loss", ["squared_error", "huber", "epsilon_insensitive"]),
        Categorical("penalty", ["l2", "l1", "elasticnet"]),
        Float("alpha", (1e-7, 1e1), log=True),
        Float("l1_ratio", (0.0, 1.0)),
        Categorical("learning_rate", ["constant", "optimal", "invscaling", "adaptive"]),
        Float("eta0", (1e-5, 1e1), log=True),
        Float("power_t", (0.1, 0.9)),
        Float("epsilon", (1e-3, 1.0), log=True),
        Integer("max_iter", (1, 40), log=True),
        conditions=lambda space: [
            EqualsCondition(space["l1_ratio"], space["penalty"], "elasticnet"),
            InCondition(space["eta0"], space["learning_rate"], ["constant", "invscaling", "adaptive"]),
            EqualsCondition(space["power_t"], space["learning_rate"], "invscaling"),
            InCondition(space["epsilon"], space["loss"], ["huber", "epsilon_insensitive"]),
        ],
    )

    def loss(given: Configuration, generator: np.random.Generator) -> float:
        error = squared_error(SGDRegressor(**given, random_state=0, tol=None), X, y)
        if error > DIVERGED:
            raise ArithmeticError(f"diverged: {error:.3g}")
        return error

    return Problem(name, space, loss)
