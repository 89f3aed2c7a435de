"""Tuning problems of scikit-learn: each evaluation trains a small model by cross-validation, in milliseconds.

Losses of regression are mean squared errors in units of the targets' variance, of classification the logarithmic loss
where the model has probabilities, else the error. What diverges has a huge loss (an outlier) or none (a failure).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

import numpy as np
from ConfigSpace import Categorical, EqualsCondition, Float, InCondition, Integer
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import GradientBoostingRegressor
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.linear_model import LogisticRegression, SGDRegressor
from sklearn.metrics import log_loss
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, RobustScaler, StandardScaler
from sklearn.svm import SVC, SVR
from sklearn.tree import DecisionTreeRegressor

from benchmarks.field.problem import Problem, space_of
from core.data import load

Configuration = Mapping[str, Any]
FOLDS = 2
SEEDS = 2**31 - 1
DIVERGED = 1e12


@lru_cache(maxsize=16)
def data(name: str, rows: int) -> tuple[NDArray[np.float64], NDArray[Any]]:
    """At most `rows` random rows of a data set; targets of regression have mean 0 and variance 1."""
    found = load(name)
    chosen = np.random.default_rng(0).permutation(len(found.y))[:rows]
    X, y = found.X[chosen], found.y[chosen]
    return X, (y - y.mean()) / y.std() if found.task == "regression" else y


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


PIPELINE = (
    Categorical("scaler", ["none", "standard", "minmax", "robust"]),
    Categorical("reduction", ["none", "pca", "best"]),
    Float("kept", (0.05, 0.95)),
    Categorical("model", ["logistic", "neighbours", "lda", "svm"]),
    Float("logistic_C", (1e-4, 1e3), log=True),
    Integer("neighbours", (1, 30), log=True),
    Categorical("weights", ["uniform", "distance"]),
    Integer("power", (1, 3)),
    Float("shrinkage", (0.0, 1.0)),
    Float("svm_C", (1e-2, 1e3), log=True),
    Float("svm_gamma", (1e-4, 1e1), log=True),
)


def _pipeline_conditions(space: Any) -> list[Any]:
    model = space["model"]
    of_model = {
        "logistic_C": "logistic",
        "neighbours": "neighbours",
        "weights": "neighbours",
        "power": "neighbours",
        "shrinkage": "lda",
        "svm_C": "svm",
        "svm_gamma": "svm",
    }
    conditions: list[Any] = [EqualsCondition(space[name], model, kind) for name, kind in of_model.items()]
    return [*conditions, InCondition(space["kept"], space["reduction"], ["pca", "best"])]


def pipeline(name: str, dataset: str) -> Problem:
    """Choice of scaling, of features and of one of four classifiers, each with hyperparameters of its own: the error.

    Principal components or features are a share of the columns; the error is smoothed by the margin of a vote.
    """
    X, y = data(dataset, 200)
    scalers: dict[str, Callable[[], Any]] = {
        "standard": StandardScaler,
        "minmax": MinMaxScaler,
        "robust": RobustScaler,
    }

    def loss(given: Configuration, generator: np.random.Generator) -> float:
        steps: list[Any] = [scalers[given["scaler"]]()] if given["scaler"] != "none" else []
        if given["reduction"] != "none":
            count = max(1, round(given["kept"] * X.shape[1]))
            steps.append(PCA(count, random_state=0) if given["reduction"] == "pca" else SelectKBest(f_classif, k=count))
        return class_loss(make_pipeline(*steps, _classifier(given)), X, y)

    return Problem(name, space_of(*PIPELINE, conditions=_pipeline_conditions), loss)


def _classifier(given: Configuration) -> Any:
    if given["model"] == "logistic":
        return LogisticRegression(C=given["logistic_C"], max_iter=50)
    if given["model"] == "neighbours":
        return KNeighborsClassifier(given["neighbours"], weights=given["weights"], p=given["power"])
    if given["model"] == "lda":
        return LinearDiscriminantAnalysis(solver="lsqr", shrinkage=given["shrinkage"])
    return _MarginVotes(SVC(C=given["svm_C"], gamma=given["svm_gamma"], max_iter=2000))


class _MarginVotes(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no annotations
    """Probabilities from the margins of a support vector machine, by the softmax of its votes."""

    def __init__(self, machine: SVC) -> None:
        self.machine = machine

    def fit(self, X: NDArray[np.float64], y: NDArray[np.int64]) -> _MarginVotes:
        self.classes_ = self.machine.fit(X, y).classes_
        return self

    def predict_proba(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Probabilities (n, classes)."""
        votes = self.machine.decision_function(X)
        votes = np.stack([-votes, votes], 1) if votes.ndim == 1 else votes
        weights = np.exp(votes - votes.max(1, keepdims=True))
        chances: NDArray[np.float64] = weights / weights.sum(1, keepdims=True)
        return chances


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
