"""Tune a small network with Hyperband, which goes on with promoted networks rather than train them again.

    python examples/checkpoints.py

Takes about ten seconds, offline. `state` holds the network between budgets; with `journal="digits.jsonl"` it would be
kept in files beside the journal, and a search that was killed would find it there.
"""

import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPClassifier

from core import minimize

X, y = load_digits(return_X_y=True)
TRAIN, VALIDATION, TRAIN_LABELS, VALIDATION_LABELS = train_test_split(X / 16, y, test_size=0.3, random_state=0)
SPACE = {"learning_rate": ("log", 1e-4, 1e-1), "units": (8, 64), "batch_size": (8, 128)}


def error(configuration, budget, state):
    """The share of wrong answers on the validation set after `budget` epochs in all."""
    if not state:
        rate, units, size = (configuration[name] for name in SPACE)
        state["network"] = MLPClassifier((units,), learning_rate_init=rate, batch_size=size, random_state=0)
        state["epochs"] = 0
    epochs = round(budget) - state["epochs"]
    for _ in range(epochs):
        state["network"].partial_fit(TRAIN, TRAIN_LABELS, classes=np.arange(10))
    state["epochs"] = round(budget)
    return {"loss": 1 - state["network"].score(VALIDATION, VALIDATION_LABELS), "epochs": epochs}


if __name__ == "__main__":
    result = minimize(error, SPACE, method="hyperband", evaluations=60, budgets=(1, 9), seed=0)
    print(f"error {result.best_loss:.4f} after {result.best.budget:g} epochs with {result.best_configuration}")
    print(f"{result.frame['epochs'].sum()} epochs, where {result.frame['budget'].sum():g} would be needed from scratch")
