"""Claims about searches that start from other data sets (thesis 3.6.2, NIPS 6.2), and the shapes of the table.

Runs of the same number share what is known of the other sets, and methods of one task their initial designs, so that
differences are bootstrapped in pairs.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd

from core.experiment.results import Results
from core.report import Check, all_of, bootstrap_interval, claim, judge, worded
from core.report.statistics.reductions import mean
from core.report.verdicts.shapes.shape import Benchmark, Experiment, Method, shape
from papers.bohamiann.multitask_runs import (
    OPENML,
    PROBLEMS,
    SETS,
    WINE,
    evaluations_to_target,
    log_loss,
    points_of_regret,
)

SEED = 0
HALF = 0.5


@shape
def last_loss_below(results: Results, better: Method, worse: Method, benchmark: Benchmark) -> Check:
    """The last incumbent's log loss is below that of another method."""
    frame = results.frame("xgboost")
    difference = log_loss(frame, benchmark, worse)[:, -1] - log_loss(frame, benchmark, better)[:, -1]
    check = judge(bootstrap_interval(difference, mean, SEED), lower=0.0)
    return worded(check, f"{benchmark}, {worse} above", "+.3f")


@shape
def ahead_on_average(results: Results, several: Method, alone: Method, benchmark: Benchmark) -> Check:
    """The incumbent's log loss is smaller with what is known of other sets, averaged over the evaluations."""
    gain = _gain(results.frame("xgboost"), benchmark, several, alone)
    check = judge(bootstrap_interval(gain, mean, SEED), lower=0.0)
    return worded(check, f"{benchmark}, {several} ahead of {alone}", "+.3f")


@shape
def final_points_of_regret(results: Results, method: Method, below: float) -> Check:
    """The final regret in percentage points, averaged over the problems, is below a limit."""
    frame = results.frame("multitask")
    last = np.mean([points_of_regret(frame, each, method)[:, -1] for each in _run(frame, PROBLEMS)], axis=0)
    check = judge(bootstrap_interval(last, mean, SEED), upper=below)
    return worded(check, f"{method}, percentage points", ".2f")


@shape
def evaluations_saved(results: Results, runs: Experiment, method: Method, above: float) -> Check:
    """The share of GP-BO's evaluations to the target that a method saves, all problems and runs together."""
    frame = results.frame(runs)
    times = _times(frame, method), _times(frame, "gp")

    def statistic(ours: np.ndarray, gp: np.ndarray) -> np.ndarray:
        return 1 - ours.mean((1, 2)) / gp.mean((1, 2))

    last = frame["evaluation"].max()
    reached = [f"{np.mean(values <= last):.0%} of {name}'s runs" for name, values in zip((method, "gp"), times)]
    detail = f"reached by {' and '.join(reached)}"
    return judge(bootstrap_interval(times, statistic, SEED, paired=True), lower=above, detail=detail)


@claim(
    artifact="fig3_4",
    place="thesis 3.6.2",
    sentence="On wine, evaluations on another set do not help.",
    published="2 of 2",
)
def wine_is_the_exception(results: Results) -> Check:
    """On wine, either multi-task method is ahead by less than half of what it is on the mean of the other sets.

    That is what makes wine an exception; it need not lose, and that no gain is seen does not show that there is none.
    """
    frame = results.frame("xgboost")
    return all_of([_exception(frame, *pair) for pair in (("mt_bohamiann", "bohamiann"), ("mt_gp", "gp"))])


@claim(
    artifact="multitask",
    place="NIPS 6.2",
    sentence="MT-BOHAMIANN is the faster of the two multi-task methods.",
    published=0.07,
)
def multitask_bohamiann_is_the_faster_one(results: Results) -> Check:
    """How many evaluations multi-task GP-BO needs more to the target, as a share of GP-BO's; above 0."""
    frame = results.frame("multitask")
    times = tuple(_times(frame, method) for method in ("mt_gp", "mt_bohamiann", "gp"))

    def statistic(other: np.ndarray, ours: np.ndarray, gp: np.ndarray) -> np.ndarray:
        return (other.mean((1, 2)) - ours.mean((1, 2))) / gp.mean((1, 2))

    return judge(bootstrap_interval(times, statistic, SEED, paired=True), lower=0)


def _exception(frame: pd.DataFrame, several: str, alone: str) -> Check:
    """The gain on wine less half of the mean gain on the other sets at hand; below 0."""
    others = [name for name in _run(frame, SETS) if name != WINE]
    gains = tuple(_gain(frame, name, several, alone) for name in (WINE, *others))

    def statistic(wine: np.ndarray, *rest: np.ndarray) -> np.ndarray:
        return wine.mean(1) - HALF * np.mean([values.mean(1) for values in rest], axis=0)

    ahead = f"{several} ahead of {alone} by {gains[0].mean():+.3f} on wine"
    check = judge(bootstrap_interval(gains, statistic, SEED), upper=0.0)
    return worded(check, f"{ahead}, less half of that on the others", "+.3f")


def _gain(frame: pd.DataFrame, name: str, several: str, alone: str) -> np.ndarray:
    """By how much the incumbent's log loss is smaller, averaged over the evaluations, (runs,)."""
    return (log_loss(frame, name, alone) - log_loss(frame, name, several)).mean(1)


def _times(frame: pd.DataFrame, method: str) -> np.ndarray:
    """Evaluations to the target, (runs, problems)."""
    return np.stack(
        [evaluations_to_target(frame, problem, method) for problem in _run(frame, PROBLEMS | OPENML)], axis=1
    )


def _run(frame: pd.DataFrame, names: Iterable[str]) -> list[str]:
    """Those benchmarks that were run."""
    present = set(frame["benchmark"])
    return [name for name in names if name in present]
