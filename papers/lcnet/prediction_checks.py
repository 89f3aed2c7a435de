"""What the thesis says of the predictions of learning curves (5.4.2, 5.4.3), as checks on any of the sets.

Mean squared errors and median log-likelihoods of two methods are compared, paired by curve; intervals are over curves,
each with the average of its runs. `sets` maps the names of sets to their labels.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
import pandas as pd

from core.experiment.results import Results
from core.report import Check, NotRunError, all_of, bootstrap_interval, judge, pending, worded
from core.report.statistics.reductions import mean_ratio, median
from papers.lcnet.scores import by_set, by_share, paired, partial_scores, unobserved_scores

SEED, RESAMPLES = 54, 2000
COMPARABLE = 1.5  # mean squared errors within this factor are about the same
WORST = 0.1  # share of the curves that count as outliers
EARLY, LATE = 0.1, 0.9  # shares of the epochs

Sets = Mapping[str, str]


def lcnet_against_the_plain_network(results: Results, sets: Sets) -> Check:
    """LC-Net is better at each share of the epochs, in error and likelihood."""

    def check(rows: pd.DataFrame, where: str, share: float) -> list[Check]:
        return [_error(rows, "lcnet", "bnn", where), _likelihood(rows, "lcnet", "bnn", where)]

    return _at_shares(results, sets, check)


def last_value_against_lcnet(results: Results, sets: Sets) -> Check:
    """The last seen value's error is below 1.5 times LC-Net's, on average over the shares."""

    def check(rows: pd.DataFrame, where: str) -> list[Check]:
        return [_typical(rows, "last_seen_value", "lcnet", where, upper=COMPARABLE)]

    return _on_sets(partial_scores(results), sets, check)


def process_likely_but_erring_early(results: Results, sets: Sets) -> Check:
    """The process' likelihood is above the forest's at each share; its error above the others' at the smallest."""

    def check(rows: pd.DataFrame, where: str, share: float) -> list[Check]:
        better = ("lcnet", "last_seen_value") if share <= EARLY else ()
        likely = _likelihood(rows, "decaying_gp", "forest", where)
        return [likely, *(_error(rows, each, "decaying_gp", where) for each in better)]

    return _at_shares(results, sets, check)


def forest_against_the_last_value(results: Results, sets: Sets) -> Check:
    """Their errors are within a factor of 1.5, on average over the shares."""
    limits = {"lower": 1 / COMPARABLE, "upper": COMPARABLE}

    def check(rows: pd.DataFrame, where: str) -> list[Check]:
        return [_typical(rows, "forest", "last_seen_value", where, **limits)]

    return _on_sets(partial_scores(results), sets, check)


def forest_less_likely(results: Results, sets: Sets) -> Check:
    """The forest's likelihood is below LC-Net's and the process' at each share."""

    def check(rows: pd.DataFrame, where: str, share: float) -> list[Check]:
        return [_likelihood(rows, better, "forest", where) for better in ("lcnet", "decaying_gp")]

    return _at_shares(results, sets, check)


def early_outliers_of_extrapolation(results: Results, sets: Sets) -> Check:
    """At the smallest share its error is above LC-Net's, and the worst tenth of curves make more than half of it."""

    def check(rows: pd.DataFrame, where: str, share: float) -> list[Check]:
        if share > EARLY:
            return []
        errors, _ = paired(rows, ("lc_extrapolation", "lcnet"), "squared")
        if not len(errors):
            return [pending(f"{where}: lc_extrapolation or lcnet")]
        found = bootstrap_interval(errors, _share_of_worst, SEED, RESAMPLES)
        part = worded(judge(found, "most", lower=0.5), f"{where}, share of the worst tenth", ".0%")
        return [_error(rows, "lcnet", "lc_extrapolation", where), part]

    return _at_shares(results, sets, check)


def models_of_single_curves_win_late(results: Results, sets: Sets) -> Check:
    """LC-Extrapolation and the process err more than LC-Net at the smallest share, and less at the largest."""

    def check(rows: pd.DataFrame, where: str, share: float) -> list[Check]:
        local = ("lc_extrapolation", "decaying_gp")
        if share <= EARLY:
            return [_error(rows, "lcnet", each, where) for each in local]
        return [_error(rows, each, "lcnet", where) for each in local] if share >= LATE else []

    return _at_shares(results, sets, check)


