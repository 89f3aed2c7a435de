"""Shapes of claims about the other benchmarks: counting ones (6.4.1, C.7), support vector machines (6.4.2.1), the
Bayesian network (6.4.3, C.9), cart-pole (6.4.4) and shake-shake networks (6.4.5), and about two densities (C.3).
"""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from core.experiment.results import Results
from core.report import Check, bootstrap_interval, cell_rows, frame_of, judge, open_where, rows_of, worded
from core.report.figures.curves import OPTIMUM
from core.report.runs.frames import CellNotRunError
from core.report.runs.trajectories import SMALLEST, end_of, over_time, times_of
from core.report.statistics.intervals import mean, mean_difference, median_difference
from core.report.verdicts.mean_comparisons import (
    SEED,
    as_factor,
    cells_of,
    logarithms,
    lower_than,
    means,
    values_at,
    within_factor,
)
from core.report.verdicts.shapes.searches import Time, time_of
from core.report.verdicts.shapes.shape import Benchmark, Experiments, Method, shape
from core.report.verdicts.speedups import POINTS, Bounds, Curves, bounded_factors, judge_factor, median_speedup
from papers.bohb.checks.surrogates import before_the_model, cannot_compare
from papers.bohb.runs import POLICY_EXPERIMENTS, full_evaluations, svm_runs

GOOD = 0.02 - OPTIMUM  # regret of a support vector machine
NETWORK_SEED = 10


@shape
def stalls(results: Results, runs: Experiments, benchmark: Benchmark, method: Method, factor: float) -> Check:
    """A method's regret falls by less than a factor while its time quadruples to the end."""
    rows = cell_rows(frame_of(results, *runs), benchmark, method)
    times = np.array([end_of(rows) / 4, end_of(rows)])
    interval = bootstrap_interval(logarithms([over_time(rows, times)]), _fall, SEED)
    words = f"{method}'s fall from {times[0]:.4g} to {times[1]:.4g}: {as_factor(interval)}"
    return judge(interval, upper=np.log10(factor), detail=words)


@shape
def falls_faster(
    results: Results, runs: Experiments, benchmark: Benchmark, fast: Method, slow: Method, start: float, end: float
) -> Check:
    """One method's regret falls by a larger factor than another's between two times."""
    cells = cells_of(frame_of(results, *runs), benchmark, [fast, slow])
    samples = logarithms([over_time(rows, np.array([start, end])) for rows in cells.values()])
    interval = bootstrap_interval(samples, lambda a, b: _fall(a) - _fall(b), SEED)
    words = f"{benchmark}, {fast}'s fall over {slow}'s from {start:g} to {end:g}: {as_factor(interval)}"
    return open_where(judge(interval, lower=0, detail=words), cannot_compare(cells, end))


def _fall(curves: np.ndarray) -> np.ndarray:
    """How far the means of logarithms (batch, runs, 2) fall between two times, (batch,)."""
    return np.subtract(*means((curves[..., 0], curves[..., 1])))


@shape
def grows_exponentially(
    results: Results,
    runs: Experiments,
    benchmarks: tuple[Benchmark, Benchmark, Benchmark],
    method: Method,
    level: float,
    above: float,
) -> list[Check]:
    """From benchmark to benchmark the time to a median regret grows by more than a factor, the second time by more."""
    frame = frame_of(results, *runs)
    curves = [
        Curves.of(cell_rows(frame, name, method), times_of(frame, name, [method], POINTS), average=np.median)
        for name in benchmarks
    ]

    def growths(*averages: np.ndarray) -> list[Bounds]:
        times = [each.log_time(average, level) for each, average in zip(curves, averages, strict=True)]
        first, second = times[1] - times[0], times[2] - times[1]
        return [first, second, second - first]

    small, middle, large = benchmarks
    first, second, more = bounded_factors(curves, growths)
    return [
        judge_factor(first, (above, np.inf), f"{method}, time in {middle} over {small}: "),
        judge_factor(second, (above, np.inf), f"in {large} over {middle}: "),
        judge_factor(more, (1.0, np.inf), "second over first: "),
    ]


