"""Shapes of claims about metrics of predictions: with and without dropout (3.1.1), by MAP and by evidence (3.1.2)."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from core.experiment.results import Results
from core.report import Check, Interval, bootstrap_interval, cell_rows, frame_of, judge, worded
from core.report.statistics.reductions import mean, mean_ratio, median
from core.report.verdicts.shapes.shape import Benchmark, Experiments, Method, shape


@shape
def metric_ratio(
    results: Results,
    runs: Experiments,
    benchmark: Benchmark,
    first: Method,
    second: Method,
    metric: str,
    seed: int,
    above: float,
    below: float = math.inf,
) -> Check:
    """The geometric mean of a metric with one method over that with another lies between two factors."""
    frame = frame_of(results, *runs)
    ours, theirs = (np.log(_metric(frame, benchmark, method, metric)) for method in (first, second))
    ratio = bootstrap_interval(ours - theirs, mean, seed)
    words = f"{benchmark}, {first}, {metric}: {Interval(*np.exp(ratio)).text('.2f')}"
    return judge(ratio, np.log(above), np.log(below), words)


@shape
def likelihood_difference(
    results: Results, benchmark: Benchmark, first: Method, second: Method, seed: int, above: float, below: float
) -> Check:
    """The median difference of held-out log-likelihoods lies in a region."""
    frame = results.frame("features")
    ours, theirs = (_metric(frame, benchmark, method, "log_likelihood") for method in (first, second))
    return worded(judge(bootstrap_interval(ours - theirs, median, seed), above, below), benchmark, "+.2g")


@shape
def seconds_of_an_update(
    results: Results, benchmark: Benchmark, first: Method, second: Method, seed: int, above: float
) -> Check:
    """The mean seconds of an update of the network with one kind of features over those with another."""
    frame = results.frame("features")
    seconds = tuple(
        _metric(frame, benchmark, method, "seconds") / _metric(frame, benchmark, method, "updates")
        for method in (first, second)
    )
    return worded(judge(bootstrap_interval(seconds, mean_ratio, seed), lower=above), benchmark, ".1f")


def _metric(frame: pd.DataFrame, benchmark: str, method: str, metric: str) -> np.ndarray:
    return cell_rows(frame, benchmark, method).sort_values("run")[metric].to_numpy(dtype=float)
