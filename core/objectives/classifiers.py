"""Classifiers of tables: logistic regression and random forests.

Hyperparameters of random forests on classification sets (NIPS 6.2): a grid of 100 of scikit-learn's forests.

The paper names neither hyperparameters nor values. Here they are the three that decide how trees differ and how deep
they grow; every forest has 30 trees. The loss is the share of validation points that a forest gets wrong, the cost the
processor seconds of growing and validating it.

HPOlib's logistic regression on MNIST (DNGO Table 1), here on the 10,000 test images: `logistic_regression_mnist10k`.

Multinomial logistic regression trained by plain minibatch descent from zero weights on

    mean_i -log p(y_i | x_i; W, b) + l2_reg |W|^2,        p = softmax(x W + b),   pixels / 256,

through the minibatches in order, leaving out the last incomplete one. The space is HPOlib's, none of it on a log
scale: lrate in [0, 10], l2_reg in [0, 1], batchsize an integer in [20, 2000], n_epochs an integer in [5, 2000]. After
each epoch the validation error is measured; the loss is the smallest one seen. Training stops early as HPOlib's does:
after 5,000 minibatches, or twice as many as it took to the latest improvement by more than a factor of 0.995.

What differs besides the data: HPOlib trains on 50,000 images and validates on 10,000; ours are 6,000, 2,000 and 2,000
for test, split once at random (the first half of the test images is known to be the easier). So an epoch has fewer
minibatches, errors are larger, and published numbers are not comparable cell by cell. HPOlib averages the validation
error over whole minibatches, ours over all validation images. A model that diverged to nan predicts class 0, as the
index of the largest of ten nans is 0 there and here.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from ConfigSpace import ConfigurationSpace, Float, Integer, OrdinalHyperparameter
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier

from core.data import load, train_validation_test_split
from core.objectives.base import Configurations, Evaluation, Fidelity, check_budget
from core.objectives.svm import SVM, Part, svm

PATIENCE = 5000  # minibatches
PATIENCE_FACTOR = 2
IMPROVEMENT = 0.995
SPLIT_SEED = 0


@dataclass(frozen=True)
class LogisticRegression:
    """The benchmark on given parts, each inputs (n, d) float32 and classes (n,) int64; an `Objective`, deterministic.

    The cost is the measured seconds of one thread's work.
    """

    name: str
    train: tuple[NDArray[np.float32], NDArray[np.int64]] = field(repr=False)
    validation: tuple[NDArray[np.float32], NDArray[np.int64]] = field(repr=False)
    test: tuple[NDArray[np.float32], NDArray[np.int64]] = field(repr=False)
    classes: int
    fidelity: Fidelity | None = None
    optimum: float | None = None
    worst_loss: float = 1.0

    @property
    def space(self) -> ConfigurationSpace:
        """HPOlib's ranges."""
        space = ConfigurationSpace(name=self.name)
        space.add(
            Float("lrate", (0.0, 10.0)),
            Float("l2_reg", (0.0, 1.0)),
            Integer("batchsize", (20, 2000)),
            Integer("n_epochs", (5, 2000)),
        )
        return space

    def evaluate(
        self, configurations: Configurations, budget: float | None, generator: np.random.Generator
    ) -> Evaluation:
        """Train one model per configuration; draws nothing from the generator.

        `info` has the epochs that were trained and the test error of the weights with the smallest validation error.

        Raises:
            UserError: a budget was given; this benchmark has none.
        """
        check_budget(self.fidelity, budget)
        losses, costs, info = [], [], []
        for configuration in configurations:
            start = time.process_time()
            loss, test_error, epochs = self._train(configuration)
            losses.append(loss)
            costs.append(time.process_time() - start)
            info.append({"test_error": test_error, "epochs": epochs})
        return Evaluation(np.array(losses), np.array(costs), tuple(info))

    def _train(self, configuration: Mapping[str, Any]) -> tuple[float, float, int]:
        """Smallest validation error, the test error there, and epochs trained."""
        X, y = self.train
        size = int(configuration["batchsize"])
        rate, decay = np.float32(configuration["lrate"]), np.float32(configuration["l2_reg"])
        batches = len(y) // size
        targets = np.eye(self.classes, dtype=np.float32)[y]
        W, b = np.zeros((X.shape[1], self.classes), np.float32), np.zeros(self.classes, np.float32)
        best, test_error, patience, epochs = np.inf, np.nan, PATIENCE, 0
        with np.errstate(over="ignore", invalid="ignore"):
            for epoch in range(1, int(configuration["n_epochs"]) + 1):
                last = (epoch + 1) * batches - 1  # number of the epoch's last minibatch: HPOlib's first epoch is 1
                if patience < last:  # it would stop inside this epoch, before it validates
                    break
                for batch in range(batches):
                    rows = slice(batch * size, (batch + 1) * size)
                    residual = _softmax(X[rows] @ W + b) - targets[rows]
                    W -= rate * (X[rows].T @ residual / np.float32(size) + 2 * decay * W)
                    b -= rate * residual.mean(0)
                epochs = epoch
                error = _error(W, b, *self.validation)
                if error < best:
                    if error < best * IMPROVEMENT:
                        patience = max(patience, last * PATIENCE_FACTOR)
                    best, test_error = error, _error(W, b, *self.test)
                if patience <= last or not np.isfinite(W).all():  # a diverged model predicts the same forever
                    break
        return best, test_error, epochs


