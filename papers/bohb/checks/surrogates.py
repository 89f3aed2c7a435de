"""Shapes of claims about the surrogates of fully connected networks (6, 6.3.1, 6.4.2.2, C.4 to C.6).

Times are full evaluations. The first functions say what the runs of any search cannot decide.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from core.experiment.results import Results
from core.optimizers.brackets import rung_budgets
from core.report import Check, NotRunError, all_of, bootstrap_interval, cell_rows, frame_of, judge, open_where, worded
from core.report.runs.trajectories import end_of, over_time, times_of
from core.report.verdicts.mean_comparisons import (
    SEED,
    Cells,
    as_factor,
    cells_of,
    ends_too_soon,
    logarithms,
    means,
    no_common_end,
    values_at,
)
from core.report.verdicts.shapes.searches import Learning, Level, lower_than, within_factor
from core.report.verdicts.shapes.shape import Benchmark, Experiments, Method, Methods, shape
from core.report.verdicts.speedups import (
    POINTS,
    Curves,
    Pair,
    bounded_factor,
    estimate,
    judge_factor,
    median,
    of_speedups,
    shown,
    spread,
)
from core.tabular.analysis import spearman
from papers.bohb.runs import DATA_SETS, RESOLUTION, SURROGATES

LEARNING = {"tpe": 30}
"""Full evaluations before which TPE, whose first 20 configurations are random, hardly has a model."""
ETA, FIRST_MODEL = 3, 14  # BOHB has a model after 2 N_min = 2 (d + 1) observations on a budget
LEVELS = ("eighth", "quarter", "half")  # medians of the slower runs at these shares of their time


def before_the_model(cells: Cells) -> str:
    """Why TPE cannot be compared, if it is among the cells and ends before it has a model; else empty."""
    return ends_too_soon(cells, LEARNING)


def cannot_compare(cells: Cells, time: float | None = None) -> str:
    """Why cells cannot be compared at a time, or at the end if it is None; empty if they can."""
    return no_common_end(cells, time) or before_the_model(cells)


@shape
def alike_before_the_model(
    results: Results,
    runs: Experiments,
    benchmark: Benchmark,
    first: Method,
    second: Method,
    factor: float,
    floor: float,
    learning: Learning,
) -> Check:
    """`within_factor` just before the first method's first model.

    That is when 14 configurations have been evaluated on the smallest budget, or later, where the first bracket has
    fewer of them: the many short runs, of three evaluations, then end before it.
    """
    rows = cell_rows(frame_of(results, *runs), benchmark, first)
    smallest, largest = rows[["smallest_budget", "largest_budget"]].iloc[0]
    at = min(FIRST_MODEL * rung_budgets(smallest, largest, ETA)[0] / largest, end_of(rows))
    return within_factor(results, runs, benchmark, first, second, factor, at, floor, learning)


@shape
def lower_at_the_end_of(
    results: Results,
    runs: Experiments,
    benchmark: Benchmark,
    better: Method,
    worse: Method,
    ends: Method,
    floor: float,
    learning: Learning,
) -> Check:
    """`lower_than` when the runs of one of the two end."""
    at = end_of(cell_rows(frame_of(results, *runs), benchmark, ends))
    return lower_than(results, runs, benchmark, better, worse, at, 1.0, floor, learning)


@shape
def ranks_alike(
    results: Results,
    runs: Experiments,
    reference: Benchmark,
    methods: Methods,
    at: float,
    floor: float,
    above: float,
) -> Check:
    """Rank correlation of the methods' regrets at a time, between one data set and each other; above a number."""
    frame, names = _sets_of(results, runs)
    if reference not in names:
        raise NotRunError(f"{runs[0]} on {reference}")
    ends = {name: logarithms(values_at(cells_of(frame, name, methods), at)[0], floor) for name in names}

    def correlation(*drawn: np.ndarray) -> np.ndarray:
        logs = means(drawn)
        pairs = zip(logs[: len(methods)].T, logs[len(methods) :].T, strict=True)
        return np.array([spearman(*pair) for pair in pairs])

    parts = []
    for name in names:
        if name != reference:
            interval = bootstrap_interval((*ends[reference], *ends[name]), correlation, SEED, n=1000)
            parts.append(worded(judge(interval, lower=above), f"{reference} and {name}"))
    return all_of(parts, _run(names))