@shape
def quartiles_apart(results: Results, runs: Experiments, benchmark: Benchmark, method: Method, above: float) -> Check:
    """The quartiles of a method's final regrets are more than a factor apart."""
    (final,), _ = values_at(cells_of(frame_of(results, *runs), benchmark, [method]))

    def statistic(values: np.ndarray) -> np.ndarray:
        return np.subtract(*np.quantile(np.log10(values), (0.75, 0.25), axis=1))

    interval = bootstrap_interval(np.maximum(final, SMALLEST), statistic, SEED)
    return judge(interval, lower=np.log10(above), detail=f"ratio of quartiles {as_factor(interval)}")


@shape
def sooner_on_svm(results: Results, slow: Method, fast: Method, above: float, below: float = math.inf) -> Check:
    """The median time of one method to a good configuration over that of another lies between two factors.

    Raises:
        CellNotRunError: one of the methods was not run.
    """
    frame = svm_runs(results)
    surrogate = frame["benchmark"].iloc[0]
    for method in (slow, fast):
        if method not in set(frame["method"]):
            raise CellNotRunError(surrogate, method, alone=False)
    factor = median_speedup(frame, surrogate, slow, fast, GOOD)
    return judge_factor(factor, (above, below), f"{fast} over {slow}: ")


@shape
def lower_loss(
    results: Results,
    runs: Experiments,
    benchmark: Benchmark,
    better: Method,
    worse: Method,
    at: Time = "end",
    margin: float = 0.0,
) -> Check:
    """The median loss of one method exceeds that of another by less than a margin."""
    time = time_of(at)
    cells = cells_of(frame_of(results, *runs), benchmark, [worse, better])
    samples, reached = values_at(cells, time, "loss")
    interval = bootstrap_interval(samples, median_difference, SEED)
    check = worded(judge(interval, lower=-margin), f"{benchmark}, {worse} less {better} at {reached:.4g}", "+.3g")
    return open_where(check, cannot_compare(cells, time))


@shape
def fewer_episodes(
    results: Results, benchmark: Benchmark, better: Method, worse: Method, at: Time = "end", factor: float = 1.0
) -> Check:
    """The geometric mean of the episodes that one method's incumbents take is below another's, by a factor or more."""
    return lower_than(_episodes(results), benchmark, better, worse, time_of(at), 1 / factor, reason=before_the_model)


@shape
def as_many_episodes(
    results: Results, benchmark: Benchmark, first: Method, second: Method, factor: float, at: Time = "end"
) -> Check:
    """The geometric means of the episodes that two methods' incumbents take differ by less than a factor."""
    return within_factor(_episodes(results), benchmark, first, second, factor, time_of(at))


def _episodes(results: Results) -> pd.DataFrame:
    """The runs, with episodes in the column that is compared.

    Searches whose agents are trained live decide where there are any, otherwise those on the forest.
    """
    forest, live = POLICY_EXPERIMENTS
    frame = results.frame(live)
    return (frame_of(results, forest) if frame.empty else frame).assign(regret=lambda rows: rows["episodes"])


@shape
def higher_density(results: Results, benchmark: Benchmark, higher: Method, lower: Method) -> Check:
    """One density is higher at fresh points than another."""
    frame = frame_of(results, "densities")
    scores = frame[frame["part"] == "score"]
    ours, theirs = (
        cell_rows(scores, benchmark, method).sort_values("run")["value"].to_numpy(float) for method in (higher, lower)
    )
    interval = bootstrap_interval(ours - theirs, mean, SEED)
    return judge(interval, lower=0, detail=f"{benchmark}: {interval.text('+.2f')} nats")


@shape
def smaller_test_error(results: Results, better: Method, worse: Method) -> Check:
    """The mean test error of one shake-shake network is below that of another."""
    rows = (rows_of(results, "cifar10_retrained", method=method) for method in (better, worse))
    interval = bootstrap_interval(tuple(each["test_error"] for each in rows), mean_difference, NETWORK_SEED)
    return judge(interval, upper=0.0, detail=f"its test error less that of Gastaldi's: {interval.text()}")


@shape
def costs_fewer_evaluations(results: Results, below: float) -> Check:
    """The seconds of all evaluations over those of one on the largest budget and over the number of workers."""
    cost = full_evaluations(frame_of(results, "cifar10"))
    interval = bootstrap_interval(cost, mean, NETWORK_SEED)
    return judge(interval, upper=below, detail=f"{interval.text()} evaluations a worker")
