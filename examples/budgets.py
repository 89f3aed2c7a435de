"""Tune a small network on scikit-learn's digits with BOHB: many configurations for one epoch, a few for nine.

    python examples/budgets.py

Takes about ten seconds, offline. Most configurations are stopped early; what counts is the loss on the largest budget.
"""

import warnings

from ConfigSpace import ConfigurationSpace, Float, Integer
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPClassifier

from core import minimize

X, y = load_digits(return_X_y=True)
TRAIN, VALIDATION, TRAIN_LABELS, VALIDATION_LABELS = train_test_split(X / 16, y, test_size=0.3, random_state=0)
SPACE = ConfigurationSpace()
SPACE.add(Float("learning_rate", (1e-4, 1e-1), log=True), Integer("units", (8, 64)), Integer("batch_size", (8, 128)))


def error(configuration, budget):
    """The share of wrong answers on the validation set after `budget` epochs."""
    network = MLPClassifier(
        (configuration["units"],),
        batch_size=configuration["batch_size"],
        learning_rate_init=configuration["learning_rate"],
        max_iter=round(budget),
        random_state=0,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        network.fit(TRAIN, TRAIN_LABELS)
    return 1 - network.score(VALIDATION, VALIDATION_LABELS)


if __name__ == "__main__":
    result = minimize(error, SPACE, method="bohb", evaluations=60, budgets=(1, 9), seed=0)
    print(f"error {result.best_loss:.4f} after {result.best.budget:g} epochs with {result.best_configuration}")
    print(result.trace.groupby("budget")["loss"].agg(["count", "min"]))
