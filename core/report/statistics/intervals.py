"""Intervals of statistics of the runs: the bootstrap (Efron 1979), Student's ends for few runs, Wilson's for shares.

The bootstrap draws all resamples at once; a statistic goes from resampled runs (batch, runs, ...) to (batch, ...).

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

Resamples of runs that all agree are all alike, so a bootstrap would call 10 of 10 runs a share of exactly 1. Wilson's
interval (1927) holds the shares p that a test of the count k of n does not reject,

    |k / n - p| <= z sqrt(p (1 - p) / n),

and reaches down to 0.72 for 10 of 10.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from core.foundation.errors import UserError

LEVEL = 0.95
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
    """The intervals of k statistics whose resamples were drawn; arguments as for `student_ends`."""
    low, high = student_ends(drawn, estimate, runs, level)
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
    means: np.ndarray = (counts_of(picks, len(values)) @ np.where(finite, flat, 0.0)) / size
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
    medians: np.ndarray = (low + high) / 2
    return medians.T


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


FEWEST = 6  # runs whose mean lies between the smallest and the largest of them with probability 0.97, 1 - 2^(1 - n)


def student_quantile(freedom: float, level: float) -> float:
    """t_{freedom}, of which Student's distribution has `level` within +- t."""
    from scipy.special import stdtrit  # takes a quarter of a second to import, and many figures do not need it

    return float(stdtrit(freedom, 0.5 + level / 2))


def student_ends(drawn: np.ndarray, estimate: np.ndarray, runs: int, level: float) -> tuple[np.ndarray, np.ndarray]:
    """The lower and the upper ends of the intervals of k statistics, (k,) each.

    Args:
        drawn: The statistics of resamples, (resamples, k).
        estimate: Those of the runs themselves, (k,).
        runs: Number of runs; if there are several samples, of the smallest one.
        level: The probability with which an interval covers the mean of normal runs.
    """
    if runs == 1:
        return np.full_like(estimate, -math.inf), np.full_like(estimate, math.inf)
    width = student_quantile(runs - 1, level) * math.sqrt(runs / (runs - 1))
    if runs < FEWEST:
        return _few_runs(drawn, estimate, width)
    beyond = NormalDist().cdf(-width)
    # Whole order statistics, rounded outwards: no interpolation, so infinite values (failed runs) stay what they are.
    return np.quantile(drawn, beyond, axis=0, method="lower"), np.quantile(drawn, 1 - beyond, axis=0, method="higher")


def _few_runs(drawn: np.ndarray, estimate: np.ndarray, width: float) -> tuple[np.ndarray, np.ndarray]:
    """Estimates plus and minus standard deviations of the resamples; infinite where resamples are not all finite."""
    finite = np.isfinite(drawn).all(axis=0)
    half = np.where(finite, width * np.where(finite, drawn, 0.0).std(axis=0), math.inf)
    half[np.isnan(drawn).any(axis=0)] = math.nan
    alike = (drawn == estimate).all(axis=0)  # infinite ones too
    centre = np.where(finite, estimate, 0.0)
    return np.where(alike, estimate, centre - half), np.where(alike, estimate, centre + half)


def mean(values: np.ndarray) -> np.ndarray:
    """The mean over the runs."""
    return np.asarray(values.mean(1))


def geometric_mean(values: np.ndarray) -> np.ndarray:
    """The exponential of the mean logarithm of positive numbers over the runs."""
    return np.asarray(np.exp(np.log(values).mean(1)))


def median(values: np.ndarray) -> np.ndarray:
    """The median over the runs."""
    return np.asarray(np.median(values, axis=1))


def mean_difference(above: np.ndarray, below: np.ndarray) -> np.ndarray:
    """The mean of the first less that of the second."""
    return np.asarray(above.mean(1) - below.mean(1))


def mean_ratio(above: np.ndarray, below: np.ndarray) -> np.ndarray:
    """The mean of the first over that of the second."""
    return np.asarray(above.mean(1) / below.mean(1))


def median_difference(above: np.ndarray, below: np.ndarray) -> np.ndarray:
    """The median of the first less that of the second."""
    return np.asarray(median(above) - median(below))


def median_ratio(above: np.ndarray, below: np.ndarray) -> np.ndarray:
    """The median of the first over that of the second."""
    return np.asarray(median(above) / median(below))


def share_interval(which: ArrayLike, level: float = LEVEL) -> Interval:
    """The share of true values among (n,), with Wilson's interval."""
    happened = np.asarray(which, dtype=bool)
    n, share = happened.size, float(happened.mean())
    z = NormalDist().inv_cdf(0.5 + level / 2)
    middle = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * math.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    return Interval(share, max(middle - half, 0.0), min(middle + half, 1.0))


def ecdf(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The finite values among n in ascending order, and for each the share of all n that are at most as large.

    The share of values that are not finite, such as the errors of trainings that diverged, is missing at the right end.
    """
    shown = np.sort(values[np.isfinite(values)])
    return shown, np.arange(1, len(shown) + 1) / len(values)
