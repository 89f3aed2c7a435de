"""Shapes of the claims about seven methods on generated tasks (8.4.3), on the targets that they solve."""

from __future__ import annotations

import numpy as np

from core.experiment.results import Results
from core.report import Check, NotRunError, bootstrap_interval, judge, outside, pending, slightly, worded
from core.report.figures import style
from core.report.runs.task_runs import Runs
from core.report.statistics.average_ranks import average_ranks
from core.report.statistics.reductions import mean_difference
from core.report.verdicts.checks import CellNotRunError
from core.report.verdicts.shapes.shape import Benchmark, Method, shape
from papers.profet.task_results import CLASSES, METHODS, class_runs

SEED = 85
STAND_IN = "rf"


@shape
def solves_more(results: Results, benchmark: Benchmark, more: Method, less: Method, averaged: bool = False) -> Check:
    """The share of targets solved by one method less that of another, in percent, is above 0.

    Args:
        averaged: Whether shares are averaged over all evaluations, instead of those at the end.
    """
    words = f"{style.label(more)} less {style.label(less)}"
    return _difference(results, (benchmark, more), (benchmark, less), words, averaged)


@shape
def solves_fewer_with_noise(results: Results, benchmark: Benchmark, method: Method) -> Check:
    """The share of targets that a method solves without noise less that with it, in percent, is above 0."""
    words = f"{style.label(method)} without less with noise"
    return _difference(results, (benchmark, method), (f"{benchmark}_noisy", method), words)


@shape
def loses_more_from_noise(results: Results, benchmark: Benchmark, more: Method, less: Method) -> Check:
    """What noise costs one method in solved targets, in percent, less what it costs another, is above 0."""
    cells = tuple((name, method) for method in (more, less) for name in (benchmark, f"{benchmark}_noisy"))
    if lacking := _lacking(results, *cells):
        return lacking

    def difference(one: np.ndarray, one_noisy: np.ndarray, other: np.ndarray, other_noisy: np.ndarray) -> np.ndarray:
        return mean_difference(one, one_noisy) - mean_difference(other, other_noisy)

    interval = bootstrap_interval(_pairs(results, *cells), difference, SEED, paired=True)
    words = f"{CLASSES[benchmark]}, what noise costs {style.label(more)} less {style.label(less)}"
    return worded(judge(interval, lower=0.0), words, "+.3g")


@shape
def lacks_of_the_lead(results: Results, benchmark: Benchmark, best: Method, method: Method, below: float) -> Check:
    """The share of the best method's lead over random search that a method lacks is above 0 and below a limit."""
    cells = tuple((benchmark, name) for name in (best, method, "random"))
    if lacking := _lacking(results, *cells):
        return lacking

    def share(first: np.ndarray, ours: np.ndarray, random: np.ndarray) -> np.ndarray:
        return (first.mean(1) - ours.mean(1)) / (first.mean(1) - random.mean(1))

    interval = bootstrap_interval(_pairs(results, *cells), share, SEED, paired=True)
    check = slightly(judge(interval, lower=0.0, upper=below), below)
    return worded(check, f"{CLASSES[benchmark]}, share of {style.label(best)}'s lead over random search lost")


@shape
def ranks_before(results: Results, benchmark: Benchmark, first: Method, later: Method) -> Check:
    """The average rank of one method less that of another, among all, is above 0."""
    losses = class_runs(results, benchmark, "loss")
    if first not in losses or len(losses) < len(METHODS):
        raise NotRunError(benchmark)
    ranks = average_ranks(losses)
    interval = bootstrap_interval((ranks[later][:, -1], ranks[first][:, -1]), mean_difference, SEED, paired=True)
    part = worded(judge(interval, lower=0.0), f"{style.label(later)} less {style.label(first)}", "+.3g")
    return _unless_stand_in(part, later)


def _difference(
    results: Results, first: tuple[str, str], second: tuple[str, str], words: str, averaged: bool = False
) -> Check:
    """Share of targets solved by one method on one benchmark less that of another, in percent; above 0.

    Tasks are compared in pairs. If one benchmark has more of them than the other, its first ones are the same.
    """
    if lacking := _lacking(results, first, second):
        return lacking
    interval = bootstrap_interval(_pairs(results, first, second, averaged=averaged), mean_difference, SEED, paired=True)
    part = worded(judge(interval, lower=0.0), f"{CLASSES[first[0]]}, {words}", "+.3g")
    return _unless_stand_in(part, first[1], second[1])


def _lacking(results: Results, *cells: tuple[str, str]) -> Check | None:
    """The part about the first cell (benchmark, method) that was not run; None if all were.

    Raises:
        CellNotRunError: a whole class was not searched.
    """
    for benchmark, method in cells:
        if method not in _solved(results, benchmark):
            return pending(f"{style.label(method)} on {CLASSES[benchmark]}")
    return None


def _pairs(results: Results, *cells: tuple[str, str], averaged: bool = False) -> tuple[np.ndarray, ...]:
    """Percent of targets that several cells solve on the tasks that all have, runs averaged, (tasks,) each."""
    solved = [_solved(results, benchmark)[method] for benchmark, method in cells]
    values = [100 * (each.mean(-1) if averaged else each[..., -1]).mean(1) for each in solved]
    return tuple(each[: min(map(len, values))] for each in values)


def _solved(results: Results, benchmark: str) -> Runs:
    """The targets that each method solves; a class without noise stands for both in what was not run."""
    try:
        return class_runs(results, benchmark, "solved")
    except NotRunError as error:
        raise CellNotRunError(CLASSES[benchmark.removesuffix("_noisy")], "any method", alone=False) from error


def _unless_stand_in(part: Check, *methods: str) -> Check:
    return outside(part, "RF-BO for SMAC") if STAND_IN in methods else part
