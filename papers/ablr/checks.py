"""What the paper says about searches: quadratic functions (Fig 1 left), stored evaluations and side signals (Fig 2).

Regrets fall through many orders of magnitude, and their arithmetic mean is that of the first evaluations on the
function that is hardest, so methods are compared by a ratio of geometric means. Runs of the same number have the same
task and initial design, and are resampled in pairs.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pandas as pd

from core.experiment.results import Results
from core.report import Check, bootstrap_interval, frame_of, judge, pending, worded
from core.report.runs.trajectories import incumbent, per_run
from core.report.statistics.intervals import mean
from core.report.verdicts.shapes.shape import Benchmark, Experiments, Method, shape
from core.report.verdicts.speedups import BoundedFactor, judge_factor

INITIAL = 5  # evaluations of the initial design, at every scale
FLOOR = 5e-4  # a millionth of the largest values of the quadratic functions; smaller regrets count as that
ALL_SETS = "all sets"


@shape
def regret_ratio(
    results: Results,
    runs: Experiments,
    benchmark: Benchmark,
    fast: Method,
    slow: Method,
    seed: int,
    above: float = 0.0,
    below: float = math.inf,
    less: str = "",
) -> Check:
    """The regret of one method over that of another lies between two factors.

    Args:
        less: Words for a ratio below the region, whose methods differ in the claimed direction, but too much.
    """
    check = _ratio(frame_of(results, *runs), "regret", benchmark, (fast, slow), seed, (above, below))
    too_much = less and check.holds == "fails" and check.high < above
    return replace(check, detail=f"{check.detail}, {less}") if too_much else check


@shape
def ratio_on_all_sets(results: Results, runs: Experiments, fast: Method, slow: Method, seed: int) -> Check:
    """On all sets together, by errors above the smallest that any run found on the set, one validation row or more."""
    frame = above_best(frame_of(results, *runs))
    # Logarithms stop at the smallest positive error on the set, which is one validation row.
    row = frame["loss"].where(frame["loss"] > 0).groupby(frame["benchmark"]).transform("min")
    frame = together(frame.assign(loss=frame["loss"].clip(lower=row)))
    return _ratio(frame, "loss", ALL_SETS, (fast, slow), seed, (0.0, 1.0))


@shape
def ahead_in_error(
    results: Results, runs: Experiments, benchmark: Benchmark, fast: Method, slow: Method, seed: int
) -> Check:
    """The relative error of one method's incumbent, averaged over evaluations, is smaller than that of another.

    It is compared as it is, not by logarithms: it may be 0 or below on a surrogate.
    """
    frame = common_runs(frame_of(results, *runs))
    if missing := [name for name in (fast, slow) if name not in set(frame["method"])]:
        return pending(missing[0])
    errors = [_after_initial(frame, "regret", benchmark, name).mean(1) for name in (slow, fast)]
    interval = bootstrap_interval(errors[0] - errors[1], mean, seed)
    return worded(judge(interval, lower=0.0), f"{fast} ahead of {slow} by", "+.3f")


def above_best(frame: pd.DataFrame) -> pd.DataFrame:
    """Losses above the smallest that any run of any method found on the same benchmark."""
    return frame.assign(loss=frame["loss"] - frame.groupby("benchmark")["loss"].transform("min"))


def common_runs(frame: pd.DataFrame) -> pd.DataFrame:
    """The runs that every method has on a benchmark: run numbers stand for tasks, so other runs are of other tasks."""
    methods = frame.groupby(["benchmark", "run"])["method"].transform("nunique")
    return frame[methods == frame.groupby("benchmark")["method"].transform("nunique")]


def together(frame: pd.DataFrame) -> pd.DataFrame:
    """One benchmark of all: each run of each benchmark becomes a run of its own, numbered alike for all methods."""
    return frame.assign(run=frame.groupby(["benchmark", "run"]).ngroup(), benchmark=ALL_SETS)


def _ratio(
    frame: pd.DataFrame,
    metric: str,
    benchmark: str,
    methods: tuple[str, str],
    seed: int,
    between: tuple[float, float],
) -> Check:
    """Regret of the first method over that of the second, which should lie between two factors.

    Means over evaluations are those of logarithms to base 10.
    """
    if missing := [name for name in methods if name not in set(frame["method"])]:
        return pending(missing[0])
    pair = common_runs(frame[frame["method"].isin(methods)])
    regrets = (_after_initial(pair, metric, benchmark, name) for name in methods)
    ours, theirs = (np.log10(np.maximum(each, FLOOR)).mean(1) for each in regrets)
    interval = bootstrap_interval(ours - theirs, mean, seed)
    return judge_factor(BoundedFactor(interval, interval), between, "{} over {}: ".format(*methods))


def _after_initial(frame: pd.DataFrame, metric: str, benchmark: str, method: str) -> np.ndarray:
    """The incumbents' values after each evaluation beyond the initial design, (runs, n)."""
    return incumbent(per_run(frame, metric, benchmark, method))[:, INITIAL:]
