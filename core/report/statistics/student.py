"""Student's quantiles, and what a bootstrap interval needs of them: the ends of an interval from few runs.

Percentiles of resamples are too close together when runs are few. The mean of n normal runs lies within the 95%
percentile interval with probability 0.50 (n = 2), 0.75 (3), 0.85 (5) and 0.90 (10), for two reasons: resamples
have the variance with divisor n, and they have the quantiles of a normal distribution instead of Student's. Both are
mended by percentiles further out (Hesterberg, What Teachers Should Know About the Bootstrap, 2015, section 5.2): with

    Phi(-t_{n-1} sqrt(n / (n - 1)))

instead of 2.5% beyond each end. They stay order statistics, so a share stays within [0, 1] and the interval of a
logarithm is the logarithm of the interval. Resamples of fewer than six runs do not reach that far: they lie between
the smallest and the largest run, as the mean does with probability 1 - 2^(1-n) only. Their interval is Student's, the
estimate plus and minus t_{n-1} sqrt(n / (n - 1)) standard deviations of the resamples; a single run has no interval,
and its ends are infinite.
"""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np

FEWEST = 6  # runs whose mean lies between the smallest and the largest of them with probability 0.97, 1 - 2^(1 - n)


def quantile(freedom: float, level: float) -> float:
    """t_{freedom}, of which Student's distribution has `level` within +- t."""
    from scipy.special import stdtrit  # takes a quarter of a second to import, and many figures do not need it

    return float(stdtrit(freedom, 0.5 + level / 2))


def ends(drawn: np.ndarray, estimate: np.ndarray, runs: int, level: float) -> tuple[np.ndarray, np.ndarray]:
    """The lower and the upper ends of the intervals of k statistics, (k,) each.

    Args:
        drawn: The statistics of resamples, (resamples, k).
        estimate: Those of the runs themselves, (k,).
        runs: Number of runs; if there are several samples, of the smallest one.
        level: The probability with which an interval covers the mean of normal runs.
    """
    if runs == 1:
        return np.full_like(estimate, -math.inf), np.full_like(estimate, math.inf)
    width = quantile(runs - 1, level) * math.sqrt(runs / (runs - 1))
    if runs < FEWEST:
        return _student(drawn, estimate, width)
    beyond = NormalDist().cdf(-width)
    # Whole order statistics, rounded outwards: no interpolation, so infinite values (failed runs) stay what they are.
    return tuple(np.quantile(drawn, q, axis=0, method=m) for q, m in ((beyond, "lower"), (1 - beyond, "higher")))


def _student(drawn: np.ndarray, estimate: np.ndarray, width: float) -> tuple[np.ndarray, np.ndarray]:
    """Estimates plus and minus standard deviations of the resamples; infinite where resamples are not all finite."""
    finite = np.isfinite(drawn).all(axis=0)
    half = np.where(finite, width * np.where(finite, drawn, 0.0).std(axis=0), math.inf)
    half[np.isnan(drawn).any(axis=0)] = math.nan
    alike = (drawn == estimate).all(axis=0)  # infinite ones too
    centre = np.where(finite, estimate, 0.0)
    return np.where(alike, estimate, centre - half), np.where(alike, estimate, centre + half)
