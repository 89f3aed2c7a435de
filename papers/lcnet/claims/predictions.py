"""What the thesis says of the predictions of learning curves (sections 5.4.2, 5.4.3). Intervals are over curves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd

from core.experiment.results import Results
from core.report import Cause, Check, all_of, bootstrap_interval, claim, judge, pending, worded
from core.report.statistics.bootstrap import Interval
from core.report.statistics.reductions import mean_ratio, median
from papers.lcnet.curve_sets import LABELS
from papers.lcnet.scores import paired, partial_predictions, partial_scores, unobserved_scores

SEED, RESAMPLES = 54, 2000
COMPARABLE = 1.5  # mean squared errors within this factor are about the same
WORST = 0.1  # share of the curves that count as outliers
EARLY, LATE = 0.1, 0.9  # shares of the epochs


@claim(
    artifact="fig5_5",
    place="thesis 5.4.2, observation 1",
    sentence="LC-Net predicts better than the plain Bayesian network throughout, in error and likelihood.",
    headline=True,
    cause=Cause(
        "our substitute",
        "28 of 30 parts hold on CNN, FCNet and LR, one fails (LR's likelihood at 10%), and all ten fail on VAE, which "
        "has 40 epochs on 8 x 8 digits here; why is not known, and 300 epochs on MNIST would decide whether it is that",
    ),
)
def lcnet_beats_the_plain_network(results: Results) -> Check:
    """At each share of the epochs, on each set: mean squared error and median log-likelihood, paired by curve."""
    return _everywhere(
        results, lambda rows, where: [_error(rows, "lcnet", "bnn", where), _likelihood(rows, "lcnet", "bnn", where)]
    )


@claim(
    artifact="fig5_5",
    place="thesis 5.4.2, observation 2",
    sentence="Without regard to uncertainties the last seen value competes with LC-Net.",
)
def last_seen_value_is_competitive(results: Results) -> Check:
    """Its mean squared error is below 1.5 times LC-Net's, on average over the shares, on each set."""
    return _on_sets(results, lambda rows, where: [_typical(rows, "last_seen_value", "lcnet", where, upper=COMPARABLE)])


@claim(
    artifact="fig5_5",
    place="thesis 5.4.2, observation 3",
    sentence="A Gaussian process of each curve is likely, but errs more than LC-Net and the last value on short ones.",
)
def gp_is_likely_but_errs_on_short_curves(results: Results) -> Check:
    """Its median log-likelihood is above the forest's at each share; its error above both others' at the smallest."""

    def check(rows: pd.DataFrame, where: str, share: float) -> list[Check]:
        better = ("lcnet", "last_seen_value") if share <= EARLY else ()
        likely = _likelihood(rows, "decaying_gp", "forest", where)
        return [likely, *(_error(rows, each, "decaying_gp", where) for each in better)]

    return _at_shares(results, check)


@claim(
    artifact="fig5_5",
    place="thesis 5.4.2, observation 4",
    sentence="The random forest's errors are those of the last seen value.",
)
def forest_matches_the_last_seen_value(results: Results) -> Check:
    """Mean squared errors within a factor of 1.5, on average over the shares, on each set."""
    limits = {"lower": 1 / COMPARABLE, "upper": COMPARABLE}
    return _on_sets(results, lambda rows, where: [_typical(rows, "forest", "last_seen_value", where, **limits)])


@claim(
    artifact="fig5_5",
    place="thesis 5.4.2, observation 4",
    sentence="The random forest's uncertainties are much worse than LC-Net's and the Gaussian process'.",
)
def forest_is_less_likely(results: Results) -> Check:
    """Median log-likelihoods at each share, on each set."""
    return _everywhere(
        results,
        lambda rows, where: [_likelihood(rows, better, "forest", where) for better in ("lcnet", "decaying_gp")],
    )


