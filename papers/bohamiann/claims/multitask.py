"""Claims about searches that start from other data sets (thesis 3.6.2, NIPS 6.2).

Runs of the same number share what is known of the other sets, and methods of one task their initial designs, so that
differences are bootstrapped in pairs. Losses of XGBoost are compared by logarithms: sets differ in scale.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd

from core.experiment.results import Results
from core.report import Check, all_of, bootstrap_interval, claim, judge, worded
from core.report.statistics.reductions import mean
from core.report.verdicts.outcomes import each_of, left_out
from papers.bohamiann.multitask_runs import (
    PROBLEMS,
    SETS,
    SHOWN,
    TARGET,
    WINE,
    evaluations_to_target,
    log_loss,
    points_of_regret,
)

SEED = 0
HALF = 0.5


@claim(
    artifact="fig3_4",
    place="thesis 3.6.2 and Fig 3.4",
    sentence="BOHAMIANN ends below GP-BO and random search on all three sets.",
)
def bohamiann_is_best_on_three(results: Results) -> Check:
    return _better(results.frame("xgboost"), SHOWN, "bohamiann", ("gp", "random"))


@claim(
    artifact="figA_2",
    place="thesis 3.6.2 and Fig A.2",
    sentence="BOHAMIANN ends below GP-BO on every set.",
)
def bohamiann_is_above_the_gp(results: Results) -> Check:
    return _better(results.frame("xgboost"), SETS, "bohamiann", ("gp",))


@claim(
    artifact="figA_2",
    place="thesis 3.6.2 and Fig A.2",
    sentence="BOHAMIANN ends below random search on every set.",
)
def bohamiann_is_above_random(results: Results) -> Check:
    return _better(results.frame("xgboost"), SETS, "bohamiann", ("random",))


@claim(
    artifact="figA_2",
    place="thesis 3.6.2",
    sentence="What is known of another set speeds BOHAMIANN up on every set but wine.",
)
def warm_starts_help_bohamiann(results: Results) -> Check:
    return _sooner(results.frame("xgboost"), "mt_bohamiann", "bohamiann")


@claim(
    artifact="figA_2",
    place="thesis 3.6.2",
    sentence="What is known of another set speeds GP-BO up on every set but wine.",
)
def warm_starts_help_the_gp(results: Results) -> Check:
    return _sooner(results.frame("xgboost"), "mt_gp", "gp")


@claim(
    artifact="fig3_4",
    place="thesis 3.6.2",
    sentence="On wine, what is known of another set does not help.",
)
def wine_is_the_exception(results: Results) -> Check:
    """On wine, either multi-task method is ahead by less than half of what it is on the mean of the other sets.

    That is what makes wine an exception; it need not lose, and that no gain is seen does not show that there is none.
    """
    frame = results.frame("xgboost")
    return all_of([_exception(frame, *pair) for pair in (("mt_bohamiann", "bohamiann"), ("mt_gp", "gp"))], "2 of 2")


@claim(
    artifact="multitask",
    place="NIPS 6.2",
    sentence="All methods end near the optimum.",
)
def all_end_near_the_optimum(results: Results) -> Check:
    """Averaged over the problems, each method's final regret is below the regret that the paper measures times to."""
    frame = results.frame("multitask")
    problems = _run(frame, PROBLEMS)
    checks = []
    for method in ("gp", "mt_gp", "mt_bohamiann"):
        last = np.mean([points_of_regret(frame, problem, method)[:, -1] for problem in problems], axis=0)
        check = judge(bootstrap_interval(last, mean, SEED), "near 0", upper=TARGET)
        checks.append(worded(check, f"{method}, percentage points", ".2f"))
    return all_of(checks, "3 of 3")


@claim(
    artifact="multitask",
    place="NIPS 6.2",
    sentence="MT-BOHAMIANN reaches a regret of 0.25 sooner than GP-BO.",
    headline=True,
)
def multitask_bohamiann_is_faster(results: Results) -> Check:
    return _saved(results.frame("multitask"), "mt_bohamiann", 0.12)


@claim(
    artifact="multitask",
    place="NIPS 6.2",
    sentence="Multi-task GP-BO reaches a regret of 0.25 sooner than GP-BO.",
)
def multitask_gp_is_faster(results: Results) -> Check:
    return _saved(results.frame("multitask"), "mt_gp", 0.05)


