"""Checks of sections 3.1.1 and 3.1.2: the architecture that the search finds, and how features are trained."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from core.experiment.results import Results
from core.report.bootstrap import Interval, bootstrap_interval
from core.report.checks import Check, NotRunError, all_of, judge
from core.report.trajectories import incumbent, log_regret, per_run

SEED = 2015
SEARCHED = ("layers_1", "layers_2", "layers_3", "layers_4")
SETS = ("branin", "hartmann6", "boston", "concrete", "yacht")
FUNCTIONS = ("branin", "hartmann6")
SIMILAR_ERROR, SIMILAR_LIKELIHOOD, SIMILAR_REGRET = math.log(1.25), 0.5, 0.5
"""Similar: errors within a factor of 1.25, likelihoods within half a nat, regrets within half an order of magnitude."""


def three_layers_are_best(results: Results) -> Check:
    """Relative loss of the best other depth minus that of three layers, fresh runs; above 0."""
    losses = np.stack([confirmed(results, method) for method in SEARCHED], -1)
    interval = bootstrap_interval(losses, lambda drawn: _margin(drawn.mean(1), SEARCHED.index("layers_3")), SEED)
    means = ", ".join(f"{name[-1]}: {value:.3f}" for name, value in zip(SEARCHED, losses.mean(0), strict=True))
    return judge(interval, "3 layers", lower=0.0, detail=f"relative loss by layers {means}")


def about_fifty_units(results: Results) -> Check:
    """Widths of the best architecture of all depths, smallest to largest; all between 35 and 70."""
    return _of_best(results, "width", "about 50 units", lower=35, upper=70)


def no_dropout(results: Results) -> Check:
    """Its dropout rates, smallest to largest; all below 0.05."""
    return _of_best(results, "dropout", "no dropout", upper=0.05)


def modest_penalties(results: Results) -> Check:
    """Its weight decays, smallest to largest; all below 1e-3."""
    return _of_best(results, "decay", "very modest", upper=1e-3)


def map_predicts_as_well(results: Results) -> Check:
    """Ratio of errors, MAP over evidence, between 1/1.25 and 1.25 on each set."""
    frame = results.frame("features")
    checks = []
    for name in SETS:
        ours, theirs = (np.log(_metric(frame, name, method, "rmse")) for method in ("map", "evidence"))
        ratio = bootstrap_interval(ours - theirs, _mean, SEED)
        detail = f"{name}: {math.exp(ratio.estimate):.2f} [{math.exp(ratio.low):.2f}, {math.exp(ratio.high):.2f}]"
        checks.append(judge(ratio, "", lower=-SIMILAR_ERROR, upper=SIMILAR_ERROR, detail=detail))
    return all_of(checks, "similar", "ratio of errors, MAP over evidence")


def map_is_as_likely(results: Results) -> Check:
    """Median difference of held-out log-likelihoods, MAP minus evidence, between -0.5 and 0.5 nats on each set."""
    frame = results.frame("features")
    checks = []
    for name in SETS:
        ours, theirs = (_metric(frame, name, method, "log_likelihood") for method in ("map", "evidence"))
        gap = bootstrap_interval(ours - theirs, lambda drawn: np.median(drawn, axis=1), SEED)
        detail = f"{name}: {gap.estimate:+.2g} [{gap.low:.2g}, {gap.high:.2g}]"
        checks.append(judge(gap, "", lower=-SIMILAR_LIKELIHOOD, upper=SIMILAR_LIKELIHOOD, detail=detail))
    return all_of(checks, "similar", "nats a point, MAP minus evidence")


def map_optimises_as_well(results: Results) -> Check:
    """Difference of log10 final regrets, MAP minus evidence, between -0.5 and 0.5 on each function."""
    checks = []
    for name in FUNCTIONS:
        ours, theirs = (
            log_regret(incumbent(per_run(results.frame("feature_search"), "regret", name, method))[:, -1])
            for method in ("map", "evidence")
        )
        gap = bootstrap_interval((ours, theirs), lambda a, b: a.mean(1) - b.mean(1), SEED, paired=True)
        detail = f"{name}: {gap.estimate:+.2f} [{gap.low:.2f}, {gap.high:.2f}]"
        checks.append(judge(gap, "", lower=-SIMILAR_REGRET, upper=SIMILAR_REGRET, detail=detail))
    return all_of(checks, "similar", "orders of magnitude of regret, MAP over evidence")


def map_is_faster(results: Results) -> Check:
    """Seconds of an update of the network, evidence over MAP; above 1 on each set."""
    frame = results.frame("features")
    checks = []
    for name in SETS:
        seconds = [
            _metric(frame, name, method, "seconds") / _metric(frame, name, method, "updates")
            for method in ("evidence", "map")
        ]
        ratio = bootstrap_interval(tuple(seconds), lambda a, b: a.mean(1) / b.mean(1), SEED)
        checks.append(judge(ratio, "", lower=1.0, detail=f"{name}: {ratio.estimate:.1f}"))
    return all_of(checks, "significantly slower", "ratio of seconds, evidence over MAP")


def confirmed(results: Results, method: str) -> np.ndarray:
    """Relative losses of the fresh runs of one depth, averaged over functions: (seeds,).

    Raises:
        NotRunError: the cell has no rows.
    """
    frame = results.frame("architecture")
    rows = frame[frame["method"] == method]
    if rows.empty:
        raise NotRunError(f"architecture/{method}")
    rows = rows[rows["part"] == "confirmation"]
    return rows.groupby(["run", "seed"])["loss"].mean().to_numpy()


def best_architecture(results: Results, method: str) -> pd.Series:
    """The architecture that was confirmed: the columns that its number of layers has."""
    frame = results.frame("architecture")
    rows = frame[(frame["method"] == method) & (frame["part"] == "confirmation")]
    columns = [name for name in frame if name.startswith(("width", "dropout", "decay", "learning_rate", "momentum"))]
    return rows.iloc[0][columns].dropna().astype(float)


def values_of(architecture: pd.Series, kind: str) -> np.ndarray:
    """The architecture's widths, dropouts or decays, in the order of the layers."""
    return architecture[sorted(name for name in architecture.index if name.startswith(kind))].to_numpy()


def _of_best(results: Results, kind: str, published: str, lower: float = -math.inf, upper: float = math.inf) -> Check:
    """A property of the best architecture of one search: the range over its layers, which is no confidence interval."""
    means = {method: confirmed(results, method).mean() for method in SEARCHED}
    method = min(means, key=means.__getitem__)
    values = values_of(best_architecture(results, method), kind)
    interval = Interval(float(np.median(values)), float(values.min()), float(values.max()))
    detail = f"{method.replace('_', ': ')}; median and range over its layers"
    return judge(interval, published, lower, upper, detail)


def _margin(means: np.ndarray, place: int) -> np.ndarray:
    """How far the smallest of the others is above the mean at `place`, (batch,) for means (batch, depths)."""
    return np.delete(means, place, axis=1).min(1) - means[:, place]


def _metric(frame: pd.DataFrame, benchmark: str, method: str, metric: str) -> np.ndarray:
    rows = frame[(frame["benchmark"] == benchmark) & (frame["method"] == method)] if len(frame) else frame
    if rows.empty:
        raise NotRunError(f"{benchmark}/{method}")
    return rows.sort_values("run")[metric].to_numpy(dtype=float)


def _mean(values: np.ndarray) -> np.ndarray:
    return values.mean(1)