def logistic_regression_mnist10k(download: bool = True) -> LogisticRegression:
    """The benchmark on the 10,000 test images of MNIST.

    Raises:
        DataUnavailableError: the images are in none of the catalogue's places.
    """
    images = load("mnist_test", download=download)
    rows = train_validation_test_split(len(images.y), [SPLIT_SEED])
    X = images.X.astype(np.float32) / 256
    train, validation, test = ((X[part[0]], images.y[part[0]]) for part in rows)
    return LogisticRegression("logistic_regression_mnist10k", train, validation, test, len(images.classes))


def _softmax(scores: NDArray[np.float32]) -> NDArray[np.float32]:
    """Row by row, (n, classes), in place."""
    scores -= scores.max(1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(1, keepdims=True)
    return scores


def _error(W: NDArray[np.float32], b: NDArray[np.float32], X: NDArray[np.float32], y: NDArray[np.int64]) -> float:
    """The share of wrong predictions."""
    return float(((X @ W + b).argmax(1) != y).mean())


GRID = {
    "max_depth": (2, 4, 8, 16, 32),
    "max_features": (0.05, 0.1, 0.3, 0.6, 1.0),
    "min_samples_split": (2, 5, 15, 40),
}
TREES = 30
SEEDS = 2**31


@dataclass(frozen=True)
class ForestTuning:
    """The benchmark on given parts, each inputs (n, d) and classes (n,); a noisy `Objective`."""

    name: str
    train: Part = field(repr=False)
    validation: Part = field(repr=False)
    fidelity: Fidelity | None = None
    optimum: float | None = None
    worst_loss: float = 1.0

    @property
    def space(self) -> ConfigurationSpace:
        """One ordinal per hyperparameter."""
        space = ConfigurationSpace(name="random forest")
        space.add(*(OrdinalHyperparameter(name, values) for name, values in GRID.items()))
        return space

    def evaluate(
        self, configurations: Configurations, budget: float | None, generator: np.random.Generator
    ) -> Evaluation:
        """Grow and validate one forest per configuration; the generator gives the seeds.

        Raises:
            UserError: a budget was given.
        """
        check_budget(self.fidelity, budget)
        losses, costs = [], []
        for configuration in configurations:
            seed, start = int(generator.integers(SEEDS)), time.process_time()
            forest = RandomForestClassifier(TREES, random_state=seed, n_jobs=1, **configuration).fit(*self.train)
            losses.append(1 - forest.score(*self.validation))
            costs.append(time.process_time() - start)
        return Evaluation(np.array(losses), np.array(costs), tuple({} for _ in losses))


def forest_tuning(dataset: str, most_points: int | None = None) -> ForestTuning:
    """The benchmark on a set of the catalogue, split and encoded as `core.objectives.svm` does; raises as it does."""
    parts: SVM = svm(dataset, most_points=most_points)
    return ForestTuning(f"forest_{dataset}", parts.train, parts.validation)