@claim(
    artifact="fig5_5",
    place="thesis 5.4.2, observation 5",
    sentence="LC-Extrapolation is poor early on because of a few outliers, from which LC-Net suffers less.",
)
def extrapolation_has_early_outliers(results: Results) -> Check:
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

    return _at_shares(results, check)


@claim(
    artifact="fig5_5",
    place="thesis 5.4.2, observation 6",
    sentence="Models of single curves err more than LC-Net when few epochs are seen, and less when nearly all are.",
    headline=True,
)
def local_models_win_late(results: Results) -> Check:
    """LC-Extrapolation and the Gaussian process against LC-Net at the smallest and the largest share, on each set."""

    def check(rows: pd.DataFrame, where: str, share: float) -> list[Check]:
        local = ("lc_extrapolation", "decaying_gp")
        if share <= EARLY:
            return [_error(rows, "lcnet", each, where) for each in local]
        return [_error(rows, each, "lcnet", where) for each in local] if share >= LATE else []

    return _at_shares(results, check)


@claim(
    artifact="fig5_4",
    place="thesis 5.4.2, observation 4",
    kind="check",
    sentence="A random forest does not extrapolate: beyond the observed epochs it stays where it is.",
)
def forest_is_constant(results: Results) -> Check:
    """The largest change of its prediction of a curve after the observed epochs, over all curves drawn."""
    scores = partial_predictions(results)
    rows = scores[(scores["method"] == "forest") & (scores["epoch"] > scores["observed"])]
    spread = rows.groupby(["benchmark", "run", "observed", "number"])["mean"].agg(np.ptp).max()
    return judge(Interval.exact(spread), "constant", upper=1e-6)


@claim(
    artifact="fig5_6",
    place="thesis 5.4.3, Fig 5.6",
    sentence="On curves that were not observed LC-Net's layer helps only marginally.",
)
def layer_helps_little_on_new_curves(results: Results) -> Check:
    """LC-Net's mean squared error is below the plain network's, by a factor of less than 1.5, on each set."""

    def check(rows: pd.DataFrame, where: str) -> list[Check]:
        part = _ratio(rows, "lcnet", "bnn", where, lower=1 / COMPARABLE, upper=1)
        return [replace(part, detail=f"{part.detail}, no help") if part.low > 1 else part]

    return _on_sets(results, check, unobserved_scores)


@claim(
    artifact="fig5_6",
    place="thesis 5.4.3, Fig 5.6",
    sentence="On curves that were not observed the random forest is worse than both networks in error and likelihood.",
)
def forest_is_worst_on_new_curves(results: Results) -> Check:
    """Mean squared error and median log-likelihood by curve, on each set."""
    return _on_sets(
        results,
        lambda rows, where: [
            compare(rows, network, "forest", where) for network in ("lcnet", "bnn") for compare in (_error, _likelihood)
        ],
        unobserved_scores,
    )


def _on_sets(
    results: Results,
    check: Callable[[pd.DataFrame, str], list[Check]],
    read: Callable[[Results], pd.DataFrame] | None = None,
) -> Check:
    """A check of each set's scores, those of Fig 5.5 at the last epoch by default."""
    scores = partial_scores(results) if read is None else read(results)
    checks = []
    for name, label in LABELS.items():
        rows = scores[scores["benchmark"] == name]
        checks += [pending(label)] if rows.empty else check(rows, label)
    return all_of(checks, "all sets")


def _at_shares(results: Results, check: Callable[[pd.DataFrame, str, float], list[Check]]) -> Check:
    """The same at each share of the epochs."""

    def at_each(rows: pd.DataFrame, where: str) -> list[Check]:
        shares = rows.groupby("share", sort=True)
        return [part for share, each in shares for part in check(each, f"{where} {share:.0%}", float(share))]

    return _on_sets(results, at_each)


def _everywhere(results: Results, check: Callable[[pd.DataFrame, str], list[Check]]) -> Check:
    return _at_shares(results, lambda rows, where, _: check(rows, where))


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
    errors = [paired(each, (above, below), "squared") for _, each in rows.groupby("share", sort=True)]
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
