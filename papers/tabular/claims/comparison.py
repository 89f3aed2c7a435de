"""What 7.4.1 says of the methods on all sets at hand, beside its observations in the table."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pandas as pd

from core.experiment.results import Results
from core.optimizers.brackets import epochs_of_brackets
from core.report import Cause, Check, Interval, all_of, bootstrap_interval, claim, judge, not_run, worded
from core.report.statistics.comparisons import RESAMPLES, SEED
from core.report.style import label as method_label
from core.report.verdicts.checks import at_least
from papers.tabular.claims.pairs_of_methods import better_at_the_end, each
from papers.tabular.comparison_runs import METHODS, benchmarks_of, comparison_runs, durations, is_short
from papers.tabular.trained_tables import LABELS, label

ABOUT_AS_LONG = (0.8, 1.25)  # a ratio of times
BUDGETED = ("hyperband", "bohb")
BRACKETS, EVALUATIONS, MINIMUM_EPOCHS, EPOCHS, ETA = 125, 500, 3, 100, 3  # 7.4.1


@claim(
    artifact="fig7_5",
    place="thesis 7.4.1",
    sentence="Regularized evolution often ends best of all methods.",
    published="often",
    headline="Regularized evolution often ends best",
    cause=Cause(
        "our substitute",
        "500 evaluations search 768 configurations instead of 62,208: on protein TPE and BOHB find the best one in 91% "
        "of their runs, so that no method can end lower; evolution finds it in 13% of its runs after its first "
        "population of 100 and in 81% at the end",
    ),
)
def evolution_is_best_at_the_end(results: Results) -> Check:
    """On how many of the sets at hand; "often" is on half of them or more."""
    frame = comparison_runs(results)
    names = [name for name in LABELS if name in benchmarks_of(frame)]
    checks = [worded(_evolution_ends_best(frame, name), label(name)) for name in names]
    parts = [replace(check, detail=f"{check.holds}: {check.detail}") for check in checks]
    return at_least(math.ceil(len(parts) / 2), parts) if parts else not_run()


@claim(
    artifact="figD_10",
    place="thesis 7.4.1",
    kind="check",
    sentence="125 brackets take about as much time as the other methods' 500 evaluations.",
    published="roughly the same",
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
    return judge(Interval.exact(ratio), *ABOUT_AS_LONG, detail=detail)


def _evolution_ends_best(frame: pd.DataFrame, benchmark: str) -> Check:
    """Regularized evolution against each other method at the end: above one half."""
    ours, others = "regularized_evolution", [method for method in METHODS if method != "regularized_evolution"]
    return all_of(each(frame, others, lambda other: better_at_the_end(frame, ours, other, benchmark), benchmark))


def _relative_time(frame: pd.DataFrame, benchmark: str, method: str, others: list[str]) -> str:
    """Median duration of a method's runs over the average median of the others, in words."""

    def ratio(ours: np.ndarray, *theirs: np.ndarray) -> np.ndarray:
        return np.median(ours, axis=1) / np.mean([np.median(one, axis=1) for one in theirs], axis=0)

    samples = tuple(durations(frame, benchmark, name) for name in (method, *others))
    interval = bootstrap_interval(samples, ratio, SEED, RESAMPLES)
    return f"{label(benchmark)}, {method_label(method)} {interval.text('.2f')}"
