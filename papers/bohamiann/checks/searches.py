"""Bayesian optimization of functions (NIPS 6.1, thesis 3.6.1), and searches that start from other data sets.

The statistic is the logarithm (base 10) of the regret after the last evaluation, averaged over the runs: regrets span
orders of magnitude, and a mean of the regrets themselves would reflect the worst run alone. Losses of XGBoost (thesis
3.6.2) are compared by logarithms too, since sets differ in scale; the groups of classification sets (NIPS 6.2) by
evaluations to a target. Runs of the same number share their initial designs and what is known of other sets, so that
differences are bootstrapped in pairs.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from core.experiment.results import Results
from core.report import Check, Interval, bootstrap_interval, each_of, frame_of, judge, rows_of, worded
from core.report.runs.frames import once
from core.report.runs.trajectories import common_ends, incumbent, log_regret, per_run
from core.report.statistics.intervals import mean
from core.report.verdicts.shapes.shape import Benchmark, Experiment, Experiments, Method, Methods, shape

SEED = 0
NOT_WORSE = 0.1  # share of what the GP gains over random search that a method may lose and still match the GP
FAITHFUL = 0.75  # share of an interval, of which two standard deviations should hold 0.95
HALF = 0.5
WINE = "wine_red"
TARGET = 0.25
"""The regret to be reached on groups of sets, in percentage points of the validation error."""

FIGURE_A1 = (
    "branin",
    "hartmann3",
    "hartmann6",
    "camelback",
    "goldstein_price",
    "rosenbrock",
    "sin_one",
    "sin_two",
    "bohachevsky",
    "levy",
)
"""The functions of Fig A.1. The text names only three of its eight panels; these ten are the authors' own list."""

THESIS = ("synthetic", "synthetic_pybnn", "synthetic_nips")
"""The searches of Figs 3.3 and A.1; DNGO with a verdict is pybnn's, BOHAMIANN that of the thesis' code."""

HPOLIB = {
    "branin": ("branin_full",),
    "hartmann6": ("hartmann6_nips", "synthetic"),
    "logistic_regression_on_grid": ("hpolib",),
    "lda_on_grid": ("hpolib",),
    "svm_on_grid": ("hpolib",),
}
"""The five HPOLib benchmarks and the experiments that ran them."""

SETS = (
    "boston",
    "wine_red",
    "yacht",
    "energy",
    "concrete",
    "power_plant",
    "naval",
    "protein",
    "parkinsons",
    "slice_localization",
)
"""The regression sets of Table E.2."""


@once
def thesis_runs(results: Results) -> pd.DataFrame:
    """The runs on the thesis' functions that the artifact draws from; Fig A.1 has no NIPS variant."""
    return pd.concat([results.frame(name) for name in THESIS if name in results.experiments], ignore_index=True)


@once
def hpolib_runs(results: Results) -> pd.DataFrame:
    """The runs of all five benchmarks: Branin's are those of Fig 1 left, Hartmann6's but BOHAMIANN's those of Fig A.1.

    Fig A.1 is the thesis', whose BOHAMIANN has another start and prior than that of the NIPS paper.
    """
    frames = []
    for benchmark, experiments in HPOLIB.items():
        for experiment in experiments:
            frame = results.frame(experiment)
            frame = frame[frame["benchmark"] == benchmark]
            frames.append(frame[~frame["method"].str.startswith("bohamiann")] if experiment == "synthetic" else frame)
    return pd.concat(frames, ignore_index=True)


@shape
def mean_final_log_regret(
    results: Results, runs: Experiments, benchmarks: tuple[Benchmark, ...], first: Method, second: Method, above: float
) -> Check:
    """The logarithm of one method's final regret less that of another, averaged over functions, is above a limit."""
    differences = _differences(frame_of(results, *runs), benchmarks, first, second)
    check = judge(_mean_interval(differences.mean(axis=1)), lower=above)
    return worded(check, f"{first} against {second}", "+.2f")


@shape
def width_matters_less(
    results: Results, runs: Experiments, benchmarks: tuple[Benchmark, ...], less: Methods, more: Methods
) -> Check:
    """The absolute difference between one model's two widths minus that between another's, in orders of magnitude.

    Args:
        less: The two widths of the model that depends on them less.
        more: Those of the other model.
    """
    frame = frame_of(results, *runs)
    ends = [_log_ends(frame, name, (*more, *less)) for name in benchmarks]
    samples = tuple(map(_in_common_runs, zip(*ends, strict=True)))

    def statistic(m1: np.ndarray, m2: np.ndarray, l1: np.ndarray, l2: np.ndarray) -> np.ndarray:
        more, less = (np.abs(one.mean(1) - other.mean(1)) for one, other in ((m1, m2), (l1, l2)))
        return (more - less).mean(-1)

    return judge(bootstrap_interval(samples, statistic, SEED, paired=True), lower=0)


