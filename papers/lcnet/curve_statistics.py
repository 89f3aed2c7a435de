"""Statistics of collections of learning curves, which claims and the summary of the authors' curves share."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.report.statistics.reductions import median

SEED = 5
"""Seed of the resamples."""
BINS = 40
"""Bins of Fig B.1's histograms."""


def early_part_of_the_fall(means: NDArray[np.float64]) -> NDArray[np.float64]:
    """Part of the fall of mean curves that is done in the first half of the epochs, -inf where they rise.

    Args:
        means: Falls from the first epoch to the middle one and to the last, (batch, 2).

    Returns:
        (batch,).
    """
    half, fall = means.T
    return np.divide(half, fall, out=np.full_like(fall, -np.inf), where=fall > 0)


def mean_over_median(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Means of values (batch, n) over their medians, (batch,)."""
    return values.mean(1) / median(values)
