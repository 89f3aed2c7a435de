"""The tuning problem with the most choices: a pipeline of scikit-learn's steps, up to one of four classifiers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from ConfigSpace import Categorical, EqualsCondition, Float, InCondition, Integer
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, RobustScaler, StandardScaler
from sklearn.svm import SVC

from benchmarks.field.cross_validation import class_loss, data
from benchmarks.field.problem import Problem, space_of

Configuration = Mapping[str, Any]
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
