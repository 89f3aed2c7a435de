"""Claims of section 3.1.2: features by MAP are as good as features by evidence maximization, and faster."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from core.experiment.results import Results
from core.report import Check, Interval, all_of, bootstrap_interval, cell_rows, claim, judge, outside, worded
from core.report.runs.trajectories import final_log_regret
from core.report.statistics.reductions import mean, mean_difference, mean_ratio, median

SEED = 2015
SETS = ("branin", "hartmann6", "boston", "concrete", "yacht")
FUNCTIONS = ("branin", "hartmann6")
SIMILAR_ERROR, SIMILAR_LIKELIHOOD, SIMILAR_REGRET = math.log(1.25), 0.5, 0.5
"""Similar: errors within a factor of 1.25, likelihoods within half a nat, regrets within half an order of magnitude."""


@claim(
    artifact="evidence",
    place="Section 3.1.2",
    sentence="Features of the MAP estimate predict about as well as those that maximize the evidence.",
)
def map_predicts_as_well(results: Results) -> Check:
    """Ratio of errors, MAP over evidence, between 1/1.25 and 1.25 on each set."""
    frame = results.frame("features")
    checks = []
    for name in SETS:
        ours, theirs = (np.log(_metric(frame, name, method, "rmse")) for method in ("map", "evidence"))
        ratio = bootstrap_interval(ours - theirs, mean, SEED)
        detail = f"{name}: {Interval(*map(math.exp, ratio)).text('.2f')}"
        checks.append(judge(ratio, "", lower=-SIMILAR_ERROR, upper=SIMILAR_ERROR, detail=detail))
    return all_of(checks, "similar", "ratio of errors, MAP over evidence")


@claim(
    artifact="evidence",
    place="Section 3.1.2",
    sentence="The predictive uncertainty with MAP features is about as good.",
)
def map_is_as_likely(results: Results) -> Check:
    """Median difference of held-out log-likelihoods, MAP minus evidence, between -0.5 and 0.5 nats on each set."""
    frame = results.frame("features")
    checks = []
    for name in SETS:
        ours, theirs = (_metric(frame, name, method, "log_likelihood") for method in ("map", "evidence"))
        gap = bootstrap_interval(ours - theirs, median, SEED)
        checks.append(worded(judge(gap, "", -SIMILAR_LIKELIHOOD, SIMILAR_LIKELIHOOD), name, "+.2g"))
    return all_of(checks, "similar", "nats per point, MAP minus evidence")


@claim(
    artifact="evidence",
    place="Section 3.1.2",
    sentence="Bayesian optimization with MAP features finds about as good a minimum.",
)
def map_optimises_as_well(results: Results) -> Check:
    """Difference of log10 final regrets, MAP minus evidence, between -0.5 and 0.5 on each function."""
    checks = []
    for name in FUNCTIONS:
        frame = results.frame("feature_search")
        samples = tuple(final_log_regret(frame, name, method) for method in ("map", "evidence"))
        gap = bootstrap_interval(samples, mean_difference, SEED, paired=True)
        checks.append(worded(judge(gap, "", -SIMILAR_REGRET, SIMILAR_REGRET), name, "+.2f"))
    return all_of(checks, "similar", "orders of magnitude of regret, MAP over evidence")


@claim(
    artifact="evidence",
    place="Section 3.1.2",
    sentence="Maximizing the evidence, with a D x D matrix factorized in each update, is slower.",
)
def map_is_faster(results: Results) -> Check:
    """Seconds of an update of the network, evidence over MAP; above 1 on each set.

    Outside: our MAP updates are of minibatches in compiled code, those of the evidence of all points by automatic
    differentiation, so the ratio is not that of the two objectives.
    """
    frame = results.frame("features")
    checks = []
    for name in SETS:
        seconds = [
            _metric(frame, name, method, "seconds") / _metric(frame, name, method, "updates")
            for method in ("evidence", "map")
        ]
        ratio = bootstrap_interval(tuple(seconds), mean_ratio, SEED)
        checks.append(worded(judge(ratio, "", lower=1.0), name, ".1f"))
    check = all_of(checks, "significantly slower", "ratio of seconds, evidence over MAP")
    return outside(check, "minibatches in compiled code against all points by automatic differentiation")


def _metric(frame: pd.DataFrame, benchmark: str, method: str, metric: str) -> np.ndarray:
    return cell_rows(frame, benchmark, method).sort_values("run")[metric].to_numpy(dtype=float)
