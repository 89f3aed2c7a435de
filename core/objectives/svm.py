"""Support vector machines with a radial basis function kernel on subsets of a classification set (thesis 4.2, 4.5.2).

    benchmark = svm("letter")                                   # or svm_mnist(train_points=12_800)
    benchmark.evaluate([{"C": 1.0, "gamma": 0.05}], budget=1 / 16, generator=np.random.default_rng(0))

A budget is the share s of the N training points: round(s N) of them, drawn by shuffling before each evaluation
(section 4.4.5), train scikit-learn's `SVC`, and the loss is the share of validation points that it gets wrong. With s =
1 nothing is random. The cost is the processor seconds of training and validating.

The thesis says neither how inputs were scaled nor how its tables were split. Here pixels are divided by 255, the
columns of tables are standardized by the training rows, and a table is split into 60% for training, 20% for validation
and 20% for testing.

Validation errors and training times of support vector machines over grids of C and gamma (thesis 4.2).

Errors for one gamma and many C come from a kernel matrix that is computed once from distances in single precision, its
rows sorted by class, so that the points of two classes are near each other in memory. Three facts save many fits:

* A machine whose dual coefficients are all below its C is also that of every larger C: its bounds are not active.
* Where one class is more frequent than every other, a machine that predicts it everywhere does so for every smaller C
  as well: the smaller C is, the less do the points weigh against the offset. This is no theorem; tests compare whole
  grids with plain fits.
* Where also the kernel of all pairs is zero, K = I, the machine of two classes predicts the sign of its offset b
  everywhere. With n+ > n- points it is b = 1 - C n-/n+ for C < 2 n+/(n+ + n-), then (n+ - n-)/(n+ + n-); both are
  positive. So the vote of all pairs goes to the most frequent class.

Times are those of plain `SVC.fit`, which computes the kernel itself.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from ConfigSpace import ConfigurationSpace
from numpy.typing import NDArray
from sklearn.svm import SVC

from core.data import Dataset, Standardizer, load, train_validation_test_split
from core.foundation.errors import UserError
from core.objectives.base import Configurations, Evaluation, Fidelity
from core.objectives.spaces import BOUND, SMALLEST_SHARE, svm_space

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


ZERO = 1e-6  # kernel values below this are zero: far below libsvm's tolerance of 1e-3


def grid_values(count: int) -> NDArray[np.float64]:
    """Values of C or gamma, (count,), evenly spaced in logarithms from e^-10 to e^10."""
    return np.exp(np.linspace(-BOUND, BOUND, count))


class Distances:
    """Squared distances among training points, and from validation points to them.

    Args:
        train, validation: Inputs (n, d) and classes (n,) of the training and of the validation points.

    Attributes:
        smallest: Smallest distance between two different points.
    """

    def __init__(self, train: Part, validation: Part) -> None:
        order = np.argsort(train[1], kind="stable")
        self.classes, self.validation_classes = train[1][order], validation[1]
        rows = train[0][order].astype(np.float32)
        self.train = squared_distances(rows, rows)
        self.validation = squared_distances(validation[0].astype(np.float32), rows)
        np.fill_diagonal(self.train, np.inf)
        self.smallest = float(min(self.train.min(), self.validation.min()))
        np.fill_diagonal(self.train, 0)

    def errors(self, gamma: float, C: Sequence[float]) -> NDArray[np.float64]:
        """Share of validation points that machines with this gamma get wrong, (len(C),); C must increase."""
        counts = np.bincount(self.classes)
        most_frequent, is_alone = counts.argmax(), (counts == counts.max()).sum() == 1
        errors = np.full(len(C), (self.validation_classes != most_frequent).mean())
        if is_alone and self.smallest * gamma > -np.log(ZERO):
            return errors
        among, to = kernel(self.train, gamma), kernel(self.validation, gamma)
        middle = len(C) // 2
        for number in range(middle, len(C)):
            machine = SVC(C=C[number], kernel="precomputed", cache_size=CACHE).fit(among, self.classes)
            errors[number:] = 1 - machine.score(to, self.validation_classes)
            if np.abs(machine.dual_coef_).max() < C[number]:
                break
        for number in range(middle - 1, -1, -1):
            machine = SVC(C=C[number], kernel="precomputed", cache_size=CACHE).fit(among, self.classes)
            predicted = machine.predict(to)
            errors[number] = (predicted != self.validation_classes).mean()
            if is_alone and (predicted == most_frequent).all():
                errors[:number] = errors[number]
                break
        return errors


def seconds(train: Part, C: float, gamma: float) -> float:
    """Processor seconds of training one machine."""
    start = time.process_time()
    SVC(C=C, gamma=gamma, cache_size=CACHE).fit(*train)
    return time.process_time() - start


def squared_distances(A: NDArray[np.float32], B: NDArray[np.float32]) -> NDArray[np.float32]:
    """|a - b|^2 of all pairs, (n, d) and (m, d) to (n, m)."""
    squared: NDArray[np.float32] = A @ B.T
    squared *= -2
    squared += (A * A).sum(1)[:, None]
    squared += (B * B).sum(1)
    return np.maximum(squared, 0, out=squared)


def kernel(distances: NDArray[np.float32], gamma: float) -> NDArray[np.float64]:
    """exp(-gamma |a - b|^2), in double precision."""
    values = distances.astype(np.float64)
    values *= -gamma
    return np.exp(values, out=values)
