"""Shapes of the claims about optimizers on the tables: what 7.4.1 observes on a set, and the ends of runs (7.4.2).

A claim about several methods has a part for each of them; those that were not run are absent. Where an observation is
about the end of a set, the outcome is unknown for methods whose runs end before it.

How two methods compare, and whether one always ends alike, is judged on our own runs. A regret of 1e-3 is a number of
the thesis' table: on a part of the grid it is another one, and claims about it are `outside`. On our part most runs
find the best configuration, so every detail says how many are within 1e-3 of it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import Literal

import numpy as np
import pandas as pd

from core.experiment.results import Results
from core.optimizers.brackets import epochs_of_brackets
from core.report import Check, Interval, all_of, bootstrap_interval, contrary, judge, not_run, slightly, unknown, worded
from core.report.runs.frames import CellNotRunError
from core.report.statistics.comparisons import RESAMPLES, SEED, probabilities, resampled_interval, wins
from core.report.statistics.intervals import mean, share_interval
from core.report.style import label as method_label
from core.report.verdicts.checks import at_least
from core.report.verdicts.shapes.shape import Benchmark, Method, Methods, shape
from papers.tabular.checks.tables import if_whole
from papers.tabular.comparison import (
    AHEAD,
    END,
    METHODS,
    PROTEIN,
    alike,
    benchmarks_of,
    better,
    better_at_the_end,
    comparison_runs,
    durations,
    each,
    ends,
    is_short,
    later,
    probability,
    regret_at,
    together,
    unfinished,
)
from papers.tabular.trained_tables import LABELS, grid_table, label

At = float | Literal["end"]
ABOUT_AS_LONG = (0.8, 1.25)  # a ratio of times
BUDGETED = ("hyperband", "bohb")
BRACKETS, EVALUATIONS, MINIMUM_EPOCHS, EPOCHS, ETA = 125, 500, 3, 100, 3  # 7.4.1
TARGET, OFTEN = 1e-3, 0.6  # the test regret of 7.4.2, and the share of runs
REACH_OFTEN = ("bohamiann", "regularized_evolution", "tpe")
CONSISTENT = 0.9  # the share of runs from which a method counts as ending with the same regret


@shape
def alike_at(results: Results, benchmark: Benchmark, methods: Methods, other: Method, at: float) -> Check:
    """The probability that a run of a method is below one of another at a share of the end is near one half."""
    frame = runs_on(results, benchmark)
    return _of_each(frame, methods, lambda method: alike(frame, method, other, at, benchmark), benchmark)


@shape
def better_at(results: Results, benchmark: Benchmark, methods: Methods, other: Method, at: At = "end") -> Check:
    """The probability that a run of a method is below one of another is above one half.

    Args:
        at: Share of the end at which they are compared, or where the runs of either end; "end" leaves short runs open.
    """
    frame = runs_on(results, benchmark)

    def check(method: str) -> Check:
        if at == "end":
            return better_at_the_end(frame, method, other, benchmark)
        return better(frame, method, other, at, benchmark)

    return _of_each(frame, methods, check, benchmark)


@shape
def slightly_better(results: Results, benchmark: Benchmark, method: Method, other: Method, since: float) -> Check:
    """The probability that a run of a method is below one of another at the end is between 0.5 and 0.6, and falling.

    Args:
        since: Share of the end at which it was larger.
    """
    frame = runs_on(results, benchmark)
    if (short := unfinished(frame, (method,), benchmark)) is not None:
        return all_of([short])
    end = min(END, ends(frame, benchmark, method) / ends(frame, benchmark))
    matrix = wins(*(regret_at(frame, benchmark, name, (since, end)) for name in (method, other)))

    def change(ours: np.ndarray, theirs: np.ndarray) -> np.ndarray:
        return np.diff(probabilities(matrix, ours, theirs))[:, 0]

    interval, detail = probability(frame, method, other, END, benchmark)
    falls = judge(resampled_interval(change, *matrix.shape[1:]), upper=0.0)
    by_little = slightly(judge(interval, 0.5, AHEAD, detail=detail), AHEAD)
    return all_of([by_little, worded(falls, f"change since {since:g} of the end")])


@shape
def leave_random_together(results: Results, benchmark: Benchmark, methods: Methods) -> Check:
    """The times from which methods lead random search are within a factor of two, in pairs."""
    frame = runs_on(results, benchmark)
    return _of_each_two(frame, methods, lambda a, b: together(frame, a, b, benchmark), benchmark)


@shape
def end_differently(results: Results, benchmark: Benchmark, methods: Methods) -> Check:
    """The probability that a run of a method is below one of another at the end is not near one half, in pairs."""
    frame = runs_on(results, benchmark)
    return _of_each_two(frame, methods, lambda a, b: contrary(alike(frame, a, b, END, benchmark)), benchmark)


@shape
def leaves_random_later(results: Results, benchmark: Benchmark, method: Method, others: Methods) -> Check:
    """A method leaves random search behind later than others."""
    frame = runs_on(results, benchmark)

    def check(other: str) -> Check:
        return unfinished(frame, (method, other), benchmark) or later(frame, method, other, benchmark)

    return _of_each(frame, others, check, benchmark)


def runs_on(results: Results, benchmark: str) -> pd.DataFrame:
    """The runs on all sets.

    Raises:
        CellNotRunError: the set is not among them.
    """
    frame = comparison_runs(results)
    if benchmark not in benchmarks_of(frame):
        raise CellNotRunError(benchmark, "random", alone=False, words=label(benchmark))
    return frame


def _of_each(frame: pd.DataFrame, methods: Methods, check: Callable[[str], Check], benchmark: str) -> Check:
    """A part for each method; of one alone, its own check."""
    return all_of(each(frame, methods, check, benchmark)) if len(methods) > 1 else check(methods[0])


def _of_each_two(frame: pd.DataFrame, methods: Methods, check: Callable[[str, str], Check], benchmark: str) -> Check:
    """The check of each pair that was run and is long enough; the other methods are separate parts."""
    lacking = dict(zip(methods, each(frame, methods, lambda m: unfinished(frame, (m,), benchmark), benchmark)))
    usable = [method for method, part in lacking.items() if part is None]
    return all_of([*(check(*pair) for pair in combinations(usable, 2)), *filter(None, lacking.values())])


@shape
def evolution_is_best_at_the_end(results: Results) -> Check:
    """On how many of the sets at hand; "often" is on half of them or more."""
    frame = comparison_runs(results)
    names = [name for name in LABELS if name in benchmarks_of(frame)]
    ours, others, parts = "regularized_evolution", [name for name in METHODS if name != "regularized_evolution"], []
    for name in names:
        check = all_of(each(frame, others, partial(better_at_the_end, frame, ours, benchmark=name), name))
        part = worded(check, label(name))
        parts.append(replace(part, detail=f"{part.holds}: {part.detail}"))
    return at_least(math.ceil(len(parts) / 2), parts) if parts else not_run()


@shape
def brackets_take_as_long(results: Results) -> Check:
    """The epochs of 125 brackets over those of 500 evaluations, as the authors count; 0.8 to 1.25. The detail has the
    seconds of Hyperband and of BOHB over the other methods' average on each set, which depend on how long the
    configurations train that a method prefers.
    """
    frame = comparison_runs(results)
    ratio = epochs_of_brackets(BRACKETS, MINIMUM_EPOCHS, EPOCHS, ETA, floored=True) / (EVALUATIONS * EPOCHS)
    times = []
    for benchmark in benchmarks_of(frame):
        run = set(frame.loc[frame["benchmark"] == benchmark, "method"])
        others = [name for name in METHODS if name in run - set(BUDGETED) and not is_short(frame, benchmark, name)]
        times += [_relative_time(frame, benchmark, name, others) for name in BUDGETED if name in run and others]
    detail = f"epochs of brackets over those of evaluations; seconds: {', '.join(times)}"
    return judge(Interval.exact(ratio), *ABOUT_AS_LONG, detail=detail)


def _relative_time(frame: pd.DataFrame, benchmark: str, method: str, others: list[str]) -> str:
    """Median duration of a method's runs over the average median of the others, in words."""

    def ratio(ours: np.ndarray, *theirs: np.ndarray) -> np.ndarray:
        return np.median(ours, axis=1) / np.mean([np.median(one, axis=1) for one in theirs], axis=0)

    samples = tuple(durations(frame, benchmark, name) for name in (method, *others))
    interval = bootstrap_interval(samples, ratio, SEED, RESAMPLES)
    return f"{label(benchmark)}, {method_label(method)} {interval.text('.2f')}"


