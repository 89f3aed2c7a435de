"""Tune a support vector machine on scikit-learn's breast cancer data: Bayesian optimization with a Gaussian process.

    python examples/search.py

Takes a few seconds, offline. With `journal="svm.jsonl"` it could be interrupted and would resume where it stopped.
"""

from ConfigSpace import ConfigurationSpace, Float
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from core import minimize

X, y = load_breast_cancer(return_X_y=True)
SPACE = ConfigurationSpace()
SPACE.add(Float("C", (1e-3, 1e3), log=True), Float("gamma", (1e-5, 1e1), log=True))


def error(configuration):
    """The share of wrong answers in three-fold cross-validation."""
    machine = make_pipeline(StandardScaler(), SVC(**configuration))
    return 1 - cross_val_score(machine, X, y, cv=3).mean()


if __name__ == "__main__":
    result = minimize(error, SPACE, method="gp", evaluations=20, seed=0)
    print(f"error {result.best_loss:.4f} with {result.best_configuration}")
    print(result.trace[["loss", "cost", "origin", "status"]].describe(include="all"))
