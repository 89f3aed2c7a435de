"""Validation errors and training times of support vector machines over grids of C and gamma (thesis 4.2).

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
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from sklearn.svm import SVC

from core.objectives.svm import CACHE, Part
from core.objectives.svm_space import BOUND

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
