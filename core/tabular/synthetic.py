"""A table computed by a formula instead of training: for smoke runs and tests, not a result.

The error after t epochs falls from about 1 towards a floor that depends on the configuration,

    log floor = -3 + rate (i - j)^2 + batch + schedule + activations + 0.4 |w1 - 4| / 5 + 0.3 |w2 - 4| / 5 + dropouts
    error(t) = floor + (1 - floor) exp(-speed t / T),          speed = 4 + 2 i on the constant schedule, 6 on the cosine

with i and w the indices of the values, and j = 1, or 2 for batches above 16: rate and batch size interact. A repetition
multiplies it by lognormal noise that shrinks with t, and its test error by other noise. With the largest rate on the
constant schedule and batches of 8, the first repetition diverges after a third of the epochs.
"""

from __future__ import annotations

import numpy as np

from core.tabular.grid import FULL_SHAPE, Grid
from core.tabular.table import Table, half_precision
from core.tabular.values import VALUES

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
