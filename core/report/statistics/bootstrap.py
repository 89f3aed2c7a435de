"""The bootstrap (Efron 1979): an interval for any statistic of the runs, all resamples at once.

The ends are percentiles of the resamples, further out the fewer runs there are: see `core.report.statistics.student`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from core.foundation.errors import UserError
from core.report.statistics import student

COLUMNS = 64  # columns whose medians are computed together: their counts fit into a processor's cache
BLOCK = 2_000_000  # numbers resampled at once, which bounds the memory that a bootstrap takes
KEPT = 16  # sets of picks that are kept for other samples of as many runs
LARGEST_KEPT = 8_000_000  # numbers in one of them


class Interval(NamedTuple):
    """A statistic of the runs and the ends of its bootstrap interval."""

    estimate: float
    low: float
    high: float

    @classmethod
    def exact(cls, value: float) -> Interval:
        """The interval of a value that was not sampled."""
        return cls(value, value, value)

    def text(self, digits: str = ".3g") -> str:
        """`estimate [low, high]` in a number format; a leading + in the format applies to the estimate alone."""
        low, high = (format(end, digits.removeprefix("+")) for end in (self.low, self.high))
        return f"{self.estimate:{digits}} [{low}, {high}]"


def bootstrap_interval(
    samples: ArrayLike | tuple[ArrayLike, ...],
    statistic: Callable[..., np.ndarray],
    generator: np.random.Generator | int,
    n: int = 10_000,
    paired: bool = False,
    level: float = 0.95,
    of_means: bool = False,
) -> Interval:
    """Bootstrap interval of a statistic of the runs.

    Args:
        samples: One array (runs, ...) or a tuple of them, the repetitions first.
        statistic: Vectorized function of arrays (batch, runs, ...), one for each sample, that returns (batch,).
        generator: A generator or a seed.
        n: Number of resamples.
        paired: Whether to draw the same runs from all samples (which share seeds and splits), not independent ones.
        of_means: Whether the statistic takes the samples' means over the runs, (batch, ...), instead. For long samples
            these are computed much faster than the resamples themselves.
    """
    (interval,) = bootstrap_intervals(
        samples, lambda *drawn: statistic(*drawn)[:, None], generator, n, paired, level, of_means
    )
    return interval


def bootstrap_intervals(
    samples: ArrayLike | tuple[ArrayLike, ...],
    statistics: Callable[..., np.ndarray],
    generator: np.random.Generator | int,
    n: int = 10_000,
    paired: bool = False,
    level: float = 0.95,
    of_means: bool = False,
    of_medians: bool = False,
) -> list[Interval]:
    """The same for several statistics of the same resamples: `statistics` returns (batch, k).

    Args:
        of_medians: Whether the statistics take the samples' medians over the runs, as with `of_means`.
    """
    return intervals_of(*bootstrap_draws(samples, statistics, generator, n, paired, of_means, of_medians), level)


def bootstrap_draws(
    samples: ArrayLike | tuple[ArrayLike, ...],
    statistics: Callable[..., np.ndarray],
    generator: np.random.Generator | int,
    n: int = 10_000,
    paired: bool = False,
    of_means: bool = False,
    of_medians: bool = False,
) -> tuple[np.ndarray, np.ndarray, int]:
    """What these intervals are made of: k statistics of n resamples (n, k) and of the samples (k,), and the runs."""
    arrays = [np.asarray(s, dtype=float) for s in (samples if isinstance(samples, tuple) else (samples,))]
    runs = [a.shape[0] for a in arrays if a.ndim]
    if len(runs) < len(arrays) or min(runs) < 1:
        raise UserError("bootstrap samples: each must have at least one run on its first axis")
    if paired and len(set(runs)) > 1:
        raise UserError(f"paired bootstrap: samples of {runs} runs; allowed: the same number of runs in each")
    resample = means_of if of_means else medians_of if of_medians else operator.getitem
    block = max(1, BLOCK // sum(len(a) if of_medians else a.size for a in arrays))
    drawn = _picks(generator, tuple(runs), paired, n, block)
    values = [statistics(*map(resample, arrays, picks)) for picks in drawn]
    estimate = statistics(*(resample(a, np.arange(r)[None]) for a, r in zip(arrays, runs, strict=True)))[0]
    return np.concatenate(values), estimate, min(runs)


def _picks(
    generator: np.random.Generator | int, runs: tuple[int, ...], paired: bool, n: int, block: int
) -> Iterable[list[np.ndarray]]:
    """The runs that n resamples draw, block by block: (size, r) for each of the samples of r runs.

    Those of a seed are the same for all samples of as many runs, and drawing them takes as long as many a statistic, so
    they are kept.
    """
    kept = not isinstance(generator, np.random.Generator) and n * sum(runs) <= LARGEST_KEPT
    return (_kept_picks if kept else _draw_picks)(generator, runs, paired, n, block)


@lru_cache(maxsize=KEPT)
def _kept_picks(seed: int, runs: tuple[int, ...], paired: bool, n: int, block: int) -> list[list[np.ndarray]]:
    small = np.min_scalar_type(max(runs))
    return [[picks.astype(small) for picks in drawn] for drawn in _draw_picks(seed, runs, paired, n, block)]


def _draw_picks(
    generator: np.random.Generator | int, runs: tuple[int, ...], paired: bool, n: int, block: int
) -> Iterator[list[np.ndarray]]:
    generator = np.random.default_rng(generator)
    for start in range(0, n, block):
        size = min(block, n - start)
        if paired:
            yield [generator.integers(runs[0], size=(size, runs[0]))] * len(runs)
        else:
            yield [generator.integers(r, size=(size, r)) for r in runs]


def intervals_of(drawn: np.ndarray, estimate: np.ndarray, runs: int, level: float = 0.95) -> list[Interval]:
    """The intervals of k statistics whose resamples were drawn; arguments as for `student.ends`."""
    low, high = student.ends(drawn, estimate, runs, level)
    return [Interval(*map(float, ends)) for ends in zip(estimate, low, high, strict=True)]


def means_of(values: np.ndarray, picks: np.ndarray) -> np.ndarray:
    """Means over resamples, values[picks].mean(1), computed from how often each run was drawn.

    Args:
        values: Numbers (runs, ...), finite or not.
        picks: The runs that each resample draws, (batch, size).

    Returns:
        (batch, ...), equal up to rounding.
    """
    flat, size = values.reshape(len(values), -1), picks.shape[1]
    finite = np.isfinite(flat).all(axis=0)
    means = (counts_of(picks, len(values)) @ np.where(finite, flat, 0.0)) / size
    if not finite.all():  # 0 times infinity is nan
        means[:, ~finite] = flat[:, ~finite][picks].mean(axis=1)
    return means.reshape(len(picks), *values.shape[1:])


def medians_of(values: np.ndarray, picks: np.ndarray) -> np.ndarray:
    """Medians over resamples, values[picks], computed as `means_of` does: runs are sorted once, and then counted."""
    flat, size = values.reshape(len(values), -1), picks.shape[1]
    # What takes time is memory, so the counts take as few bytes as they can.
    counts = counts_of(picks, len(values)).T.astype(np.min_scalar_type(size))
    medians = np.empty((len(picks), flat.shape[1]))
    for start in range(0, flat.shape[1], COLUMNS):
        columns = slice(start, start + COLUMNS)
        order = np.argsort(flat[:, columns], axis=0)
        medians[:, columns] = _medians(np.take_along_axis(flat[:, columns], order, axis=0), order, counts, size)
    return medians.reshape(len(picks), *values.shape[1:])


def _medians(ranked: np.ndarray, order: np.ndarray, counts: np.ndarray, size: int) -> np.ndarray:
    """Medians (batch, k) of resamples of k columns, given these sorted and their orders, (runs, k), and the counts.

    From the smallest run to the largest, those drawn so far are counted in all resamples at once: the two middle ones
    are the first at which more than their ranks have been. Of an odd number of runs both are the same. Runs that come
    before the median of any resample are counted by one product of matrices.
    """
    middle = sorted({(size - 1) // 2, size // 2})
    first, reached = _before_medians(order, counts, middle[0])
    places = np.full((len(middle), *reached.shape), first, np.min_scalar_type(len(order)))
    for runs in order[first:]:
        reached += counts[runs]
        for place, rank in zip(places, middle, strict=True):
            before = reached <= rank
            place += before
        if not before.any():
            break
    low, high = (np.take_along_axis(ranked.T, places[end].astype(np.intp), axis=1) for end in (0, -1))
    return ((low + high) / 2).T


def _before_medians(order: np.ndarray, counts: np.ndarray, rank: int) -> tuple[int, np.ndarray]:
    """How many of the smallest runs can be skipped, and how often these were drawn, (k, batch).

    Their number in a resample is binomial, at most with the deviation sqrt(size) / 2. If five of these are too few for
    one of the resamples, nothing is skipped.
    """
    first = max(0, int(rank - 2.5 * np.sqrt(len(order))))
    if 4 * first < len(order):  # of few runs, nearly all are counted one by one
        return 0, np.zeros((order.shape[1], counts.shape[1]), counts.dtype)
    columns = np.arange(order.shape[1])[:, None]
    chosen = np.zeros((order.shape[1], len(order)), np.float32)
    chosen[columns, order[:first].T] = 1
    reached = (chosen @ counts.astype(np.float32)).astype(counts.dtype)
    return (first, reached) if reached.max(initial=0) <= rank else (0, np.zeros_like(reached))


def counts_of(picks: np.ndarray, runs: int) -> np.ndarray:
    """How often each of `runs` runs was drawn in resamples (batch, size), (batch, runs)."""
    numbers = picks + runs * np.arange(len(picks))[:, None]
    return np.bincount(numbers.ravel(), minlength=len(picks) * runs).reshape(-1, runs).astype(float)
