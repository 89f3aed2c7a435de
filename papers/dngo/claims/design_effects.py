"""Claims of section 3.1.1 in words: rectifiers explore too much, and dropout blurs the predicted mean."""

from __future__ import annotations

from itertools import product

import numpy as np

from core.experiment.results import Results
from core.report import Check, Interval, all_of, bootstrap_interval, cell_rows, claim, judge, worded
from core.report.runs.trajectories import final_log_regret, per_run
from core.report.statistics.reductions import mean, mean_difference, mean_ratio

SEED = 2015
FUNCTIONS = ("branin", "hartmann6")
EXCESSIVE = 1.25  # ratio of distances, as "similar" errors are within 1.25
RATES = ("rate_0.1", "rate_0.25", "rate_0.5")  # the paper names none; the last is that of Hinton et al. (2012)


@claim(
    artifact="design_effects",
    place="Section 3.1.1",
    sentence="The activation function alters the performance of Bayesian optimization: rectifiers find worse points "
    "than tanh.",
)
def relu_finds_worse_points(results: Results) -> Check:
    """Difference of log10 final regrets, rectifiers minus tanh, above 0 on each function."""
    frame, checks = results.frame("activation_search"), []
    for name in FUNCTIONS:
        ends = tuple(final_log_regret(frame, name, method) for method in ("relu", "tanh"))
        worse = judge(bootstrap_interval(ends, mean_difference, SEED, paired=True), "", lower=0.0)
        checks.append(worded(worse, f"{name}, orders of magnitude", "+.2f"))
    return all_of(checks, "2 of 2")


@claim(
    artifact="design_effects",
    place="Section 3.1.1",
    sentence="With rectifiers Bayesian optimization explores excessively.",
)
def relu_explores_excessively(results: Results) -> Check:
    """Queries with rectifiers are more than 1.25 times as far from the incumbent as with tanh, on each function."""
    checks = []
    for name in FUNCTIONS:
        pair = tuple(_distances(results, name, method) for method in ("relu", "tanh"))
        further = judge(bootstrap_interval(pair, mean_ratio, SEED, paired=True), "", lower=EXCESSIVE)
        checks.append(worded(further, f"{name}: distance, ReLU over tanh", ".2f"))
    return all_of(checks, "excessive")


@claim(
    artifact="design_effects",
    place="Section 3.1.1",
    sentence="The authors suspect that dropout makes the predicted mean noisy, which costs precision.",
)
def dropout_blurs_the_mean(results: Results) -> Check:
    """At each dropout rate, noise and error of the mean over those without dropout; above 1."""
    checks = []
    for name, method, metric in product(FUNCTIONS, RATES, ("noise", "rmse")):
        pair = [_metric(results, name, rate, metric) for rate in (method, "rate_0")]
        ratio = bootstrap_interval(np.log(pair[0]) - np.log(pair[1]), mean, SEED)
        words = f"{name}, {method.replace('_', ' ')}, {metric}: {_factor(ratio)}"
        checks.append(judge(ratio, "", lower=0.0, detail=words))
    return all_of(checks, "noisier, less precise", "with dropout over without")


def _distances(results: Results, benchmark: str, method: str) -> np.ndarray:
    """Mean distance of a run's queries, after its initial design, from the incumbent, (runs,)."""
    frame = results.frame("activation_search")
    rows = cell_rows(frame, benchmark, method)
    initial = int((rows["origin"] == "initial design").groupby(rows["run"]).sum().max())
    return per_run(frame, "distance", benchmark, method)[:, initial:].mean(1)


def _metric(results: Results, benchmark: str, method: str, metric: str) -> np.ndarray:
    rows = cell_rows(results.frame("dropout"), benchmark, method)
    return rows.sort_values("run")[metric].to_numpy(dtype=float)


def _factor(interval: Interval) -> str:
    return Interval(*np.exp(interval)).text(".2f")