@shape
def final_regret_minus(
    results: Results,
    statistic: Literal["mean", "standard deviation"],
    first: Method,
    second: Method,
    above: float = -math.inf,
    below: float = math.inf,
) -> Check:
    """A statistic of one method's final regrets on protein minus that of another's lies in a region."""
    frame = comparison_runs(results)
    if (short := unfinished(frame, (first, second))) is not None:
        return all_of([short])
    of_runs = mean if statistic == "mean" else lambda regrets: regrets.std(axis=1, ddof=1)
    samples = tuple(regret_at(frame, PROTEIN, name)[:, 0] for name in (first, second))
    interval = bootstrap_interval(samples, lambda ours, theirs: of_runs(ours) - of_runs(theirs), SEED, RESAMPLES)
    return judge(interval, above, below, near_the_best(results))


@shape
def every_method_reaches_1e_3(results: Results) -> Check:
    """For each method the share of runs with a final regret of at most 1e-3: one run is enough to show it."""

    def reaches(method: str, regret: np.ndarray) -> Check:
        share = float((regret <= TARGET).mean())
        words = f"{method_label(method)} {share:.2f}"
        return Check(share, share, share, "holds", words) if share else unknown(words)

    detail = "cannot be refuted, since no number of runs shows a probability of zero"
    return if_whole(_of_all_methods(results, reaches, detail), [grid_table(results, PROTEIN)])