@shape
def bohamiann_ties_or_wins_on_half(results: Results) -> Check:
    """The share of functions on which BOHAMIANN ends above the GP; below the authors' share and one of our ten more."""
    differences = _differences(thesis_runs(results), FIGURE_A1, "bohamiann_50", "gp")
    intervals = [_mean_interval(difference) for difference in differences.T]
    outcomes = ["losses" if low > 0 else "wins" if high < 0 else "ties" for _, low, high in intervals]
    tally = ", ".join(f"{outcomes.count(word)} {word}" for word in ("ties", "wins", "losses"))
    each = zip(FIGURE_A1, differences.mean(axis=0), outcomes, strict=True)
    detail = f"share above; {tally}: " + "; ".join(f"{name} {mean:+.2f} ({word})" for name, mean, word in each)
    interval = bootstrap_interval(differences, lambda drawn: (drawn.mean(1) > 0).mean(1), SEED)
    return judge(interval, upper=5 / 8 + 1 / len(FIGURE_A1), detail=detail)


@shape
def matches_gp(results: Results, benchmark: Benchmark, method: Method) -> Check:
    """What a method's mean final loss is above the GP's, less a tenth of what the GP gains over random search."""
    frame, methods = hpolib_runs(results), (method, "gp", "random")
    losses = tuple(common_ends(frame, "loss", benchmark, methods))

    def allowed(gp: np.ndarray, random: np.ndarray) -> np.ndarray:
        return NOT_WORSE * np.maximum(random - gp, 0.0)

    def statistic(*drawn: np.ndarray) -> np.ndarray:
        ours, gp, random = (values.mean(1) for values in drawn)
        return ours - gp - allowed(gp, random)

    ours, gp, random = (values.mean() for values in losses)
    words = f"{benchmark}, above the GP by {ours - gp:+.3g}, less {allowed(gp, random):.2g}"
    return worded(judge(bootstrap_interval(losses, statistic, SEED, paired=True), upper=0.0), words, "+.2g")


@shape
def all_optimizers_are_acceptable(results: Results) -> list[Check]:
    """Every optimizer ends below random search, on each of the five benchmarks."""
    frame, parts = hpolib_runs(results), []
    names = sorted(set(frame["method"]) - {"random"})
    for benchmark in HPOLIB:
        run = set(frame.loc[frame["benchmark"] == benchmark, "method"])

        def check(name: str, benchmark: str = benchmark) -> Check:
            interval = _mean_interval(np.subtract(*common_ends(frame, "loss", benchmark, ("random", name))))
            return worded(judge(interval, lower=0.0), f"{benchmark}, random against {name}", "+.2g")

        parts += each_of(names, run, check, f"{benchmark}, {{}}".format)
    return parts


@shape
def uncertainty_is_faithful(results: Results) -> Check:
    """The mean share of a grid on [0, 1] where sinOne is within two standard deviations of the predictive mean."""
    frame = rows_of(results, "sin_one_fit", method="bohamiann_50", part="grid")
    inside = (frame["value"] - frame["mean"]).abs() <= 2 * frame["sd"]
    share = inside.groupby(frame["run"]).mean().to_numpy()
    return judge(_mean_interval(share), lower=FAITHFUL, detail="share within two standard deviations")


def _differences(frame: pd.DataFrame, benchmarks: Sequence[str], first: str, second: str) -> np.ndarray:
    """Logarithms of one method's final regrets less those of another, (runs, functions).

    On each function after the evaluations that both have; in the runs that both have on all functions.
    """
    return _in_common_runs([np.subtract(*_log_ends(frame, name, (first, second))) for name in benchmarks])


def _in_common_runs(columns: Sequence[np.ndarray]) -> np.ndarray:
    """(runs, columns) of columns that may differ in their number of runs."""
    runs = min(map(len, columns))
    return np.stack([values[:runs] for values in columns], axis=1)


def _log_ends(frame: pd.DataFrame, benchmark: str, methods: Sequence[str]) -> list[np.ndarray]:
    return [log_regret(values) for values in common_ends(frame, "regret", benchmark, methods)]


def _mean_interval(values: np.ndarray) -> Interval:
    return bootstrap_interval(values, mean, SEED)


