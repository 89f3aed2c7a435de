"""How much sooner one method reaches a level than another, with bounds if one of them never does.

The time t at which a cell's mean curve first reaches a level is known only up to a bound if its runs end before:

    log e <= log t <= infinity

A difference of such logarithms also has bounds; between a slow and a fast method it is the logarithm of a speed-up,

    log min(t_slow, e_slow) - log t_fast  <=  log speed-up  <=  log t_slow - log min(t_fast, e_fast)

Both bounds are bootstrapped. A claim holds if the whole range from the lower bound's interval to the upper bound's
lies in the region where it is true, and fails if the range lies outside.

For the median run, the time at which each run first reaches the level counts, even if a recommendation is worse again
later (`median_speedup`, `median_time`). A run that ends before is known up to a bound, and so are ratios of medians."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from core.report.runs.frames import cell_rows, split_runs
from core.report.runs.trajectories import end_of, over_time, times_of
from core.report.statistics.intervals import Interval, bootstrap_intervals
from core.report.verdicts.checks import Check, judge
from core.study.curves import time_to

SEED = 0
RESAMPLES = 1000
SHARES = {"end": 1.0, "half": 0.5, "quarter": 0.25, "eighth": 0.125}  # of a run's time, by the name of a level
POINTS = 320  # points in a grid of times: over four decades, steps of 3%
Average = Callable[..., np.ndarray]


@dataclass(frozen=True)
class Bounds:
    """Bounds of logarithms to base 10, (batch,) each."""

    low: np.ndarray
    high: np.ndarray

    def __sub__(self, other: Bounds) -> Bounds:
        return Bounds(self.low - other.high, self.high - other.low)


@dataclass(frozen=True)
class BoundedFactor:
    """A logarithm between two bounds, with the interval of each."""

    low: Interval
    high: Interval

    @property
    def value(self) -> float | str:
        """As a factor: a number if the bounds coincide, else what is known about it."""
        low, high = self.low.estimate, self.high.estimate
        if low == high:
            return float(10.0**low)
        if np.isinf(low) and np.isinf(high):
            return "unknown"
        if np.isinf(high):
            return f"> {10.0**low:.3g}"
        return f"< {10.0**high:.3g}" if np.isinf(low) else f"{10.0**low:.3g} to {10.0**high:.3g}"

    @property
    def ends(self) -> tuple[float, float]:
        """Ends of the whole range, as factors; nan where it is unbounded."""
        low, high = (10.0**end if np.isfinite(end) else np.nan for end in (self.low.low, self.high.high))
        return float(low), float(high)

    def __str__(self) -> str:
        low, high = ("?" if np.isnan(end) else f"{end:.3g}" for end in self.ends)
        return f"{shown(self.value)} [{low}, {high}]"


@dataclass(frozen=True)
class Curves:
    """A cell's runs on a grid of times (m,), (runs, m); infinite before its first incumbent."""

    values: np.ndarray
    times: np.ndarray
    end: float
    average: Average = np.mean

    @classmethod
    def of(cls, rows: pd.DataFrame, times: np.ndarray, metric: str = "regret", average: Average = np.mean) -> Curves:
        values = over_time(rows, times, metric)
        values[:, times < rows["finished"].min()] = np.inf
        return cls(values, times, end_of(rows), average)

    def log_time(self, averages: np.ndarray, level: float | np.ndarray) -> Bounds:
        """When averages (batch, m) reach a level, which is the same for all or one each."""
        reached = time_to(averages, self.times, np.broadcast_to(level, len(averages)))
        return Bounds(np.log10(np.where(np.isinf(reached), self.end, reached)), np.log10(reached))

    def at(self, averages: np.ndarray, time: float) -> np.ndarray:
        """Averages (batch, m) at a time, (batch,)."""
        return averages[:, max(int(np.searchsorted(self.times, time, side="right")) - 1, 0)]


@dataclass(frozen=True)
class Pair:
    """A slow and a fast cell, and the level that both should reach.

    Attributes:
        level: A number; "end" for the average of `slow` when its runs end, "half", "quarter" or "eighth" for that at
            such a share of the time.
    """

    slow: Curves
    fast: Curves
    level: float | str

    @classmethod
    def of(
        cls,
        frame: pd.DataFrame,
        benchmark: str,
        slow: str,
        fast: str,
        level: float | str,
        metric: str = "regret",
        average: Average = np.mean,
    ) -> Pair:
        """The pair of cells on one benchmark.

        Raises:
            NotRunError: one of the two was not run.
        """
        rows = [cell_rows(frame, benchmark, method) for method in (slow, fast)]
        times = times_of(frame, benchmark, [slow, fast], POINTS)
        first, second = (Curves.of(each, times, metric, average) for each in rows)
        return cls(first, second, level)

    def log_speedup(self, slow: np.ndarray, fast: np.ndarray) -> Bounds:
        """Bounds of the logarithm of the speed-up, from averages (batch, m) of each cell."""
        level = self.slow.at(slow, self.slow.end * SHARES[self.level]) if isinstance(self.level, str) else self.level
        return self.slow.log_time(slow, level) - self.fast.log_time(fast, level)


def shown(value: float | str) -> str:
    """A factor to three digits, or what is known about it."""
    return value if isinstance(value, str) else f"{value:.3g}"


