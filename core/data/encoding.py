"""Encoding a table as numbers.

* A numeric column stays unchanged. Missing numbers (credit_approval and higgs have some) become the column's
  median over all rows, and a further column `NAME=missing` marks them, 1.0 or 0.0.
* A column of categories becomes one 0/1 column per category, `NAME=CATEGORY`, in alphabetical order; of two categories,
  only the second one, as the first is its complement. Missing is a category of its own, the last one.
* Categories written as numerals (the day in electricity) are numbers.
* Classes are coded 0..K-1 in the order of their labels, numerically if they are numbers.

The papers don't say how they encoded categories; OpenML's Python client, which they used, gives integer codes, which
put an order on categories that have none.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.data.errors import CorruptDataError


def encode_inputs(frame: pd.DataFrame) -> tuple[NDArray[np.float64], tuple[str, ...]]:
    """Inputs (n, d) and the names of their d columns."""
    columns, names = [], []
    for name in frame.columns:
        encode = _numbers if pd.api.types.is_numeric_dtype(frame[name]) else _categories
        for label, column in encode(str(name), frame[name]):
            names.append(label)
            columns.append(column)
    return np.column_stack(columns).astype(np.float64), tuple(names)


def encode_values(column: pd.Series, name: str) -> NDArray[np.float64]:
    """Regression targets (n,).

    Raises:
        CorruptDataError: missing, infinite or not numeric.
    """
    if not pd.api.types.is_numeric_dtype(column) or not np.isfinite(column.to_numpy(dtype=np.float64)).all():
        raise CorruptDataError(f"{name}: the target {column.name!r} has values that are not finite numbers")
    return column.to_numpy(dtype=np.float64)


def encode_classes(column: pd.Series, name: str) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    """Class codes (n,) and the K labels that they stand for.

    Raises:
        CorruptDataError: a missing label.
    """
    if column.isna().any():
        raise CorruptDataError(f"{name}: the target {column.name!r} has missing labels")
    codes, labels = pd.factorize(column, sort=True)
    return codes.astype(np.int64), tuple(_label(label) for label in labels)


def _numbers(name: str, column: pd.Series) -> list[tuple[str, NDArray]]:
    values = column.to_numpy(dtype=np.float64)
    missing = np.isnan(values)
    if not missing.any():
        return [(name, values)]
    middle = np.median(values[~missing]) if not missing.all() else 0.0
    return [(name, np.where(missing, middle, values)), (f"{name}=missing", missing)]


def _categories(name: str, column: pd.Series) -> list[tuple[str, NDArray]]:
    codes, labels = pd.factorize(column, sort=True)  # code -1: missing
    levels = [(f"{name}={label}", codes == code) for code, label in enumerate(labels)]
    if (codes == -1).any():
        levels.append((f"{name}=missing", codes == -1))
    return levels[1:] if len(levels) == 2 else levels


def _label(label: object) -> str:
    return str(int(label)) if isinstance(label, int | float | np.number) and float(label).is_integer() else str(label)