@shape
def last_loss_below(results: Results, better: Method, worse: Method, benchmark: Benchmark) -> Check:
    """The last incumbent's log loss is below that of another method."""
    frame = results.frame("xgboost")
    difference = _log_loss(frame, benchmark, worse)[:, -1] - _log_loss(frame, benchmark, better)[:, -1]
    return worded(judge(_mean_interval(difference), lower=0.0), f"{benchmark}, {worse} above", "+.3f")


@shape
def ahead_on_average(results: Results, several: Method, alone: Method, benchmark: Benchmark) -> Check:
    """The incumbent's log loss is smaller with what is known of other sets, averaged over the evaluations."""
    gain = _gain(results.frame("xgboost"), benchmark, several, alone)
    return worded(judge(_mean_interval(gain), lower=0.0), f"{benchmark}, {several} ahead of {alone}", "+.3f")


@shape
def gains_less_on_wine(results: Results, several: Method, alone: Method) -> Check:
    """On wine, a method is ahead of another by less than half of what it is on the mean of the other sets at hand."""
    frame = results.frame("xgboost")
    others = [name for name in SETS if name != WINE and name in set(frame["benchmark"])]
    gains = tuple(_gain(frame, name, several, alone) for name in (WINE, *others))

    def statistic(wine: np.ndarray, *rest: np.ndarray) -> np.ndarray:
        return wine.mean(1) - HALF * np.mean([values.mean(1) for values in rest], axis=0)

    ahead = f"{several} ahead of {alone} by {gains[0].mean():+.3f} on wine"
    check = judge(bootstrap_interval(gains, statistic, SEED), upper=0.0)
    return worded(check, f"{ahead}, less half of that on the others", "+.3f")


def _gain(frame: pd.DataFrame, name: str, several: str, alone: str) -> np.ndarray:
    """By how much the incumbent's log loss is smaller, averaged over the evaluations, (runs,)."""
    return (_log_loss(frame, name, alone) - _log_loss(frame, name, several)).mean(1)


def _log_loss(frame: pd.DataFrame, benchmark: str, method: str) -> np.ndarray:
    """Logarithm to base 10 of the incumbent's loss after each evaluation, (runs, n); raises as `per_run`."""
    return np.log10(incumbent(per_run(frame, "loss", benchmark, method)))


@shape
def final_points_of_regret(results: Results, method: Method, below: float) -> Check:
    """The final regret in percentage points, averaged over the problems, is below a limit."""
    frame = results.frame("multitask")
    last = np.mean([points_of_regret(frame, each, method)[:, -1] for each in frame["benchmark"].unique()], axis=0)
    return worded(judge(_mean_interval(last), upper=below), f"{method}, percentage points", ".2f")


@shape
def evaluations_saved(results: Results, runs: Experiment, method: Method, above: float) -> Check:
    """The share of GP-BO's evaluations to the target that a method saves, all problems and runs together."""
    frame = results.frame(runs)
    times = evaluations_to_target(frame, method), evaluations_to_target(frame, "gp")

    def statistic(ours: np.ndarray, gp: np.ndarray) -> np.ndarray:
        return 1 - ours.mean((1, 2)) / gp.mean((1, 2))

    last = frame["evaluation"].max()
    reached = [f"{np.mean(values <= last):.0%} of {name}'s runs" for name, values in zip((method, "gp"), times)]
    detail = f"reached by {' and '.join(reached)}"
    return judge(bootstrap_interval(times, statistic, SEED, paired=True), lower=above, detail=detail)


@shape
def saves_more_evaluations(results: Results, better: Method, worse: Method) -> Check:
    """How many evaluations one method needs more to the target than another, as a share of GP-BO's; above 0."""
    frame = results.frame("multitask")
    times = tuple(evaluations_to_target(frame, method) for method in (worse, better, "gp"))

    def statistic(other: np.ndarray, ours: np.ndarray, gp: np.ndarray) -> np.ndarray:
        return (other.mean((1, 2)) - ours.mean((1, 2))) / gp.mean((1, 2))

    return judge(bootstrap_interval(times, statistic, SEED, paired=True), lower=0)


def evaluations_to_target(frame: pd.DataFrame, method: str) -> np.ndarray:
    """Number of evaluations until `TARGET` is reached, (runs, problems); one more than there were where it was not."""
    regrets = (points_of_regret(frame, name, method) for name in frame["benchmark"].unique())
    return np.stack([1 + (regret > TARGET + 1e-9).sum(1) for regret in regrets], axis=1)


def points_of_regret(frame: pd.DataFrame, benchmark: str, method: str) -> np.ndarray:
    """Immediate regret after each evaluation in percentage points, (runs, n); raises as `per_run`."""
    return 100 * incumbent(per_run(frame, "regret", benchmark, method))
