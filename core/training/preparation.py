"""Preparing a data set: constant inputs removed, three parts, everything in units of the training part.

Thesis 7.1: 60% of the rows for training, 20% for validation, 20% for testing; inputs (and targets of regression) have
mean 0 and standard deviation 1 in the training part. Section C.8 does not say how its sets were split; here it is the
same way.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from core.data import Dataset, Standardizer, load, train_validation_test_split
from core.foundation.errors import UserError
from core.tabular.table import TEST, TRAIN, VALID
from core.training.networks import Part, Parts


def prepare(dataset: Dataset, seed: int) -> tuple[Parts, NDArray[np.uint8]]:
    """The parts, and the part of each row of the set: TRAIN, VALID or TEST of `core.tabular.table`.

    Raises:
        UserError: no input varies, or there are too few rows for three parts.
    """
    X, y = dataset.X.astype(np.float64), dataset.y.astype(np.float64)
    varies = np.ptp(X, axis=0) > 0 if len(y) else np.zeros(X.shape[1], np.bool_)
    if len(y) < 5 or not varies.any():
        raise UserError(f"{dataset.name}: inputs {X.shape}; allowed: at least 5 rows and one input that varies")
    X = X[:, varies]
    rows = [part[0] for part in train_validation_test_split(len(y), [seed])]
    split = np.empty(len(y), np.uint8)
    for code, part in zip((TRAIN, VALID, TEST), rows, strict=True):
        split[part] = code
    X = Standardizer.fit(X[rows[0]]).transform(X)
    if not dataset.classes:
        y = Standardizer.fit(y[rows[0]], axis=-1).transform(y)
    train, validation, test = (Part(X[part].astype(np.float32), y[part].astype(np.float32)) for part in rows)
    return Parts(train, validation, test, classes=len(dataset.classes)), split


def load_tabular(name: str, download: bool = True) -> Dataset:
    """A set of Table 7.1; naval propulsion with the turbine's decay as an input, which gives the table's 15 inputs.

    Raises:
        DataUnavailableError: it is in none of the catalogue's places and cannot be downloaded.
    """
    dataset = load(name, download=download)
    if name != "naval":
        return dataset
    # The catalogue's table omits the decay; the simulator's grid restores it, since the rows are in order.
    turbine = 0.975 + 0.001 * (np.arange(len(dataset.y)) // 9 % 26)
    names = (*dataset.feature_names, "turbine_decay")
    return replace(dataset, X=np.column_stack([dataset.X, turbine]), feature_names=names)