def layer_on_new_curves(results: Results, sets: Sets) -> Check:
    """On new curves LC-Net's error is below the plain network's, by a factor of less than 1.5."""

    def check(rows: pd.DataFrame, where: str) -> list[Check]:
        part = _ratio(rows, "lcnet", "bnn", where, lower=1 / COMPARABLE, upper=1)
        return [replace(part, detail=f"{part.detail}, no help") if part.low > 1 else part]

    return _on_sets(unobserved_scores(results), sets, check)


def forest_worst_on_new_curves(results: Results, sets: Sets) -> Check:
    """On new curves the forest is worse than both networks, in error and likelihood."""

    def check(rows: pd.DataFrame, where: str) -> list[Check]:
        networks, comparisons = ("lcnet", "bnn"), (_error, _likelihood)
        return [compare(rows, network, "forest", where) for network in networks for compare in comparisons]

    return _on_sets(unobserved_scores(results), sets, check)


def _on_sets(scores: pd.DataFrame, sets: Sets, check: Callable[[pd.DataFrame, str], list[Check]]) -> Check:
    """A check of each set's scores; raises NotRunError if there are none of any."""
    found, checks = by_set(scores), []
    if not set(sets) & set(found):
        raise NotRunError(", ".join(sets))
    for name, label in sets.items():
        checks += check(found[name], label) if name in found else [pending(label)]
    return all_of(checks, "all sets" if len(sets) > 1 else "all")


def _at_shares(results: Results, sets: Sets, check: Callable[[pd.DataFrame, str, float], list[Check]]) -> Check:
    """A check at each share of the epochs, on each set."""

    def at_each(rows: pd.DataFrame, where: str) -> list[Check]:
        return [part for share, each in by_share(rows) for part in check(each, f"{where} {share:.0%}", share)]

    return _on_sets(partial_scores(results), sets, at_each)


def _error(rows: pd.DataFrame, better: str, worse: str, where: str) -> Check:
    """Whether the mean squared error of `better` is below that of `worse`, as the ratio of the two."""
    return _ratio(rows, better, worse, where, upper=1)


def _ratio(rows: pd.DataFrame, above: str, below: str, where: str, **limits: float) -> Check:
    """The ratio of two methods' mean squared errors, paired by curve."""
    errors = paired(rows, (above, below), "squared")
    if not len(errors[0]):
        return pending(f"{where}: {above} or {below}")
    found = bootstrap_interval(errors, mean_ratio, SEED, RESAMPLES, paired=True)
    return worded(judge(found, "", **limits), f"{where}, error of {above} over {below}'s")


def _typical(rows: pd.DataFrame, above: str, below: str, where: str, **limits: float) -> Check:
    """The ratio of two methods' mean squared errors at each share of the epochs, and its geometric mean over them.

    Errors fall by orders of magnitude from the smallest share to the largest, so those of all shares together would be
    those of the smallest alone.
    """
    errors = [paired(each, (above, below), "squared") for _, each in by_share(rows)]
    if not errors or len({len(first) for first, _ in errors}) > 1 or not len(errors[0][0]):
        return pending(f"{where}: {above} or {below}")
    samples = tuple(np.stack(each, axis=1) for each in zip(*errors, strict=True))
    found = bootstrap_interval(samples, _geometric_ratio, SEED, RESAMPLES, paired=True)
    return worded(judge(found, "", **limits), f"{where}, error of {above} over {below}'s")


def _geometric_ratio(above: np.ndarray, below: np.ndarray) -> np.ndarray:
    """Ratios of the means of errors (batch, n, shares), averaged over the shares as logarithms, (batch,)."""
    return np.exp(np.log(mean_ratio(above, below)).mean(1))


def _likelihood(rows: pd.DataFrame, better: str, worse: str, where: str) -> Check:
    """Whether the median log-likelihood of `better` is above that of `worse`, as their difference."""
    likelihoods = paired(rows, (better, worse), "log_likelihood")
    if not len(likelihoods[0]):
        return pending(f"{where}: {better} or {worse}")

    def difference(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return median(a) - median(b)

    found = bootstrap_interval(likelihoods, difference, SEED, RESAMPLES, paired=True)
    return worded(judge(found, "", lower=0), f"{where}, likelihood of {better} less {worse}'s", "+.3g")


def _share_of_worst(errors: np.ndarray) -> np.ndarray:
    """Part of the summed errors (batch, n) that the largest tenth makes, (batch,): all of it where one is infinite."""
    count, total = max(1, round(WORST * errors.shape[1])), errors.sum(1)
    worst = np.sort(errors, 1)[:, -count:].sum(1)
    return np.divide(worst, total, out=np.ones_like(total), where=np.isfinite(total))
