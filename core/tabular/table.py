"""A table of trained networks (thesis chapter 7): the errors and training seconds of all configurations of a grid.

Arrays are in the order of the grid's positions: n configurations, R repetitions with seeds of their own, errors at
the B epochs that are stored in full. Errors are mean squared errors of standardized targets. If a training diverged
they are nan or infinite; averages over the repetitions (7.2) count such a configuration as infinitely bad.

Validation curves are stored in half precision, as roots of the errors: an error may be too large or too small for half
precision (6.5e4, 6e-8), while its root keeps three digits from 4e-9 to 4e9.

A table computed by a formula instead of training: for smoke runs and tests, not a result.

The error after t epochs falls from about 1 towards a floor that depends on the configuration,

    log floor = -3 + rate (i - j)^2 + batch + schedule + activations + 0.4 |w1 - 4| / 5 + 0.3 |w2 - 4| / 5 + dropouts
    error(t) = floor + (1 - floor) exp(-speed t / T),          speed = 4 + 2 i on the constant schedule, 6 on the cosine

with i and w the indices of the values, and j = 1, or 2 for batches above 16: rate and batch size interact. A repetition
multiplies it by lognormal noise that shrinks with t, and its test error by other noise. With the largest rate on the
constant schedule and batches of 8, the first repetition diverges after a third of the epochs.

`local_neighbourhood` has the best configuration and those that differ from it in one hyperparameter (thesis 7.3.2,
Tables 7.3 and D.1 to D.4).

Ordinal hyperparameters move to the next lower and the next higher value, categorical ones to every other value. With
y_new the average test error of the neighbour and y* that of the best, the relative change is (y_new - y*) / y*.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.foundation.errors import UserError
from core.tabular.grid import FULL_SHAPE, Grid
from core.tabular.values import CATEGORICAL, VALUES

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


REPETITIONS = 4
FEATURES = 10
DATASET = "synthetic"


def synthetic_table(grid: Grid, seed: int, epochs: tuple[int, ...] = (3, 11, 33, 100)) -> Table:
    """The formula over a grid; the same seed gives the same noise on the same grid."""
    generator = np.random.default_rng(seed)
    level = _full_levels(grid)
    rate, batch, schedule, first, second, wide_1, wide_2, drop_1, drop_2 = level.T
    best_rate = np.where(batch > 1, 2, 1)
    floor = np.exp(
        -3 + 0.15 * (rate - best_rate) ** 2 + 0.1 * batch + 0.5 * schedule + 0.3 * first + 0.2 * second
        + 0.08 * abs(wide_1 - 4) + 0.06 * abs(wide_2 - 4) + 0.2 * drop_1 + 0.1 * drop_2
    )  # fmt: skip
    speed = np.where(schedule == 1, 4 + 2 * rate, 6.0)
    time = np.arange(1, epochs[-1] + 1)
    mean = floor[:, None] + (1 - floor[:, None]) * np.exp(-speed[:, None] * time / epochs[-1])
    size = (grid.size, REPETITIONS, epochs[-1])
    noise = 0.2 * generator.standard_normal(size) / np.sqrt(1 + time)
    valid = mean[:, None] * np.exp(noise)
    diverged = (rate == len(VALUES["init_lr"]) - 1) & (schedule == 1) & (batch == 0)
    valid[diverged, 0, epochs[-1] // 3 :] = np.nan
    train = 0.9 * valid
    test = valid[..., -1] * np.exp(0.02 * generator.standard_normal(size[:2]))
    units_1, units_2 = (np.array(VALUES["n_units_1"])[wide] for wide in (wide_1, wide_2))
    parameters = (FEATURES + 1) * units_1 + (units_1 + 1) * units_2 + units_2 + 1
    seconds = (20 + parameters / 1000)[:, None] * 8 / 2.0 ** batch[:, None] * generator.uniform(0.9, 1.1, size[:2])
    stored = np.array(epochs) - 1
    return Table(
        dataset=DATASET,
        source="a formula",
        grid=grid,
        epochs=epochs,
        train_mse=np.float32(train[..., stored].swapaxes(1, 2)),
        valid_mse=np.float32(valid[..., stored].swapaxes(1, 2)),
        test_mse=np.float32(test),
        seconds=np.float32(seconds),
        parameters=parameters.astype(np.int64),
        curves=half_precision(valid),
    )


def _full_levels(grid: Grid) -> np.ndarray:
    """Indices of values in Table 7.2, (n, 9)."""
    return np.stack(np.unravel_index(grid.indices, FULL_SHAPE), axis=-1)


def neighbours(grid: Grid, position: int) -> list[int]:
    """The positions that differ in one hyperparameter by one step, in the order of the hyperparameters."""
    level = grid.levels([position])[0]
    positions = []
    for axis, (name, size) in enumerate(zip(grid.values, grid.shape)):
        here = int(level[axis])
        others = range(size) if name in CATEGORICAL else (here - 1, here + 1)
        for other in others:
            if other != here and 0 <= other < size:
                moved = level.copy()
                moved[axis] = other
                positions.append(int(np.ravel_multi_index(moved, grid.shape)))
    return positions


def local_neighbourhood(table: Table) -> pd.DataFrame:
    """The neighbourhood of the configuration that is best on the test data.

    Returns:
        hyperparameter, before, after, test_mse and one column per repetition (`test_mse_0`, ..), relative_change; the
        smallest change first, as the thesis lists them.
    """
    grid, best = table.grid, table.best
    (start,) = grid.configurations([best])
    rows = []
    for position in neighbours(grid, best):
        (configuration,) = grid.configurations([position])
        (name,) = (name for name in grid.values if configuration[name] != start[name])
        error = table.mean_final[position]
        rows.append(
            {
                "hyperparameter": name,
                "before": start[name],
                "after": configuration[name],
                "test_mse": error,
                **{f"test_mse_{i}": float(value) for i, value in enumerate(table.final_mse[position])},
                "relative_change": error / table.mean_final[best] - 1,
            }
        )
    return pd.DataFrame(rows).sort_values("relative_change", kind="stable", ignore_index=True)
