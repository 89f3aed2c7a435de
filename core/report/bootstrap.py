"""The percentile bootstrap (Efron 1979): an interval for any statistic of the runs, all resamples at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from core.errors import UserError

BLOCK = 2_000_000  # numbers resampled at once, which bounds the memory of a bootstrap


class Interval(NamedTuple):
    """A statistic of the runs and the ends of its bootstrap interval."""

    estimate: float
    low: float
    high: float


def bootstrap_interval(
    samples: ArrayLike | tuple[ArrayLike, ...],
    statistic: Callable[..., np.ndarray],
    generator: np.random.Generator | int,
    n: int = 10_000,
    paired: bool = False,
    level: float = 0.95,
) -> Interval:
    """Percentile bootstrap interval of a statistic of the runs.

    Args:
        samples: one array (runs, ...) or a tuple of them, the repetitions first.
        statistic: vectorised; takes arrays (batch, runs, ...), one for each sample, and returns (batch,).
        generator: a generator or a seed.
        n: number of resamples.
        paired: draw the same runs from all samples (they share seeds and splits) instead of independent ones.
    """
    arrays = [np.asarray(s, dtype=float) for s in (samples if isinstance(samples, tuple) else (samples,))]
    runs = [a.shape[0] for a in arrays if a.ndim]
    if len(runs) < len(arrays) or min(runs) < 1:
        raise UserError("bootstrap samples: each must have at least one run on its first axis")
    if paired and len(set(runs)) > 1:
        raise UserError(f"paired bootstrap: samples of {runs} runs; allowed: the same number of runs in each")
    generator = np.random.default_rng(generator)
    block = max(1, BLOCK // sum(a.size for a in arrays))
    values = []
    for start in range(0, n, block):
        size = min(block, n - start)
        if paired:
            picks = [generator.integers(runs[0], size=(size, runs[0]))] * len(arrays)
        else:
            picks = [generator.integers(r, size=(size, r)) for r in runs]
        values.append(statistic(*(a[pick] for a, pick in zip(arrays, picks, strict=True))))
    drawn = np.concatenate(values)
    # Whole order statistics, rounded outwards: no interpolation, so infinite values (failed runs) stay what they are.
    low = np.quantile(drawn, (1 - level) / 2, method="lower")
    high = np.quantile(drawn, (1 + level) / 2, method="higher")
    estimate = statistic(*(a[None] for a in arrays))
    return Interval(float(estimate[0]), float(low), float(high))
