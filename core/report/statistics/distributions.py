"""Empirical distributions, as figures draw them."""

from __future__ import annotations

import numpy as np


def ecdf(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The finite values among n in ascending order, and for each the share of all n that are at most as large.

    The share of values that are not finite, such as the errors of trainings that diverged, is missing at the right end.
    """
    shown = np.sort(values[np.isfinite(values)])
    return shown, np.arange(1, len(shown) + 1) / len(values)
