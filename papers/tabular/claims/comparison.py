"""Claims about optimizers over time (7.4.1), on protein, and on all sets where D.3 makes them.

"Better" and "as good" are probabilities, see `pairs_of_methods`. Where a sentence is about the end of a set, the
outcome is unknown for methods whose runs end before it.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from core.experiment.results import Results
from core.optimizers.brackets import epochs_of_brackets
from core.report import Check, Interval, all_of, bootstrap_interval, claim, contrary, each_of, judge, left_out, worded
from core.report.style import label as method_label
from core.report.win_probability import RESAMPLES, SEED, probabilities, resampled_interval, wins
from papers.tabular.claims.on_tables import if_whole
from papers.tabular.claims.pairs_of_methods import (
    END,
    PROTEIN,
    alike,
    better,
    better_at_the_end,
    each,
    later,
    probability,
    regret_at,
    together,
    unfinished,
)
from papers.tabular.comparison_runs import METHODS, benchmarks_of, comparison_runs, durations, ends, is_short
from papers.tabular.trained_tables import LABELS, grid_table, label

MODEL_BASED = ("smac", "tpe", "bohamiann")
BEGINNING, EARLY = 0.002, 0.04  # shares of the end: 1 and 20 of random search's 500 evaluations
SLIGHTLY = (0.5, 0.65)  # a probability
ABOUT_AS_LONG = (0.8, 1.25)  # a ratio of times
BUDGETED = ("hyperband", "bohb")
BRACKETS, EVALUATIONS, MINIMUM_EPOCHS, EPOCHS, ETA = 125, 500, 3, 100, 3  # 7.4.1


@claim(
    artifact="fig7_5",
    place="thesis 7.4.1",
    sentence="SMAC, TPE and BOHAMIANN are as good as random search in the beginning.",
)
def model_based_begin_like_random(results: Results) -> Check:
    """SMAC, TPE and BOHAMIANN against random search after the time of 20 evaluations: near one half."""
    frame = comparison_runs(results)
    return all_of(each(frame, MODEL_BASED, lambda name: alike(frame, name, "random", EARLY)), "as well as")


@claim(
    artifact="fig7_5",
    place="thesis 7.4.1",
    sentence="Once they have a meaningful model, SMAC, TPE and BOHAMIANN are better than random search.",
)
def model_based_end_below_random(results: Results) -> Check:
    """SMAC, TPE and BOHAMIANN against random search at the end, or where their own runs end: above one half."""
    frame = comparison_runs(results)
    return all_of(each(frame, MODEL_BASED, lambda name: better(frame, name, "random", END)), "superior")


@claim(
    artifact="fig7_5",
    place="thesis 7.4.1",
    sentence="SMAC, TPE and BOHAMIANN begin to be better than random search at about the same time.",
)
def model_based_leave_random_together(results: Results) -> Check:
    """SMAC, TPE and BOHAMIANN in pairs: the times from which they lead random search, within a factor of two."""
    return _of_each_two(results, together, "at roughly the same time")


@claim(artifact="fig7_5", place="thesis 7.4.1", sentence="SMAC, TPE and BOHAMIANN end with different regrets.")
def model_based_end_differently(results: Results) -> Check:
    """SMAC, TPE and BOHAMIANN in pairs at the end: not near one half; on a part of the grid all find its best."""
    check = _of_each_two(
        results, lambda frame, a, b: contrary(alike(frame, a, b, END), "not about 0.5"), "different optima"
    )
    return if_whole(check, [grid_table(results, PROTEIN)])


@claim(artifact="fig7_5", place="thesis 7.4.1", sentence="In the beginning BOHB is as good as Hyperband.")
def bohb_begins_like_hyperband(results: Results) -> Check:
    """BOHB against Hyperband after the time of one evaluation of 100 epochs, when both finish a rung: near one half.

    BOHB has a model from 18 observations on, 2 (d + 1); before that, both are the same by construction.
    """
    return alike(comparison_runs(results), "bohb", "hyperband", BEGINNING)


@claim(
    artifact="fig7_5", place="thesis 7.4.1", sentence="Once it has a meaningful model, BOHB is better than Hyperband."
)
def bohb_ends_below_hyperband(results: Results) -> Check:
    """BOHB against Hyperband at the end: above one half."""
    return better_at_the_end(comparison_runs(results), "bohb", "hyperband")


@claim(
    artifact="fig7_5",
    place="thesis 7.4.1",
    sentence="Hyperband reaches reasonably good results earlier than random search.",
)
def hyperband_is_fast(results: Results) -> Check:
    """Hyperband against random search after the time of 20 evaluations: above one half."""
    return better(comparison_runs(results), "hyperband", "random", EARLY)


@claim(
    artifact="fig7_5",
    place="thesis 7.4.1",
    sentence="In the end little of Hyperband's lead over random search is left.",
)
def hyperband_ends_little_below_random(results: Results) -> Check:
    """Hyperband against random search: 0.5 to 0.65 at the end, and less than after the time of 20 evaluations."""
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
    shrinks = worded(
        judge(resampled_interval(change, *matrix.shape[1:]), "", upper=0.0), "change since 0.04 of the end"
    )
    return all_of([judge(interval, "", *SLIGHTLY, detail=detail), shrinks], published)


@claim(
    artifact="fig7_5",
    place="thesis 7.4.1",
    sentence="Regularized evolution needs more time than Bayesian optimization to leave random search behind.",
)
def evolution_needs_longer_than_model_based(results: Results) -> Check:
    """Regularized evolution gets ahead of random search later than SMAC, TPE and BOHAMIANN."""
    return _is_later(results, "regularized_evolution", MODEL_BASED, "more time")


@claim(artifact="fig7_5", place="thesis 7.4.1", sentence="Regularized evolution often ends best of all methods.")
def evolution_is_best_at_the_end(results: Results) -> Check:
    """Regularized evolution against each other method at the end: above one half; by then a small grid is searched."""
    frame = comparison_runs(results)
    others = [name for name in METHODS if name != "regularized_evolution"]
    parts = each(frame, others, lambda name: better_at_the_end(frame, "regularized_evolution", name))
    return if_whole(all_of(parts, "best final performance"), [grid_table(results, PROTEIN)])


@claim(
    artifact="fig7_5",
    place="thesis 7.4.1",
    sentence="REINFORCE needs even more time than regularized evolution and Bayesian optimization.",
)
def reinforce_is_slowest(results: Results) -> Check:
    """REINFORCE gets ahead of random search later than regularized evolution, SMAC, TPE and BOHAMIANN."""
    return _is_later(results, "reinforce", ("regularized_evolution", *MODEL_BASED), "even more time")


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


@claim(
    artifact="figD_10",
    place="thesis 7.4.1, to which D.3 refers",
    kind="shape",
    sentence="Eventually regularized evolution is better than random search, on all sets.",
)
def evolution_ends_below_random_everywhere(results: Results) -> Check:
    """Regularized evolution against random search at the end of each set: above one half."""
    frame = comparison_runs(results)
    return _on_all_sets(
        results, lambda name: better_at_the_end(frame, "regularized_evolution", "random", name), "on all sets"
    )


@claim(
    artifact="figD_10",
    place="thesis 7.4.1, to which D.3 refers",
    kind="shape",
    sentence="Once it has a meaningful model, BOHB is better than Hyperband, on all sets.",
)
def bohb_ends_below_hyperband_everywhere(results: Results) -> Check:
    """BOHB against Hyperband at the end of each set: above one half."""
    frame = comparison_runs(results)
    return _on_all_sets(results, lambda name: better_at_the_end(frame, "bohb", "hyperband", name), "on all sets")


def _on_all_sets(results: Results, check, published: str) -> Check:
    run = benchmarks_of(comparison_runs(results))
    names = [*LABELS, *(name for name in run if name not in LABELS)]
    return all_of(each_of(names, run, check, label, left_out), published)


def _of_each_two(results: Results, check, published: str) -> Check:
    """The check of each pair that was run and is long enough; the other methods are separate parts."""
    frame = comparison_runs(results)
    parts = each(frame, MODEL_BASED, lambda name: unfinished(frame, (name,)))
    usable = [name for name, part in zip(MODEL_BASED, parts, strict=True) if part is None]
    known = [check(frame, first, second) for first, second in combinations(usable, 2)]
    return all_of([*known, *(part for part in parts if part is not None)], published)


def _is_later(results: Results, ours: str, others: tuple[str, ...], published: str) -> Check:
    frame = comparison_runs(results)
    parts = each(frame, others, lambda name: unfinished(frame, (ours, name)) or later(frame, ours, name))
    return all_of(parts, published)


def _relative_time(frame, benchmark: str, method: str, others: list[str]) -> str:
    """Median duration of a method's runs over the average median of the others, in words."""

    def ratio(ours: np.ndarray, *theirs: np.ndarray) -> np.ndarray:
        return np.median(ours, axis=1) / np.mean([np.median(one, axis=1) for one in theirs], axis=0)

    samples = tuple(durations(frame, benchmark, name) for name in (method, *others))
    interval = bootstrap_interval(samples, ratio, SEED, RESAMPLES)
    return f"{label(benchmark)}, {method_label(method)} {interval.text('.2f')}"
