"""Random splits, one row of indices per run.

* 90/10, as Hernandez-Lobato and Adams (2015) and thesis section 3.5.2 split the UCI sets.
* 60/20/20, thesis section 7.1 (Table 7.1).

Sizes are rounded to the nearest integer, halves to even (Python's `round`): n_test = round(n * test_fraction) and the
rest is for training; for three parts the training and validation sizes are rounded and the rest is for testing. This
reproduces Table 7.1 except naval propulsion, whose three numbers sum to two rows more than there are (ours: 7160, 2387,
2387).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from core.foundation.errors import UserError

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