def bounded_factor(cells: Sequence[Curves], statistic: Callable[..., Bounds]) -> BoundedFactor:
    """Both bounds of a statistic of cells' averages (batch, m), with their intervals, from the same resamples."""
    (factor,) = bounded_factors(cells, lambda *drawn: [statistic(*drawn)])
    return factor


def bounded_factors(cells: Sequence[Curves], statistics: Callable[..., list[Bounds]]) -> list[BoundedFactor]:
    """The same for several statistics of the same resamples."""
    averages = {cell.average for cell in cells}
    if len(averages) > 1:
        raise ValueError("cells are averaged in different ways; allowed: all by their means, or all by their medians")

    def bounds(*drawn: np.ndarray) -> np.ndarray:
        return np.stack([side for each in statistics(*drawn) for side in (each.low, each.high)], axis=1)

    samples, medians = tuple(cell.values for cell in cells), averages == {np.median}
    intervals = bootstrap_intervals(samples, bounds, SEED, RESAMPLES, of_means=not medians, of_medians=medians)
    return [BoundedFactor(*both) for both in zip(intervals[::2], intervals[1::2], strict=True)]


def of_speedups(pairs: Sequence[Pair], combine: Callable[[list[Bounds]], Bounds]) -> BoundedFactor:
    """A combination of the speed-ups of several pairs; a cell that is in several of them is resampled once for all."""
    cells = {id(cell): cell for pair in pairs for cell in (pair.slow, pair.fast)}

    def statistic(*averages: np.ndarray) -> Bounds:
        of = dict(zip(cells, averages, strict=True))
        return combine([pair.log_speedup(of[id(pair.slow)], of[id(pair.fast)]) for pair in pairs])

    return bounded_factor(list(cells.values()), statistic)


def speedup(pair: Pair) -> BoundedFactor:
    """The time of `slow` over that of `fast`."""
    return of_speedups([pair], lambda bounds: bounds[0])


def estimate(pair: Pair) -> float | str:
    """The speed-up without an interval, in the form of `BoundedFactor.value`."""
    bounds = pair.log_speedup(*(cell.average(cell.values, axis=0)[None] for cell in (pair.slow, pair.fast)))
    return BoundedFactor(*(Interval.exact(float(side[0])) for side in (bounds.low, bounds.high))).value


def median(bounds: Sequence[Bounds]) -> Bounds:
    """Bounds of the median of several numbers between bounds."""
    return Bounds(np.median([b.low for b in bounds], axis=0), np.median([b.high for b in bounds], axis=0))


def spread(bounds: Sequence[Bounds]) -> Bounds:
    """Bounds of the largest less the smallest."""
    lows, highs = np.array([b.low for b in bounds]), np.array([b.high for b in bounds])
    return Bounds(np.maximum(lows.max(0) - highs.min(0), 0), highs.max(0) - lows.min(0))


def judge_factor(factor: BoundedFactor, between: tuple[float, float], detail: str = "") -> Check:
    """The check of a claim that a factor lies between two others."""
    lower, upper = (np.log10(end) if end > 0 else -np.inf for end in between)
    check = judge(Interval(factor.low.estimate, factor.low.low, factor.high.high), lower, upper)
    low, high = factor.ends
    if np.isnan(low) or np.isnan(high):
        low = high = np.nan
    lower, upper = between
    return replace(check, ours=factor.value, low=low, high=high, lower=lower, upper=upper, detail=f"{detail}{factor}")


def times_to_level(rows: pd.DataFrame, level: float, metric: str = "regret") -> np.ndarray:
    """When each of a cell's runs first reached a level, and when it ended, (runs, 2); infinite where it never did."""
    runs = split_runs(rows, "finished", metric)
    return np.array([(float(time_to(values, times, level)), times[-1]) for times, values in runs])


def median_speedup(
    frame: pd.DataFrame, benchmark: str, slow: str, fast: str, level: float, metric: str = "regret"
) -> BoundedFactor:
    """The median time of `slow` over that of `fast`, as logarithms to base 10.

    Raises:
        NotRunError: one of the two was not run.
    """
    samples = tuple(times_to_level(cell_rows(frame, benchmark, method), level, metric) for method in (slow, fast))

    def bounds(*drawn: np.ndarray) -> np.ndarray:
        reached = [np.log10(np.median(times[..., 0], axis=1)) for times in drawn]
        at_least = [np.log10(np.median(times.min(-1), axis=1)) for times in drawn]
        return np.stack([at_least[0] - reached[1], reached[0] - at_least[1]], axis=1)

    return BoundedFactor(*bootstrap_intervals(samples, bounds, SEED, RESAMPLES))


def median_time(
    frame: pd.DataFrame, benchmark: str, method: str, level: float, metric: str = "regret"
) -> BoundedFactor:
    """The median time at which a method's runs first reached a level, as a logarithm to base 10.

    Raises:
        NotRunError: it was not run.
    """
    times = times_to_level(cell_rows(frame, benchmark, method), level, metric)

    def bounds(drawn: np.ndarray) -> np.ndarray:
        return np.asarray(np.log10(np.stack([np.median(of, axis=1) for of in (drawn.min(-1), drawn[..., 0])], axis=1)))

    return BoundedFactor(*bootstrap_intervals((times,), bounds, SEED, RESAMPLES))
