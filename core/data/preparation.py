"""What every paper does with a data set first: split it, and scale it by its training part.

`Standardizer` gives zero mean and unit variance, for each run by its own training rows (thesis 7.1; Hernandez-Lobato
and Adams 2015).

    z = (x - mean) / scale          x = scale z + mean          Var[x] = scale^2 Var[z]

Works on both NumPy arrays and torch tensors, through the methods they share, so that importing core.data does not
import torch. The variance is that of the rows themselves (divided by n, not n - 1). A column that is constant on the
training rows has scale 1: it becomes zero there and stays finite elsewhere. The thesis says "dividing by the variance",
which its own errors rule out; we divide by the standard deviation.

Splits are random, one row of indices per run.

* 90/10, as Hernandez-Lobato and Adams (2015) and thesis section 3.5.2 split the UCI sets.
* 60/20/20, thesis section 7.1 (Table 7.1).

Sizes are rounded to the nearest integer, halves to even (Python's `round`): n_test = round(n * test_fraction) and the
rest is for training; for three parts the training and validation sizes are rounded and the rest is for testing. This
reproduces Table 7.1 except naval propulsion, whose three numbers sum to two rows more than there are (ours: 7160, 2387,
2387).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from core.foundation.errors import UserError

if TYPE_CHECKING:
    from torch import Tensor


Seeds = np.random.Generator | Sequence[np.random.Generator | int]


def train_test_split(n: int, test_fraction: float, generators: Seeds) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """One random split per run.

    Args:
        n: Number of rows.
        test_fraction: Share of the rows for testing, in (0, 1).
        generators: NumPy generators (or seeds), one per run; a single generator means one run.

    Returns:
        train (runs, n - n_test) and test (runs, n_test), n_test = round(n * test_fraction): indices in random order.

    Raises:
        UserError: a part would be empty, or there are no generators.
    """
    n_test = _size(n, test_fraction, "test_fraction")
    order = _permutations(n, generators)
    train, test = order[:, : n - n_test], order[:, n - n_test :]
    _require_rows(n, train=train, test=test)
    return train, test


def train_validation_test_split(
    n: int, generators: Seeds, train_fraction: float = 0.6, validation_fraction: float = 0.2
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """One random split into three parts per run; the rest of the rows is for testing.

    Args:
        n: Number of rows.
        generators: NumPy generators (or seeds), one per run; a single generator means one run.
        train_fraction, validation_fraction: Shares of the rows, each in (0, 1).

    Returns:
        train (runs, round(n * train_fraction)), validation (runs, round(n * validation_fraction)), test (runs, rest).

    Raises:
        UserError: a part would be empty, or there are no generators.
    """
    n_train = _size(n, train_fraction, "train_fraction")
    n_validation = _size(n, validation_fraction, "validation_fraction")
    order = _permutations(n, generators)
    train, validation, test = np.split(order, [n_train, n_train + n_validation], axis=1)
    _require_rows(n, train=train, validation=validation, test=test)
    return train, validation, test


def _size(n: int, fraction: float, name: str) -> int:
    if not 0.0 < fraction < 1.0:
        raise UserError(f"{name} is {fraction}; allowed: between 0 and 1")
    return round(n * fraction)


def _permutations(n: int, generators: Seeds) -> NDArray[np.int64]:
    """One random order of the rows per run, (runs, n)."""
    runs = [generators] if isinstance(generators, np.random.Generator) else list(generators)
    if not runs:
        raise UserError("no generators: one per run is needed")
    return np.stack([np.random.default_rng(run).permutation(n) for run in runs]).astype(np.int64)


def _require_rows(n: int, **parts: NDArray[np.int64]) -> None:
    for name, part in parts.items():
        if part.shape[1] == 0:
            raise UserError(f"{n} rows leave none for the {name} part; allowed: more rows")


Array = TypeVar("Array", np.ndarray[Any, Any], "Tensor")


@dataclass(frozen=True)
class Standardizer(Generic[Array]):
    """Location and scale of columns; `mean` and `scale` keep the reduced axis with length 1, ready to broadcast."""

    mean: Array
    scale: Array

    @classmethod
    def fit(cls, values: Array, axis: int = -2) -> Standardizer[Array]:
        """Learn from training rows.

        Args:
            values: Inputs (..., n, d) with the default axis, or targets (..., n) with axis -1; floats, finite.
            axis: Axis of the rows.

        Raises:
            ValueError: no rows.
        """
        rows = values.shape[axis]
        if rows == 0:
            raise ValueError(f"values of shape {tuple(values.shape)} have no rows along axis {axis} to standardize by")
        first = values[..., :1, :] if axis == -2 else values[..., :1]
        # Compared exactly: the mean of equal numbers is off by a rounding error, and so is their variance.
        constant = (values == first).all(axis, keepdims=True)
        mean = values.mean(axis, keepdims=True)
        scale = ((values - mean) ** 2).mean(axis, keepdims=True) ** 0.5
        mean = mean * ~constant + first * constant
        scale = scale * ~constant
        return cls(mean=mean, scale=scale + (scale == 0))  # also where the squares of tiny differences underflow

    def transform(self, values: Array) -> Array:
        """Values in standard units; any shape that broadcasts against `mean`."""
        return (values - self.mean) / self.scale

    def inverse(self, standardized: Array) -> Array:
        """Values, or means of predictions, back in original units."""
        return standardized * self.scale + self.mean

    def inverse_variance(self, variance: Array) -> Array:
        """Variances of predictions back in squared original units."""
        return variance * self.scale**2