@shape
def three_methods_reach_1e_3_mostly(results: Results) -> Check:
    """The share of runs at 1e-3 or below: above 0.6 for BOHAMIANN, regularized evolution and TPE, below for others."""

    def often(method: str, regret: np.ndarray) -> Check:
        return _share(method, regret <= TARGET, **{"lower" if method in REACH_OFTEN else "upper": OFTEN})

    return if_whole(_of_all_methods(results, often), [grid_table(results, PROTEIN)])


@shape
def no_method_always_ends_alike(results: Results) -> Check:
    """For each method the share of runs that end with its most frequent regret: below 0.9."""

    def varies(method: str, regret: np.ndarray) -> Check:
        values, counts = np.unique(regret, return_counts=True)
        return _share(method, regret == values[counts.argmax()], upper=CONSISTENT)

    return _of_all_methods(results, varies)


def near_the_best(results: Results) -> str:
    """How many configurations of protein's table have a test regret of at most 1e-3, in words."""
    regret = np.sort(grid_table(results, PROTEIN).mean_test)
    regret -= regret[0]
    near = int((regret <= TARGET).sum())
    farther = f", the next by {regret[near]:.2g}" if near < len(regret) else ""
    return f"{near} of {len(regret):,} configurations {'is' if near == 1 else 'are'} within 1e-3 of the best{farther}"


def _of_all_methods(results: Results, check: Callable[[str, np.ndarray], Check], detail: str = "") -> Check:
    """A check with one part for each method, on its final regrets (runs,)."""
    frame = comparison_runs(results)
    parts = each(
        frame,
        METHODS,
        lambda name: unfinished(frame, (name,)) or check(name, regret_at(frame, PROTEIN, name)[:, 0]),
    )
    return all_of(parts, "; ".join(filter(None, [detail, near_the_best(results)])))


def _share(method: str, which: np.ndarray, **bounds: float) -> Check:
    return worded(judge(share_interval(which), **bounds), method_label(method))
