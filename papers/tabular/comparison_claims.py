"""Checks of what the thesis says of optimizers over time (7.4.1), on protein; on all sets where D.3 has them.

"Better" and "as good" are probabilities, see probabilities.py. Where a sentence is about the end of a set, methods
whose runs end before it are unknown.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from core.experiment.results import Results
from core.report.bootstrap import bootstrap_interval
from core.report.checks import Check, absent, all_of, judge
from core.report.style import label as method_label
from papers.tabular.comparison_figures import METHODS, benchmarks_of, comparison_runs, durations, ends, is_short
from papers.tabular.parts import contrary, worded
from papers.tabular.probabilities import (
    END,
    PROTEIN,
    RESAMPLES,
    SEED,
    alike,
    better,
    better_at_the_end,
    each,
    later,
    probabilities,
    probability,
    regret_at,
    resampled,
    together,
    unfinished,
    wins,
)
from papers.tabular.tables import LABELS, label

MODEL_BASED = ("smac", "tpe", "bohamiann")
BEGINNING, EARLY = 0.002, 0.04  # shares of the end: 1 and 20 of random search's 500 evaluations
SLIGHTLY = (0.5, 0.65)  # a probability
ABOUT_AS_LONG = (0.8, 1.25)  # a ratio of times
BUDGETED = ("hyperband", "bohb")


def model_based_begin_like_random(results: Results) -> Check:
    """SMAC, TPE and BOHAMIANN against random search after the time of 20 evaluations: near one half."""
    frame = comparison_runs(results)
    return all_of(each(frame, MODEL_BASED, lambda name: alike(frame, name, "random", EARLY)), "as well as")


def model_based_end_below_random(results: Results) -> Check:
    """The same at the end, or where their own runs end: above one half."""
    frame = comparison_runs(results)
    return all_of(each(frame, MODEL_BASED, lambda name: better(frame, name, "random", END)), "superior")


def model_based_leave_random_together(results: Results) -> Check:
    """SMAC, TPE and BOHAMIANN, each two: from when on they are ahead of random search, within a factor of two."""
    return _of_each_two(results, together, "at roughly the same time")


def model_based_end_differently(results: Results) -> Check:
    """The same two at the end: not near one half."""
    return _of_each_two(
        results, lambda frame, a, b: contrary(alike(frame, a, b, END), "not about 0.5"), "different optima"
    )


def bohb_begins_like_hyperband(results: Results) -> Check:
    """After the time of one evaluation of 100 epochs, in which both finish their first rung: near one half.

    BOHB has a model from 11 observations on, of 27: before, both are the same by construction.
    """
    return alike(comparison_runs(results), "bohb", "hyperband", BEGINNING)


def bohb_ends_below_hyperband(results: Results) -> Check:
    """At the end: above one half."""
    return better_at_the_end(comparison_runs(results), "bohb", "hyperband")


def hyperband_is_fast(results: Results) -> Check:
    """Hyperband against random search after the time of 20 evaluations: above one half."""
    return better(comparison_runs(results), "hyperband", "random", EARLY)


def hyperband_ends_little_below_random(results: Results) -> Check:
    """Hyperband against random search: at the end 0.5 to 0.65, and less than after the time of 20 evaluations."""
    frame = comparison_runs(results)
    published = "only slightly improves"
    if (short := unfinished(frame, ("hyperband",))) is not None:
        return all_of([short], published)
    end = min(END, ends(frame, PROTEIN, "hyperband") / ends(frame, PROTEIN))
    matrix = wins(*(regret_at(frame, PROTEIN, name, (EARLY, end)) for name in ("hyperband", "random")))

    def change(ours: np.ndarray, theirs: np.ndarray) -> np.ndarray:
        found = probabilities(matrix, ours, theirs)
        return found[:, 1] - found[:, 0]

    interval, detail = probability(frame, "hyperband", "random", END, PROTEIN)
    shrinks = worded(judge(resampled(change, *matrix.shape[1:]), "", upper=0.0), "change since 0.04 of the end")
    return all_of([judge(interval, "", *SLIGHTLY, detail=detail), shrinks], published)


def evolution_needs_longer_than_model_based(results: Results) -> Check:
    """Regularized evolution against SMAC, TPE and BOHAMIANN: it is ahead of random search later."""
    return _is_later(results, "regularized_evolution", MODEL_BASED, "more time")


def evolution_is_best_at_the_end(results: Results) -> Check:
    """Regularized evolution against each other method at the end: above one half."""
    frame = comparison_runs(results)
    others = [name for name in METHODS if name != "regularized_evolution"]
    parts = each(frame, others, lambda name: better_at_the_end(frame, "regularized_evolution", name))
    return all_of(parts, "best final performance")


def reinforce_is_slowest(results: Results) -> Check:
    """REINFORCE against regularized evolution, SMAC, TPE and BOHAMIANN: it is ahead of random search later."""
    return _is_later(results, "reinforce", ("regularized_evolution", *MODEL_BASED), "even more time")


def brackets_take_as_long(results: Results) -> Check:
    """On each set: time of a run of Hyperband and of BOHB over the average of all other methods; 0.8 to 1.25."""
    frame = comparison_runs(results)

    def on(benchmark: str) -> Check:
        run = set(frame.loc[frame["benchmark"] == benchmark, "method"])
        others = [name for name in METHODS if name in run - set(BUDGETED) and not is_short(frame, benchmark, name)]
        return all_of([_relative_time(frame, benchmark, name, others) for name in BUDGETED], "")

    return _on_all_sets(results, on, "roughly the same")


def evolution_ends_below_random_everywhere(results: Results) -> Check:
    """Regularized evolution against random search at the end of each set: above one half."""
    frame = comparison_runs(results)
    return _on_all_sets(
        results, lambda name: better_at_the_end(frame, "regularized_evolution", "random", name), "on all sets"
    )


def bohb_ends_below_hyperband_everywhere(results: Results) -> Check:
    """BOHB against Hyperband at the end of each set: above one half."""
    frame = comparison_runs(results)
    return _on_all_sets(results, lambda name: better_at_the_end(frame, "bohb", "hyperband", name), "on all sets")


def _on_all_sets(results: Results, check, published: str) -> Check:
    run = benchmarks_of(comparison_runs(results))
    names = [*LABELS, *(name for name in run if name not in LABELS)]
    return all_of([check(name) if name in run else absent(label(name)) for name in names], published)


def _of_each_two(results: Results, check, published: str) -> Check:
    """Of those that were run and are long enough; the others are parts of their own."""
    frame = comparison_runs(results)
    parts = each(frame, MODEL_BASED, lambda name: unfinished(frame, (name,)))
    usable = [name for name, part in zip(MODEL_BASED, parts, strict=True) if part is None]
    known = [check(frame, first, second) for first, second in combinations(usable, 2)]
    return all_of([*known, *(part for part in parts if part is not None)], published)


def _is_later(results: Results, ours: str, others: tuple[str, ...], published: str) -> Check:
    frame = comparison_runs(results)
    parts = each(frame, others, lambda name: unfinished(frame, (ours, name)) or later(frame, ours, name))
    return all_of(parts, published)


def _relative_time(frame, benchmark: str, method: str, others: list[str]) -> Check:
    """Median duration of a method's runs over the average median of the others."""

    def ratio(ours: np.ndarray, *theirs: np.ndarray) -> np.ndarray:
        return np.median(ours, axis=1) / np.mean([np.median(one, axis=1) for one in theirs], axis=0)

    samples = tuple(durations(frame, benchmark, name) for name in (method, *others))
    check = judge(bootstrap_interval(samples, ratio, SEED, RESAMPLES), "", *ABOUT_AS_LONG)
    return worded(check, f"{label(benchmark)}, {method_label(method)}")
