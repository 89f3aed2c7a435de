"""The same observations on all sets (Fig D.10), for which D.3 refers to 7.4.1; each is a part for each set."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from core.experiment.results import Results
from core.optimizers.brackets import epochs_of_brackets
from core.report import Check, Interval, all_of, bootstrap_interval, claim, each_of, judge, left_out
from core.report.figures.style import label as method_label
from core.report.statistics.win_probability import RESAMPLES, SEED
from papers.tabular.claims import observations
from papers.tabular.comparison_runs import METHODS, benchmarks_of, comparison_runs, durations, is_short
from papers.tabular.trained_tables import LABELS, label

ABOUT_AS_LONG = (0.8, 1.25)  # a ratio of times
BUDGETED = ("hyperband", "bohb")
BRACKETS, EVALUATIONS, MINIMUM_EPOCHS, EPOCHS, ETA = 125, 500, 3, 100, 3  # 7.4.1
PLACE = "thesis 7.4.1, to which D.3 refers"


@claim(
    artifact="figD_10",
    place=PLACE,
    kind="shape",
    sentence="SMAC, TPE and BOHAMIANN are as good as random search in the beginning, on all sets.",
)
def model_based_begin_like_random_everywhere(results: Results) -> Check:
    return _on_all_sets(results, observations.begin_like_random)


@claim(
    artifact="figD_10",
    place=PLACE,
    kind="shape",
    sentence="Once they have a meaningful model, SMAC, TPE and BOHAMIANN are better than random search, on all sets.",
)
def model_based_end_below_random_everywhere(results: Results) -> Check:
    return _on_all_sets(results, observations.end_below_random)


@claim(
    artifact="figD_10",
    place=PLACE,
    kind="shape",
    sentence="SMAC, TPE and BOHAMIANN begin to be better than random search at about the same time, on all sets.",
)
def model_based_leave_random_together_everywhere(results: Results) -> Check:
    return _on_all_sets(results, observations.leave_random_together)


@claim(
    artifact="figD_10",
    place=PLACE,
    kind="shape",
    sentence="SMAC, TPE and BOHAMIANN end with different regrets, on all sets.",
)
def model_based_end_differently_everywhere(results: Results) -> Check:
    return _on_all_sets(results, observations.end_differently)


@claim(
    artifact="figD_10",
    place=PLACE,
    kind="shape",
    sentence="In the beginning BOHB is as good as Hyperband, on all sets.",
)
def bohb_begins_like_hyperband_everywhere(results: Results) -> Check:
    return _on_all_sets(results, observations.bohb_like_hyperband)


@claim(
    artifact="figD_10",
    place=PLACE,
    kind="shape",
    sentence="Once it has a meaningful model, BOHB is better than Hyperband, on all sets.",
)
def bohb_ends_below_hyperband_everywhere(results: Results) -> Check:
    return _on_all_sets(results, observations.bohb_below_hyperband)


@claim(
    artifact="figD_10",
    place=PLACE,
    kind="shape",
    sentence="Hyperband reaches reasonably good results earlier than random search, on all sets.",
)
def hyperband_is_fast_everywhere(results: Results) -> Check:
    return _on_all_sets(results, observations.hyperband_below_random_early)


@claim(
    artifact="figD_10",
    place=PLACE,
    kind="shape",
    sentence="In the end Hyperband improves only slightly over random search, and by less than before, on all sets.",
)
def hyperband_ends_little_below_random_everywhere(results: Results) -> Check:
    return _on_all_sets(results, observations.hyperband_slightly_below_random)


@claim(
    artifact="figD_10",
    place=PLACE,
    kind="shape",
    sentence="Regularized evolution leaves random search behind later than Bayesian optimization, on all sets.",
)
def evolution_needs_longer_everywhere(results: Results) -> Check:
    return _on_all_sets(results, observations.evolution_needs_longer)


@claim(
    artifact="figD_10",
    place=PLACE,
    kind="shape",
    sentence="REINFORCE needs even more time than regularized evolution and Bayesian optimization, on all sets.",
)
def reinforce_is_slowest_everywhere(results: Results) -> Check:
    return _on_all_sets(results, observations.reinforce_later_than_all)


@claim(
    artifact="figD_10",
    place=PLACE,
    kind="shape",
    sentence="Eventually regularized evolution is better than random search, on all sets.",
)
def evolution_ends_below_random_everywhere(results: Results) -> Check:
    return _on_all_sets(results, observations.evolution_ends_below_random)


@claim(
    artifact="figD_10",
    place="thesis 7.4.1",
    kind="check",
    sentence="125 brackets take about as much time as the other methods' 500 evaluations.",
)
def brackets_take_as_long(results: Results) -> Check:
    """The epochs of 125 brackets over those of 500 evaluations, as the authors count; 0.8 to 1.25.

    The detail has the seconds of Hyperband and of BOHB over the other methods' average on each set, which depend on how
    long the configurations train that a method prefers.
    """
    frame = comparison_runs(results)
    ratio = epochs_of_brackets(BRACKETS, MINIMUM_EPOCHS, EPOCHS, ETA, floored=True) / (EVALUATIONS * EPOCHS)
    times = []
    for benchmark in benchmarks_of(frame):
        run = set(frame.loc[frame["benchmark"] == benchmark, "method"])
        others = [name for name in METHODS if name in run - set(BUDGETED) and not is_short(frame, benchmark, name)]
        times += [_relative_time(frame, benchmark, name, others) for name in BUDGETED if name in run and others]
    detail = f"epochs of brackets over those of evaluations; seconds: {', '.join(times)}"
    return judge(Interval.exact(ratio), "roughly the same", *ABOUT_AS_LONG, detail=detail)


def _on_all_sets(results: Results, check: Callable[[pd.DataFrame, str], Check]) -> Check:
    """A part for each set; without those that were not run."""
    frame = comparison_runs(results)
    run = benchmarks_of(frame)
    names = [*LABELS, *(name for name in run if name not in LABELS)]
    parts = each_of(names, run, lambda name: check(frame, name), label, left_out)
    return all_of(parts, "on all sets")


def _relative_time(frame: pd.DataFrame, benchmark: str, method: str, others: list[str]) -> str:
    """Median duration of a method's runs over the average median of the others, in words."""

    def ratio(ours: np.ndarray, *theirs: np.ndarray) -> np.ndarray:
        return np.median(ours, axis=1) / np.mean([np.median(one, axis=1) for one in theirs], axis=0)

    samples = tuple(durations(frame, benchmark, name) for name in (method, *others))
    interval = bootstrap_interval(samples, ratio, SEED, RESAMPLES)
    return f"{label(benchmark)}, {method_label(method)} {interval.text('.2f')}"
