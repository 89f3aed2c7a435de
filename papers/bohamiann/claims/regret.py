"""Claims about BOHAMIANN's Bayesian optimization (NIPS 6.1, thesis 3.6.1), and the shapes of the table."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from core.experiment.results import Results
from core.report import (
    Cause,
    Check,
    Interval,
    all_of,
    bootstrap_interval,
    claim,
    each_of,
    frame_of,
    judge,
    rows_of,
    worded,
)
from core.report.runs.trajectories import common_ends, log_regret
from core.report.statistics.reductions import mean
from core.report.verdicts.shapes.shape import Benchmark, Experiments, Method, Methods, shape
from papers.bohamiann.regret_runs import FIGURE_A1, HPOLIB, hpolib_runs, thesis_runs

SEED = 0
NOT_WORSE = 0.1  # share of what the GP gains over random search that a method may lose and still match the GP
FAITHFUL = 0.75  # share of an interval, of which two standard deviations should hold 0.95


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


@claim(
    artifact="figA_1",
    place="thesis 3.6.1",
    sentence="Against GP-based optimization BOHAMIANN ties or wins on half of the functions.",
    published=5 / 8,
    cause=Cause(
        "unknown",
        "our GP is stronger than RoBO's, whose targets only lose their mean: in papers/dngo that one's mean log "
        "regret is -1.1 and -0.7 on Branin and Hartmann6 after 50 evaluations, BOHAMIANN's -3.2 and -0.7 here, our "
        "GP's -5.2 and -1.3; but the two GPs differ in more than that, and RoBO's was not run on all ten functions",
    ),
)
def bohamiann_ties_or_wins_on_half(results: Results) -> Check:
    """The share of functions on which BOHAMIANN ends above the GP; below the authors' share and one of our ten more.

    The authors count 2 ties, 2 wins and 4 losses. Two ties count as one function above and one below, which makes 5/8.
    """
    differences = _differences(thesis_runs(results), FIGURE_A1, "bohamiann_50", "gp")
    outcomes = [_outcome(_mean_interval(difference)) for difference in differences.T]
    tally = ", ".join(f"{outcomes.count(word)} {word}" for word in ("ties", "wins", "losses"))
    each = zip(FIGURE_A1, differences.mean(axis=0), outcomes, strict=True)
    detail = f"share above; {tally}: " + "; ".join(f"{name} {mean:+.2f} ({word})" for name, mean, word in each)
    interval = bootstrap_interval(differences, lambda drawn: (drawn.mean(1) > 0).mean(1), SEED)
    return judge(interval, upper=5 / 8 + 1 / len(FIGURE_A1), detail=detail)


@claim(
    artifact="hpolib",
    place="NIPS 6.1",
    sentence="All optimizers perform acceptably on the functions and the HPOLib benchmarks.",
    published="all",
    cause=Cause(
        "our code",
        "it fails for DNGO on SVM alone, whose two widths end at a regret of 0.008, above random search's 0.0016; ours "
        "ends above the printed loss on that grid in papers/dngo, too",
    ),
)
def all_optimizers_are_acceptable(results: Results) -> Check:
    """Every optimizer ends below random search, on each of the five benchmarks; "acceptable" is read so.

    Those that we did not run on a benchmark leave it unshown.
    """
    frame, parts = hpolib_runs(results), []
    names = sorted(set(frame["method"]) - {"random"})
    for benchmark in HPOLIB:
        run = set(frame.loc[frame["benchmark"] == benchmark, "method"])

        def check(name: str, benchmark: str = benchmark) -> Check:
            interval = _mean_interval(np.subtract(*common_ends(frame, "loss", benchmark, ("random", name))))
            return worded(judge(interval, lower=0.0), f"{benchmark}, random against {name}", "+.2g")

        parts += each_of(names, run, check, f"{benchmark}, {{}}".format)
    return all_of(parts)


@claim(
    artifact="fig1_right",
    place="NIPS Section 5 and Fig 1 right",
    kind="shape",
    sentence="With few observations BOHAMIANN represents the uncertainty of its model faithfully.",
    published="faithful",
    cause=Cause(
        "unknown",
        "checked were the text's raised friction with the later code's noise prior, which cover 0.49 instead of "
        "0.50 of the interval: neither is the reason",
    ),
)
def uncertainty_is_faithful(results: Results) -> Check:
    """The mean share of a grid on [0, 1] where sinOne is within two standard deviations of the predictive mean.

    Those should hold 95%; above 75% counts as faithful, our limit.
    """
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


def _outcome(interval: Interval) -> str:
    return "losses" if interval.low > 0 else "wins" if interval.high < 0 else "ties"
