"""Predict where learning curves end: LC-Net on linear classifiers trained on scikit-learn's digits.

    python examples/learning_curves.py

Takes a few seconds, offline. Of 30 classifiers half are finished and half have trained for 5 of 20 epochs; the error
printed is that of the predicted final values of the latter. The fitted curves are drawn into learning_curves.png in the
current folder.
"""

import warnings

import numpy as np
from sklearn.datasets import load_digits
from sklearn.linear_model import SGDClassifier
from sklearn.model_selection import train_test_split

from core.models.curves.lcnet import LCNet

CLASSIFIERS, EPOCHS, SEEN = 30, 20, 5
X, y = load_digits(return_X_y=True)
X, X_validation, y, y_validation = train_test_split(X / 16, y, test_size=0.3, random_state=0)


def curve(log_rate, log_penalty):
    """Validation error after each epoch."""
    rate, penalty = 10**log_rate, 10**log_penalty
    model = SGDClassifier("log_loss", learning_rate="constant", eta0=rate, alpha=penalty, random_state=0)
    return [1 - model.partial_fit(X, y, range(10)).score(X_validation, y_validation) for _ in range(EPOCHS)]


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    configurations = np.random.default_rng(0).uniform([-4, -6], [-1, -2], (CLASSIFIERS, 2))  # (n, d)
    curves = np.array([curve(*configuration) for configuration in configurations])  # (n, T)
    partial = curves.copy()
    partial[CLASSIFIERS // 2 :, SEEN:] = np.nan  # epochs to come
    model = LCNet(steps=6000).fit(configurations, partial)
    mean, variance = model.predict(configurations)  # after the last epoch, (n,) each
    unknown = slice(CLASSIFIERS // 2, None)
    print(f"error {np.abs(mean - curves[:, -1])[unknown].mean():.4f} with LC-Net,", end=" ")
    print(f"{np.abs(curves[:, SEEN - 1] - curves[:, -1])[unknown].mean():.4f} with the last seen value")
    model.plot().savefig("learning_curves.png")
