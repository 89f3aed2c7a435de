"""Tune a support vector machine on one data set after searches on two others: `minimize(..., earlier=[...])`.

    python examples/warm_start.py

Takes a few seconds, offline. Earlier searches may be results, their traces (also read from a file) or records; ABLR
learns from them which part of the space is promising, whatever the level of their errors.
"""

from functools import partial

from ConfigSpace import ConfigurationSpace, Float
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from core import minimize

SPACE = ConfigurationSpace()
SPACE.add(Float("C", (1e-3, 1e3), log=True), Float("gamma", (1e-5, 1e1), log=True))


def error(configuration, load):
    """The share of wrong answers in three-fold cross-validation."""
    X, y = load(return_X_y=True)
    machine = make_pipeline(StandardScaler(), SVC(**configuration))
    return 1 - cross_val_score(machine, X, y, cv=3).mean()


if __name__ == "__main__":
    others = [partial(error, load=load) for load in (load_wine, load_iris)]
    earlier = [minimize(other, SPACE, "random", evaluations=30, seed=seed) for seed, other in enumerate(others)]
    method = {"method": "ablr", "initial_design": 3, "iterations": 50}
    result = minimize(partial(error, load=load_breast_cancer), SPACE, method, evaluations=10, earlier=earlier)
    print(f"error {result.best_loss:.4f} with {result.best_configuration}")
