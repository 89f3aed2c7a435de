"""Statistics for the bootstrap: from resampled runs (batch, runs, ...) to (batch, ...)."""

from __future__ import annotations

import numpy as np


def mean(values: np.ndarray) -> np.ndarray:
    """The mean over the runs."""
    return values.mean(1)


def geometric_mean(values: np.ndarray) -> np.ndarray:
    """The exponential of the mean logarithm of positive numbers over the runs."""
    return np.exp(np.log(values).mean(1))


def median(values: np.ndarray) -> np.ndarray:
    """The median over the runs."""
    return np.median(values, axis=1)


def mean_difference(above: np.ndarray, below: np.ndarray) -> np.ndarray:
    """The mean of the first less that of the second."""
    return above.mean(1) - below.mean(1)


def mean_ratio(above: np.ndarray, below: np.ndarray) -> np.ndarray:
    """The mean of the first over that of the second."""
    return above.mean(1) / below.mean(1)
