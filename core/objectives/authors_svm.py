"""Support vector machines on MNIST as the authors of Fabolas recorded them: their grid, and their surrogate of it.

* `authors_svm_grid()`: 400 machines, each on ten shares of the 50,000 training points (thesis 4.2): a finite table.
* `authors_svm_surrogate()`: the two forests that Figs 4.5 and 6.3 of the thesis ran on, ten trees each over log C,
  log gamma and s, for every machine and every share between. The incumbents of the authors' runs have its values.

Both have C and gamma of thesis Table 4.1, cost seconds of training, and no noise.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from core.data import CorruptDataError, load_frame
from core.objectives.forest import Cells
from core.objectives.hpolib import GridTable
from core.objectives.svm_space import BOUND, SMALLEST_SHARE
from core.objectives.svm_surrogate import SVMSurrogate

VALUES = 20
"""Of log C and of log gamma, evenly spaced."""


@lru_cache(maxsize=1)
def authors_svm_surrogate(download: bool = True) -> SVMSurrogate:
    """The authors' forests; the smallest error with all training points is 0.0150458.

    On one thread, two million machines a second are looked up as an array (`look_up`), one million as dictionaries.

    Raises:
        DataUnavailableError: a file is in none of the catalogue's places.
    """
    error, time = (
        Cells(load_frame(f"authors_svm_surrogate_{part}", download=download), dimension=3) for part in ("error", "cost")
    )
    return SVMSurrogate(error, time, np.unique(error.corners[:, :2], axis=0), SMALLEST_SHARE, logarithmic=False)


def authors_svm_grid(download: bool = True) -> GridTable:
    """The authors' grid: optimum 0.015 with all training points.

    Shares and logarithms of C and gamma, which the file has with six decimals, are those that they round.

    Raises:
        DataUnavailableError: the file is in none of the catalogue's places.
        CorruptDataError: a machine that is missing on a share.
    """
    frame = load_frame("authors_svm_mnist_grid", download=download)
    axis = np.linspace(-BOUND, BOUND, VALUES)
    places = [
        np.rint((frame[name] + BOUND) / (2 * BOUND) * (VALUES - 1)).astype(int) for name in ("log_c", "log_gamma")
    ]
    exponents = np.rint(np.log2(frame["s"])).astype(int)
    shares = np.unique(exponents)
    losses, costs = np.full((2, VALUES, VALUES, len(shares)), np.nan)
    cells = *places, np.searchsorted(shares, exponents)
    losses[cells], costs[cells] = frame["valid_error"], frame["seconds"]
    if missing := np.isnan(losses).sum():
        raise CorruptDataError(f"authors_svm_mnist_grid: {missing} of {losses.size} machines are missing")
    values = tuple(np.exp(axis).tolist())
    budgets = tuple((2.0**shares).tolist())
    return GridTable(
        "authors_svm_grid", {"C": values, "gamma": values}, losses, costs, "share of the training data", budgets
    )