@shape
def median_speed_up(
    results: Results, slow: Method, fast: Method, level: Level, above: float, below: float = math.inf
) -> Check:
    """The median speed-up over the data sets lies between two factors."""
    frame, names = _sets_of(results)
    pairs = {name: Pair.of(frame, name, slow, fast, level, average=np.median) for name in names}
    each = ", ".join(f"{name} {shown(estimate(pair))}" for name, pair in pairs.items())
    words = f"{fast} over {slow} on {len(names)} of {len(DATA_SETS)} sets: {each}; median "
    check = judge_factor(of_speedups(list(pairs.values()), median), (above, below), words)
    return open_where(check, _no_model(frame, names, [slow, fast]))


@shape
def as_much_faster_as_bohb(results: Results, methods: Methods, factor: float) -> Check:
    """Methods' speed-ups over random search and BOHB's over Hyperband, medians over the sets, are within a factor.

    They are speed-ups to the final regret of the slower method.
    """
    frame, names = _sets_of(results)
    checks = []
    for method in methods:
        compared = (("random", method), ("hyperband", "bohb"))
        pairs = [Pair.of(frame, name, *each, "end", average=np.median) for each in compared for name in names]
        ratio = of_speedups(pairs, lambda b: median(b[: len(names)]) - median(b[len(names) :]))
        words = f"{method} over random search, by BOHB over Hyperband: "
        check = judge_factor(ratio, (1 / factor, factor), words)
        checks.append(open_where(check, _no_model(frame, names, [method])))
    return all_of(checks, _run(names))


@shape
def faster_over_run(
    results: Results,
    runs: Experiments,
    benchmark: Benchmark,
    slow: Method,
    fast: Method,
    above: float,
    below: float = math.inf,
) -> Check:
    """A speed-up over the whole run lies between two factors.

    It is the median of the speed-ups to several levels, the slow runs' medians at three shares of their time: a search
    in coarse steps says little at a single level, or in means that a few runs dominate.
    """
    pair = Pair.of(frame_of(results, *runs), benchmark, slow, fast, LEVELS[0], average=np.median)
    pairs = [replace(pair, level=level) for level in LEVELS]
    words = f"{benchmark}, factor by which {fast} is faster than {slow}: "
    return judge_factor(of_speedups(pairs, median), (above, below), words)


@shape
def takes_seconds(
    results: Results,
    runs: Experiments,
    benchmark: Benchmark,
    method: Method,
    level: float,
    seconds: float,
    largest: float,
    factor: float,
) -> Check:
    """The mean of a method's runs reaches a level within a factor of so many seconds.

    Args:
        largest: Seconds of a full evaluation, in which our time is.
    """
    frame = frame_of(results, *runs)
    curves = Curves.of(cell_rows(frame, benchmark, method), times_of(frame, benchmark, [method], POINTS))
    time = bounded_factor([curves], lambda averages: curves.log_time(averages, level))
    budgets = seconds / largest
    return judge_factor(time, (budgets / factor, budgets * factor), f"{method}: ")


@shape
def alike_speedups(
    results: Results,
    runs: Experiments,
    benchmarks: tuple[Benchmark, ...],
    slow: Method,
    methods: Methods,
    factor: float,
) -> Check:
    """Each method's speed-ups on the data sets, after a quarter of the slow one's time, are within a factor."""
    frame, names = _sets_of(results, runs, benchmarks)
    if len(names) < 2:
        raise NotRunError(f"{runs[0]} on two data sets")
    checks = []
    for method in methods:
        pairs = [Pair.of(frame, name, slow, method, "quarter", average=np.median) for name in names]
        checks.append(judge_factor(of_speedups(pairs, spread), (0.0, factor), f"{method}, largest over smallest: "))
    return all_of(checks, _run(names, benchmarks))


