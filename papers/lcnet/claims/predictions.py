"""What the thesis says of the predictions of learning curves (5.4.2, 5.4.3).

Replicated on the four collections of our own, and reproduced on the authors' CNN curves.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from core.experiment.results import Results
from core.report import Cause, Check, both, claim, judge
from core.report.statistics.bootstrap import Interval
from papers.lcnet import prediction_checks as checks
from papers.lcnet.curve_sets import AUTHORS, LABELS
from papers.lcnet.scores import partial_predictions


@claim(
    artifact="fig5_5",
    place="thesis 5.4.2, observation 1",
    sentence="LC-Net predicts better than the plain Bayesian network throughout, in error and likelihood.",
    headline="Predicts better than a plain Bayesian network",
    cause=Cause(
        "our substitute",
        "28 of 30 parts hold on CNN, FCNet and LR, one fails (LR's likelihood at 10%), and all ten fail on VAE, which "
        "has 40 epochs on 8 x 8 digits here; why is not known, and 300 epochs on MNIST would decide whether it is that",
    ),
)
def lcnet_beats_the_plain_network(results: Results) -> Check:
    return _both(checks.lcnet_against_the_plain_network, results)


@claim(
    artifact="fig5_5",
    place="thesis 5.4.2, observation 2",
    sentence="Without regard to uncertainties the last seen value competes with LC-Net.",
)
def last_seen_value_is_competitive(results: Results) -> Check:
    return _both(checks.last_value_against_lcnet, results)


@claim(
    artifact="fig5_5",
    place="thesis 5.4.2, observation 3",
    sentence="A Gaussian process of each curve is likely, but errs more than LC-Net and the last value on short ones.",
)
def gp_is_likely_but_errs_on_short_curves(results: Results) -> Check:
    return _both(checks.process_likely_but_erring_early, results)


@claim(
    artifact="fig5_5",
    place="thesis 5.4.2, observation 4",
    sentence="The random forest's errors are those of the last seen value.",
)
def forest_matches_the_last_seen_value(results: Results) -> Check:
    return _both(checks.forest_against_the_last_value, results)


@claim(
    artifact="fig5_5",
    place="thesis 5.4.2, observation 4",
    sentence="The random forest's uncertainties are much worse than LC-Net's and the Gaussian process'.",
)
def forest_is_less_likely(results: Results) -> Check:
    return _both(checks.forest_less_likely, results)


@claim(
    artifact="fig5_5",
    place="thesis 5.4.2, observation 5",
    sentence="LC-Extrapolation is poor early on because of a few outliers, from which LC-Net suffers less.",
)
def extrapolation_has_early_outliers(results: Results) -> Check:
    return _both(checks.early_outliers_of_extrapolation, results)


@claim(
    artifact="fig5_5",
    place="thesis 5.4.2, observation 6",
    sentence="Models of single curves err more than LC-Net when few epochs are seen, and less when nearly all are.",
    headline="Single-curve models win only late",
)
def local_models_win_late(results: Results) -> Check:
    return _both(checks.models_of_single_curves_win_late, results)


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
    return _both(checks.layer_on_new_curves, results)


@claim(
    artifact="fig5_6",
    place="thesis 5.4.3, Fig 5.6",
    sentence="On curves that were not observed the random forest is worse than both networks in error and likelihood.",
)
def forest_is_worst_on_new_curves(results: Results) -> Check:
    return _both(checks.forest_worst_on_new_curves, results)


def _both(check: Callable[[Results, checks.Sets], Check], results: Results) -> Check:
    """A check on our own collections, and on the authors' CNN curves."""
    return both(lambda: check(results, LABELS), lambda: check(results, {AUTHORS: LABELS["cnn"]}))
