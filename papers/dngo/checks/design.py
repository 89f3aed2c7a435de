"""Shapes of claims about DNGO's design (Fig 2, sections 3.1.1 and 3.1.2) and about what it finds (Table 1)."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
import pandas as pd

from core.experiment.results import Results
from core.report import (
    Check,
    Interval,
    bootstrap_interval,
    cell_rows,
    frame_of,
    judge,
    open_where,
    rows_of,
    worded,
)
from core.report.runs.trajectories import incumbent, per_run
from core.report.statistics.intervals import mean, mean_difference, mean_ratio, median
from core.report.verdicts.shapes.shape import Benchmark, Experiments, Method, shape
from papers.dngo.runs import SEARCHED, best_architecture, confirmed, hpolib_runs, values_of

NEAR, FAR = 0.5, 1.0
"""Distances to the unit interval, where the data of Fig 2 lie."""


@shape
def sd_growth(results: Results, method: Method, seed: int, above: float = -math.inf, below: float = math.inf) -> Check:
    """The median growth of the sd from distance 0.5 to 1 from the data lies in a region."""
    growth = _sd(results, method, FAR) / _sd(results, method, NEAR)
    interval = bootstrap_interval(growth, median, seed)
    return judge(interval, above, below, "median of sd at 1 over sd at 0.5")


@shape
def sd_with_rectifiers(results: Results, seed: int, above: float) -> Check:
    """Median ratio of the sd at distance 1 from the data, rectifiers over tanh, is above a factor."""
    relu, tanh = (_sd(results, name, FAR) for name in ("relu", "tanh"))
    interval = bootstrap_interval(relu / tanh, median, seed)
    detail = f"median of sd with ReLU over sd with tanh; {(relu / tanh).max():.3g} at most"
    return judge(interval, lower=above, detail=detail)


def _sd(results: Results, method: str, distance: float) -> np.ndarray:
    """Mean of the two sd at this distance on either side of the unit interval, (runs,)."""
    rows = rows_of(results, "activations", method=method, part="grid")
    sides = [-distance, 1 + distance]
    return np.array([np.interp(sides, run["x"], run["sd"]).mean() for _, run in rows.groupby("run")])


@shape
def depth_is_best(results: Results, method: Method, seed: int) -> Check:
    """Relative loss of the best other depth minus that of one depth, fresh runs; above 0."""
    means = ", ".join(f"{each[-1]}: {confirmed(results, each).mean():.3f}" for each in SEARCHED)
    return judge(_lead(results, method, seed), lower=0.0, detail=f"relative loss by layers {means}")


@shape
def best_architecture_has(
    results: Results,
    kind: Literal["width", "dropout", "decay"],
    seed: int,
    above: float = -math.inf,
    below: float = math.inf,
) -> Check:
    """A property of the best architecture of one search: the range over its layers, not a confidence interval.

    Open where it is open which depth is best.
    """
    means = {method: confirmed(results, method).mean() for method in SEARCHED}
    method = min(means, key=means.__getitem__)
    values = values_of(best_architecture(results, method), kind)
    interval = Interval(float(np.median(values)), float(values.min()), float(values.max()))
    detail = f"{method.replace('_', ': ')}; median and range over its layers"
    lead = _lead(results, method, seed)
    reason = f"best by {lead.text()} only" if lead.low <= 0 else ""
    return open_where(judge(interval, above, below, detail), reason)


def _lead(results: Results, method: str, seed: int) -> Interval:
    """How far the relative loss of the best other depth is above that of `method`, in fresh runs."""
    losses, place = np.stack([confirmed(results, each) for each in SEARCHED], -1), SEARCHED.index(method)

    def margin(drawn: np.ndarray) -> np.ndarray:
        means = drawn.mean(1)
        return np.delete(means, place, axis=1).min(1) - means[:, place]

    return bootstrap_interval(losses, margin, seed)


@shape
def distance_ratio(
    results: Results, benchmark: Benchmark, first: Method, second: Method, seed: int, above: float
) -> Check:
    """The mean distance of queries from the incumbent with one method over that with another is above a factor."""
    pair = tuple(_distances(results, benchmark, method) for method in (first, second))
    ratio = judge(bootstrap_interval(pair, mean_ratio, seed, paired=True), lower=above)
    return worded(ratio, f"{benchmark}: distance, {first} over {second}", ".2f")


def _distances(results: Results, benchmark: str, method: str) -> np.ndarray:
    """Mean distance of a run's queries, after its initial design, from the incumbent, (runs,)."""
    frame = results.frame("activation_search")
    rows = cell_rows(frame, benchmark, method)
    initial = int((rows["origin"] == "initial design").groupby(rows["run"]).sum().max())
    return per_run(frame, "distance", benchmark, method)[:, initial:].mean(1)


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


@shape
def smallest_loss(
    results: Results,
    benchmark: Benchmark,
    first: Method,
    second: Method,
    seed: int,
    above: float = -math.inf,
    below: float = math.inf,
) -> Check:
    """Difference of two methods' smallest losses after as many evaluations as both have, averaged over the runs."""
    frame = hpolib_runs(results)
    losses = [incumbent(per_run(frame, "loss", benchmark, method)) for method in (first, second)]
    last = min(values.shape[1] for values in losses) - 1
    interval = bootstrap_interval(tuple(values[:, last] for values in losses), mean_difference, seed)
    limit = f" (below {below:g})" if math.isfinite(below) else ""
    return worded(judge(interval, above, below), f"{benchmark}{limit}", "+.3g")