@shape
def near_best(
    results: Results, runs: Experiments, benchmark: Benchmark, default: Method, methods: Methods, factor: float
) -> Check:
    """The default's final regret is below a factor times that of the best value."""
    place = methods.index(default)

    def statistic(*samples: np.ndarray) -> np.ndarray:
        logs = means(samples)
        return logs[place] - logs.min(0)

    return _final(frame_of(results, *runs), benchmark, methods, statistic, factor)


@shape
def all_alike(results: Results, runs: Experiments, benchmark: Benchmark, methods: Methods, factor: float) -> Check:
    """The worst value's final regret is below a factor times that of the best."""

    def statistic(*samples: np.ndarray) -> np.ndarray:
        return np.ptp(means(samples), axis=0)

    return _final(frame_of(results, *runs), benchmark, methods, statistic, factor)


@shape
def gains_late(
    results: Results, runs: Experiments, benchmark: Benchmark, better: Method, worse: Method, early: float
) -> Check:
    """One method gains more over another at the end than it does early.

    Where all runs of a cell are below the resolution at one of the times, a gain is known up to a bound only.
    """
    cells = cells_of(frame_of(results, *runs), benchmark, [worse, better])
    times = np.array([early, min(map(end_of, cells.values()))])
    samples = tuple(over_time(rows, times) for rows in cells.values())

    def statistic(other: np.ndarray, ours: np.ndarray) -> np.ndarray:
        first, last = (np.subtract(*means((other[..., i], ours[..., i]))) for i in (0, 1))
        return last - first

    interval = bootstrap_interval(logarithms(samples, RESOLUTION), statistic, SEED)
    detail = f"{benchmark}, gain at {times[1]:.4g} over that at {times[0]:.4g}: {as_factor(interval)}"
    check = judge(interval, lower=0, detail=detail)
    below = any((values <= RESOLUTION).all(0).any() for values in samples)
    short = cannot_compare(cells) or cannot_compare(cells, early)
    return open_where(check, short or (f"below {RESOLUTION:g}" if below else ""))


def _final(
    frame: pd.DataFrame, benchmark: str, methods: Sequence[str], statistic: Callable[..., np.ndarray], below: float
) -> Check:
    """Check that a statistic of the logarithms of regrets, where the first method ends, is below a factor."""
    cells = cells_of(frame, benchmark, methods)
    samples, at = values_at(cells)
    interval = bootstrap_interval(logarithms(samples, RESOLUTION), statistic, SEED)
    detail = f"{benchmark} at {at:.4g}: {as_factor(interval)} times the best"
    return open_where(judge(interval, upper=np.log10(below), detail=detail), cannot_compare(cells))


def _sets_of(
    results: Results, experiments: Sequence[str] = SURROGATES, wanted: Sequence[str] = tuple(DATA_SETS)
) -> tuple[pd.DataFrame, list[str]]:
    """The runs of experiments, and those of the wanted data sets that are among them.

    Raises:
        NotRunError: none of them was run.
    """
    frame = frame_of(results, *experiments)
    ran = set(frame["benchmark"].unique())
    names = [name for name in wanted if name in ran]
    if not names:
        raise NotRunError(experiments[0])
    return frame, names


def _run(names: Sequence[str], wanted: Sequence[str] = tuple(DATA_SETS)) -> str:
    return f"{len(names)} of {len(wanted)} sets run"


def _no_model(frame: pd.DataFrame, names: list[str], methods: list[str]) -> str:
    return "; ".join(filter(None, (before_the_model(cells_of(frame, name, methods)) for name in names)))