@claim(
    artifact="multitask",
    place="NIPS 6.2",
    sentence="MT-BOHAMIANN is the faster of the two multi-task methods.",
)
def multitask_bohamiann_is_the_faster_one(results: Results) -> Check:
    frame = results.frame("multitask")
    times = tuple(_times(frame, method) for method in ("mt_gp", "mt_bohamiann", "gp"))

    def statistic(other: np.ndarray, ours: np.ndarray, gp: np.ndarray) -> np.ndarray:
        return (other.mean((1, 2)) - ours.mean((1, 2))) / gp.mean((1, 2))

    return judge(bootstrap_interval(times, statistic, SEED, paired=True), 0.07, lower=0)


def _better(frame: pd.DataFrame, names: Iterable[str], ours: str, others: Iterable[str]) -> Check:
    """On each set, the last incumbent's log loss is below that of each other method."""
    names = list(names)

    def check(name: str, other: str) -> Check:
        difference = log_loss(frame, name, other)[:, -1] - log_loss(frame, name, ours)[:, -1]
        found = judge(bootstrap_interval(difference, mean, SEED), 0.0, lower=0.0)
        return worded(found, f"{name}, {other} above", "+.3f")

    run = _run(frame, names)
    checks = [
        part
        for other in others
        for part in each_of(names, run, lambda name, other=other: check(name, other), missing=left_out)
    ]
    return all_of(checks, "all")


def _sooner(frame: pd.DataFrame, several: str, alone: str) -> Check:
    names = [name for name in SETS if name != WINE]

    def check(name: str) -> Check:
        found = judge(bootstrap_interval(_gain(frame, name, several, alone), mean, SEED), 0.0, lower=0.0)
        return worded(found, f"{name}, {several} ahead of {alone}", "+.3f")

    return all_of(each_of(names, _run(frame, names), check, missing=left_out), "all but wine")


def _exception(frame: pd.DataFrame, several: str, alone: str) -> Check:
    """The gain on wine less half of the mean gain on the other sets at hand; below 0."""
    others = [name for name in _run(frame, SETS) if name != WINE]
    gains = tuple(_gain(frame, name, several, alone) for name in (WINE, *others))

    def statistic(wine: np.ndarray, *rest: np.ndarray) -> np.ndarray:
        return wine.mean(1) - HALF * np.mean([values.mean(1) for values in rest], axis=0)

    ahead = f"{several} ahead of {alone} by {gains[0].mean():+.3f} on wine"
    found = judge(bootstrap_interval(gains, statistic, SEED), 0.0, upper=0.0)
    return worded(found, f"{ahead}, less half of that on the others", "+.3f")


def _gain(frame: pd.DataFrame, name: str, several: str, alone: str) -> np.ndarray:
    """By how much the incumbent's log loss is smaller, averaged over the evaluations, (runs,)."""
    return (log_loss(frame, name, alone) - log_loss(frame, name, several)).mean(1)


def _saved(frame: pd.DataFrame, method: str, published: float) -> Check:
    """The share of GP-BO's evaluations to the target that a method saves, all problems and runs together."""
    times = _times(frame, method), _times(frame, "gp")

    def statistic(ours: np.ndarray, gp: np.ndarray) -> np.ndarray:
        return 1 - ours.mean((1, 2)) / gp.mean((1, 2))

    last = frame["evaluation"].max()
    reached = [f"{np.mean(values <= last):.0%} of {name}'s runs" for name, values in zip((method, "gp"), times)]
    detail = f"reached by {' and '.join(reached)}"
    return judge(bootstrap_interval(times, statistic, SEED, paired=True), published, lower=0, detail=detail)


def _times(frame: pd.DataFrame, method: str) -> np.ndarray:
    """Evaluations to the target, (runs, problems)."""
    return np.stack([evaluations_to_target(frame, problem, method) for problem in _run(frame, PROBLEMS)], axis=1)


def _run(frame: pd.DataFrame, names: Iterable[str]) -> list[str]:
    """Those benchmarks that were run."""
    present = set(frame["benchmark"])
    return [name for name in names if name in present]
