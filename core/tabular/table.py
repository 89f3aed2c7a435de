"""A table of trained networks (thesis chapter 7): the errors and training seconds of all configurations of a grid.

Arrays are in the order of the grid's positions: n configurations, R repetitions with seeds of their own, errors at
the B epochs that are stored in full. Errors are mean squared errors of standardized targets. If a training diverged
they are nan or infinite; averages over the repetitions (7.2) count such a configuration as infinitely bad.

Validation curves are stored in half precision, as roots of the errors: an error may be too large or too small for half
precision (6.5e4, 6e-8), while its root keeps three digits from 4e-9 to 4e9.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.foundation.errors import UserError
from core.tabular.grid import Grid

EPOCHS = (3, 11, 33, 100)
"""Epochs stored in full: the budgets 3.7, 11.1, 33.3 and 100 of Hyperband with eta = 3, truncated."""
TRAIN, VALID, TEST = range(3)
"""The parts that `Table.split` names."""
LARGEST_ROOT = float(np.finfo(np.float16).max)


@dataclass(frozen=True)
class Table:
    """The errors and training times of every configuration of a grid.

    Attributes:
        dataset: Name of the data set in `core.data`.
        source: Origin of the errors, in words.
        grid: Grid of the configurations.
        epochs: Epochs (B,), ascending; training ends after the last.
        valid_mse: Validation errors, (n, B, R) float32.
        train_mse: Training errors, (n, B, R) float32; this and all that follow are None if not stored.
        test_mse: Test errors at the last epoch, (n, R) float32.
        seconds: Seconds of the whole training, (n, R) float32.
        parameters: Number of trainable parameters, (n,) int64.
        curves: Roots of the validation errors at epochs 1..E, (n, R, E) float16.
        split: Part to which each row of the data set belongs, (rows,) uint8: TRAIN, VALID or TEST.

    Raises:
        UserError: an array of another shape, epochs that do not ascend, or seconds that are negative or not finite.
    """

    dataset: str
    source: str
    grid: Grid
    epochs: tuple[int, ...]
    valid_mse: NDArray[np.float32] = field(repr=False)
    train_mse: NDArray[np.float32] | None = field(default=None, repr=False)
    test_mse: NDArray[np.float32] | None = field(default=None, repr=False)
    seconds: NDArray[np.float32] | None = field(default=None, repr=False)
    parameters: NDArray[np.int64] | None = field(default=None, repr=False)
    curves: NDArray[np.float16] | None = field(default=None, repr=False)
    split: NDArray[np.uint8] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if not self.epochs or list(self.epochs) != sorted(set(self.epochs)) or self.epochs[0] < 1:
            raise UserError(f"{self.dataset}: epochs {self.epochs}; allowed: ascending whole numbers from 1")
        n, b, r = self.grid.size, len(self.epochs), self.repetitions
        shapes = {"valid_mse": (n, b, r), "train_mse": (n, b, r), "test_mse": (n, r), "seconds": (n, r)}
        shapes |= {"parameters": (n,), "curves": (n, r, self.epochs[-1])}
        for name, shape in shapes.items():
            if (array := getattr(self, name)) is not None and array.shape != shape:
                raise UserError(f"{self.dataset}: {name} of shape {array.shape}; allowed: {shape}")
        if self.seconds is not None and not (np.isfinite(self.seconds) & (self.seconds >= 0)).all():
            raise UserError(f"{self.dataset}: seconds that are negative or not finite; allowed: numbers from 0")

    @property
    def repetitions(self) -> int:
        """R."""
        return self.valid_mse.shape[-1]

    @cached_property
    def mean_test(self) -> NDArray[np.float64]:
        """Average final test error, (n,)."""
        return mean_error(self._stored("test_mse"))

    @cached_property
    def mean_valid(self) -> NDArray[np.float64]:
        """Average validation error, (n, B)."""
        return mean_error(self.valid_mse)

    @cached_property
    def mean_train(self) -> NDArray[np.float64]:
        """Average training error, (n, B)."""
        return mean_error(self._stored("train_mse"))

    @cached_property
    def mean_seconds(self) -> NDArray[np.float64]:
        """Average training time, (n,)."""
        return self._stored("seconds").mean(axis=1, dtype=np.float64)

    @property
    def final_mse(self) -> NDArray[np.float32]:
        """The errors by which trained networks are compared, (n, R): test errors, or final validation errors."""
        return self.valid_mse[:, -1] if self.test_mse is None else self.test_mse

    @cached_property
    def mean_final(self) -> NDArray[np.float64]:
        """The average of `final_mse`, (n,)."""
        return mean_error(self.final_mse)

    @property
    def best(self) -> int:
        """The position of the configuration with the lowest average of `final_mse` (7.3.2), the first of ties."""
        return int(self.mean_final.argmin())

    @property
    def best_configuration(self) -> dict[str, Any]:
        return self.grid.configurations([self.best])[0]

    def valid_at(self, epoch: int) -> NDArray[np.float64]:
        """Validation error of every repetition after `epoch` epochs, (n, R): in full if stored, else the curve's.

        Raises:
            UserError: an epoch that is not stored.
        """
        if epoch in self.epochs:
            return self.valid_mse[:, self.epochs.index(epoch)].astype(np.float64)
        if self.curves is None or not 1 <= epoch <= self.epochs[-1]:
            known = f"1 to {self.epochs[-1]}" if self.curves is not None else ", ".join(map(str, self.epochs))
            raise UserError(f"{self.dataset}: epoch {epoch} is not stored; allowed: {known}")
        return self.curves[:, :, epoch - 1].astype(np.float64) ** 2

    def _stored(self, name: str) -> NDArray[Any]:
        if (array := getattr(self, name)) is None:
            raise UserError(f"{self.dataset}: {name} is not stored ({self.source})")
        return array


def mean_error(errors: NDArray[np.float32]) -> NDArray[np.float64]:
    """Average over the last axis, the repetitions; infinite if one of them diverged."""
    means = errors.mean(axis=-1, dtype=np.float64)
    return np.where(np.isnan(means), np.inf, means)


def half_precision(errors: NDArray[np.floating]) -> NDArray[np.float16]:
    """Validation errors as in `Table.curves`: roots in half precision, finite ones at most its largest number."""
    roots = np.sqrt(np.asarray(errors, dtype=np.float64))
    return np.where(np.isfinite(roots), np.minimum(roots, LARGEST_ROOT), roots).astype(np.float16)
