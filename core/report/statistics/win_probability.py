"""The probability that a run of one method has a smaller value than a run of another, at several times.

Ties count half: regrets span orders of magnitude and are often 0 on a small table, where neither a mean nor a median of
logarithms says much. Methods draw from seeds of their own, so the runs of each are resampled separately.

With a method's n runs and another's m, W (times, n, m) holds 1 where a run of the first is smaller and 1/2 where both
are equal. Resamples that draw the runs A_bi and B_bj times have the probabilities sum_ij A_bi W_tij B_bj / (n m).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from core.report.statistics.bootstrap import Interval, bootstrap_interval, counts_of

SEED = 5
RESAMPLES = 1000


def wins(ours: np.ndarray, theirs: np.ndarray) -> np.ndarray:
    """W (times, n, m) of values (n, times) and (m, times); single precision holds the sums exactly up to 2^23 pairs."""
    a, b = ours.T[:, :, None], theirs.T[:, None, :]
    return ((a < b) + 0.5 * (a == b)).astype(np.float32)


def probabilities(matrix: np.ndarray, ours: np.ndarray, theirs: np.ndarray) -> np.ndarray:
    """The probability at each time, (batch, times), for resamples with draw counts (batch, n) and (batch, m)."""
    _, n, m = matrix.shape
    first, second = (
        counts_of(drawn.astype(int), runs).astype(matrix.dtype) for drawn, runs in ((ours, n), (theirs, m))
    )
    return np.stack([np.einsum("bm,bm->b", first @ at, second) for at in matrix], axis=1).astype(float) / (n * m)


def resampled_interval(statistic: Callable[..., np.ndarray], *runs: int) -> Interval:
    """A statistic of the draw counts of runs (batch, n), (batch, m), .. and its bootstrap interval."""
    return bootstrap_interval(tuple(np.arange(n) for n in runs), statistic, SEED, RESAMPLES)


def time_of_lead(probability: np.ndarray, times: np.ndarray, lead: float) -> np.ndarray:
    """The time after which all probabilities (batch, times) exceed `lead`, (batch,); infinite if never."""
    stays = np.logical_and.accumulate((probability > lead)[:, ::-1], axis=1)[:, ::-1]
    return np.where(stays[:, -1], times[stays.argmax(axis=1)], np.inf)
