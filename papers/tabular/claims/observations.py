"""Shapes of what 7.4.1 observes of the methods on a set.

A claim about several methods has a part for each of them; those that were not run are absent. Where an observation is
about the end of a set, the outcome is unknown for methods whose runs end before it.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Literal

import numpy as np
import pandas as pd

from core.experiment.results import Results
from core.report import Check, all_of, contrary, judge, slightly, worded
from core.report.runs.frames import CellNotRunError
from core.report.statistics.comparisons import probabilities, resampled_interval, wins
from core.report.verdicts.shapes.shape import Benchmark, Method, Methods, shape
from papers.tabular.claims.pairs_of_methods import (
    AHEAD,
    END,
    alike,
    better,
    better_at_the_end,
    each,
    later,
    probability,
    regret_at,
    together,
    unfinished,
)
from papers.tabular.comparison_runs import benchmarks_of, comparison_runs, ends
from papers.tabular.trained_tables import label

At = float | Literal["end"]


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
