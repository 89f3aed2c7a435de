"""Claims about seven methods on generated tasks (8.4.3). An interval is over tasks, whose runs are averaged.

Comparisons with RF-BO, which stands in for SMAC, are `outside`. Where BOHAMIANN comes out worse than another method
below the paper's scale, the comparison is open: its chains are shorter there, and whole ones were better.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from core.experiment.results import Results
from core.report import (
    Check,
    NotRunError,
    all_of,
    bootstrap_interval,
    claim,
    judge,
    left_out,
    open_where,
    outside,
    pending,
    style,
    worded,
)
from core.report.average_ranks import average_ranks
from core.report.statistics import mean_difference
from papers.profet.task_results import CLASSES, METHODS, class_runs

SEED = 85
NOISELESS = ("svm", "fcnet", "xgboost")
ENOUGH = 100  # evaluations behind Table E.4


@claim(
    artifact="tableE_4",
    place="thesis 8.4.3, Table E.4",
    sentence="Given enough evaluations, all methods solve more targets than random search.",
)
def all_beat_random_search(results: Results) -> Check:
    """Targets solved at the end by each method less random search's, in every class without noise; above 0.

    Fewer evaluations than the thesis' cannot show that enough of them do not suffice: a part that fails is open then.
    """
    parts = []
    for benchmark in _at_hand(results, NOISELESS, parts):
        count = next(iter(class_runs(results, benchmark, "loss").values())).shape[-1]
        for method in METHODS[1:]:
            part = _difference(results, (benchmark, method), (benchmark, "random"))
            short = part.holds == "fails" and count < ENOUGH
            parts.append(open_where(part, f"after {count} evaluations" if short else ""))
    return all_of(parts, "all")


@claim(
    artifact="fig8_5",
    place="thesis 8.4.3, Fig 8.5",
    sentence="BO-GP has the best average rank on the tasks of support vector machines without noise.",
)
def gp_ranks_first(results: Results) -> Check:
    """The smallest average rank of the other methods less that of BO-GP; above 0 (published 2.75 - 1.22)."""
    losses = class_runs(results, "svm", "loss")
    if "gp" not in losses or len(losses) < len(METHODS):
        raise NotRunError("search_svm")
    ranks = average_ranks(losses)
    others = np.stack([ranks[method][:, -1] for method in METHODS if method != "gp"], 1)
    together = np.concatenate([ranks["gp"][:, -1:], others], 1)
    interval = bootstrap_interval(together, lambda drawn: drawn[..., 1:].mean(1).min(-1) - drawn[..., 0].mean(1), SEED)
    return judge(interval, 2.75 - 1.22, lower=0.0)


@claim(
    artifact="figE_6",
    place="thesis 8.4.3",
    sentence="Models of the objective function solve fewer targets where it is observed with noise.",
)
def models_suffer_from_noise(results: Results) -> Check:
    """Targets solved without noise less with it, by BO-GP, BOHAMIANN and the forest, on the three classes; above 0."""
    parts = []
    for benchmark in _at_hand(results, NOISELESS, parts, noisy=True):
        for method in ("gp", "bohamiann", "rf"):
            parts.append(_difference(results, (benchmark, method), (f"{benchmark}_noisy", method)))
    return all_of(parts, "all")


@claim(
    artifact="figE_6",
    place="thesis 8.4.3",
    sentence="BOHAMIANN solves slightly fewer targets than BO-GP without noise.",
)
def bohamiann_is_runner_up(results: Results) -> Check:
    """Targets solved by BO-GP less BOHAMIANN's, on the three classes without noise; above 0."""
    parts = []
    for benchmark in _at_hand(results, NOISELESS, parts):
        parts.append(_difference(results, (benchmark, "gp"), (benchmark, "bohamiann")))
    return all_of(parts, "all")


@claim(
    artifact="figE_6",
    place="thesis 8.4.3",
    sentence="Gaussian processes and Bayesian networks are more sample efficient than a forest and density estimators.",
)
def rich_models_need_fewer_evaluations(results: Results) -> Check:
    """Targets solved, averaged over all evaluations, by BO-GP and BOHAMIANN less RF-BO's and TPE's; above 0."""
    parts = []
    for benchmark in _at_hand(results, NOISELESS, parts):
        for rich in ("gp", "bohamiann"):
            for simple in ("rf", "tpe"):
                parts.append(_difference(results, (benchmark, rich), (benchmark, simple), over_all=True))
    return all_of(parts, "all")


def _at_hand(results: Results, names: tuple[str, ...], parts: list[Check], noisy: bool = False) -> Iterator[str]:
    """The classes that were searched, with noise as well if asked for; the others are noted in `parts` as left out."""
    for name in names:
        try:
            for each in (name, f"{name}_noisy") if noisy else (name,):
                class_runs(results, each, "solved")
        except NotRunError:
            parts.append(left_out(CLASSES[name]))
            continue
        yield name


def _difference(results: Results, first: tuple[str, str], second: tuple[str, str], over_all: bool = False) -> Check:
    """Share of targets solved by one method on one benchmark less that of another, in percent; above 0.

    Tasks are compared in pairs. Where one benchmark has more of them than the other, its first ones are the same.

    Args:
        over_all: averaged over all evaluations, instead of at the end.
    """
    label = CLASSES[first[0]]
    found = []
    for benchmark, method in (first, second):
        runs = class_runs(results, benchmark, "solved")
        if method not in runs:
            return pending(f"{style.label(method)} on {CLASSES[benchmark]}")
        values = runs[method].mean(-1) if over_all else runs[method][..., -1]
        found.append(100 * values.mean(1))
    pairs = tuple(values[: min(map(len, found))] for values in found)
    interval = bootstrap_interval(pairs, mean_difference, SEED, paired=True)
    part = worded(judge(interval, "", lower=0.0), f"{label}, {_words(first, second)}", "+.3g")
    if first[1] == second[1]:
        return part
    if "rf" in (first[1], second[1]):
        return outside(part, "RF-BO for SMAC")
    worse = {first[1]: interval.high < 0, second[1]: interval.low > 0}.get("bohamiann", False)
    return open_where(part, "shorter chains than published" if worse and results.reduced else "")


def _words(first: tuple[str, str], second: tuple[str, str]) -> str:
    if first[1] == second[1]:
        return f"{style.label(first[1])} without less with noise"
    return f"{style.label(first[1])} less {style.label(second[1])}"
