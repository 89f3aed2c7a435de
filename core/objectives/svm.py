"""Support vector machines with a radial basis function kernel on subsets of a classification set (thesis 4.2, 4.5.2).

    benchmark = svm("letter")                                   # or svm_mnist(train_points=12_800)
    benchmark.evaluate([{"C": 1.0, "gamma": 0.05}], budget=1 / 16, generator=np.random.default_rng(0))

A budget is the share s of the N training points: round(s N) of them, drawn by shuffling before each evaluation
(section 4.4.5), train scikit-learn's `SVC`, and the loss is the share of validation points that it gets wrong. With s =
1 nothing is random. The cost is the processor seconds of training and validating.

The thesis says neither how inputs were scaled nor how its tables were split. Here pixels are divided by 255, the
columns of tables are standardized by the training rows, and a table is split into 60% for training, 20% for validation
and 20% for testing.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from ConfigSpace import ConfigurationSpace
from numpy.typing import NDArray
from sklearn.svm import SVC

from core.data import Dataset, Standardizer, load, train_validation_test_split
from core.foundation.errors import UserError
from core.objectives.base import Configurations, Evaluation, Fidelity
from core.objectives.svm_space import SMALLEST_SHARE, svm_space

SPLIT_SEED = 0
CACHE = 200  # megabytes of kernel values that libsvm keeps, scikit-learn's default

Part = tuple[NDArray[np.floating], NDArray[np.int64]]


@dataclass(frozen=True)
class SVM:
    """The benchmark on given parts, each inputs (n, d) and classes (n,); an `Objective`.

    Attributes:
        smallest: Smallest share of the training points that is a budget.

    Raises:
        UserError: a smallest share outside (0, 1], or one with fewer training points than there are classes.
    """

    name: str
    train: Part = field(repr=False)
    validation: Part = field(repr=False)
    test: Part = field(repr=False)
    smallest: float = SMALLEST_SHARE
    optimum: float | None = None
    worst_loss: float = 1.0

    def __post_init__(self) -> None:
        if not 0 < self.smallest <= 1:
            raise UserError(f"{self.name}: smallest share {self.smallest}; allowed: above 0, at most 1")
        points, n = size_of(self.smallest, len(self.train[1])), len(self.train[1])
        classes = len(np.unique(self.train[1]))
        if points < classes:
            raise UserError(
                f"{self.name}: a share of {self.smallest:g} of {n} training points is {points}; allowed: at least the "
                f"{classes} classes, a share of {classes / n:.2g}"
            )

    @property
    def space(self) -> ConfigurationSpace:
        """Table 4.1."""
        return svm_space()

    @property
    def fidelity(self) -> Fidelity:
        """The share of the training points."""
        return Fidelity("share of the training data", self.smallest, 1.0)

    def evaluate(
        self, configurations: Configurations, budget: float | None, generator: np.random.Generator
    ) -> Evaluation:
        """Train and validate one machine per configuration, each on a subset of its own.

        `info` has the number of training points.

        Raises:
            UserError: the budget is outside the fidelity's range.
            ValueError: a subset has one class only, which cannot be told from any other.
        """
        share = self.fidelity.checked(budget)
        losses, costs, info = [], [], []
        for configuration in configurations:
            rows = subset(len(self.train[1]), share, generator)
            start = time.process_time()
            losses.append(1 - self._fit(configuration, rows).score(*self.validation))
            costs.append(time.process_time() - start)
            info.append({"points": len(rows)})
        return Evaluation(np.array(losses), np.array(costs), tuple(info))

    def test_errors(self, configurations: Configurations) -> NDArray[np.float64]:
        """Share of test points that machines trained on all training points get wrong, (n,)."""
        everything = np.arange(len(self.train[1]))
        return np.array(
            [1 - self._fit(configuration, everything).score(*self.test) for configuration in configurations]
        )

    def _fit(self, configuration: Mapping[str, Any], rows: NDArray[np.int64]) -> SVC:
        X, y = self.train[0][rows], self.train[1][rows]
        if (y == y[0]).all():
            raise ValueError(f"{self.name}: the {len(y)} training points are all of class {y[0]}; needed: two classes")
        return SVC(C=configuration["C"], gamma=configuration["gamma"], cache_size=CACHE).fit(X, y)


def svm(dataset: str, smallest: float | None = None, most_points: int | None = None) -> SVM:
    """The benchmark on a classification set of the catalogue, at most `most_points` rows of it, drawn at random.

    Args:
        smallest: Smallest share of the training points; by default 1/512, doubled until it has a point for each class.

    Raises:
        UserError: the set is one of regression, or too small for its smallest share.
        DataUnavailableError: the set is in none of the catalogue's places.
    """
    data = load(dataset)
    if data.task != "classification":
        raise UserError(f"data set {dataset!r} is for {data.task}; allowed: classification")
    order = np.random.default_rng(SPLIT_SEED).permutation(len(data.y))[:most_points]
    parts = [order[rows[0]] for rows in train_validation_test_split(len(order), [SPLIT_SEED])]
    X = data.X.astype(np.float64)
    X = X / 255 if data.image_shape else Standardizer.fit(X[parts[0]]).transform(X)
    train, validation, test = ((X[rows], data.y[rows]) for rows in parts)
    if smallest is None:
        smallest = SMALLEST_SHARE
        while size_of(smallest, len(train[1])) < len(np.unique(train[1])):
            smallest *= 2
    return SVM(f"svm_{dataset}", train, validation, test, smallest)


def svm_mnist(train_points: int = 50_000, validation_points: int = 10_000, smallest: float = SMALLEST_SHARE) -> SVM:
    """The benchmark on MNIST: both parts drawn once from the 60,000 training images, and the 10,000 test images.

    Raises:
        UserError: more points than training images.
        DataUnavailableError: MNIST is in none of the catalogue's places.
    """
    data: Dataset = load("mnist")
    images = data.train_rows or 0
    if train_points + validation_points > images:
        raise UserError(
            f"{train_points} training and {validation_points} validation points; allowed: {images} images together"
        )
    order = np.random.default_rng(SPLIT_SEED).permutation(images)
    parts = order[:train_points], order[images - validation_points :], np.arange(images, len(data.y))
    train, validation, test = ((data.X[rows].astype(np.float64) / 255, data.y[rows]) for rows in parts)
    return SVM("svm_mnist", train, validation, test, smallest)


def size_of(share: float, points: int) -> int:
    """Number of training points in a share of them."""
    return max(1, round(share * points))


def subset(points: int, share: float, generator: np.random.Generator) -> NDArray[np.int64]:
    """Rows of a subset by shuffling; all rows in their order for a share of 1."""
    if share == 1:
        return np.arange(points)
    return generator.permutation(points)[: size_of(share, points)]
