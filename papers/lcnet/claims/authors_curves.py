"""The same claims on the authors' own CNN curves, the thesis' first set: their data, our models and analysis."""

from __future__ import annotations

from core.experiment.results import Results
from core.report import Check, NotRunError, bootstrap_interval, claim, judge, worded
from core.report.statistics.bootstrap import Interval
from papers.lcnet import prediction_checks as checks
from papers.lcnet.claims.collections import SEED, early_part_of_the_fall, mean_over_median
from papers.lcnet.curve_sets import AUTHORS, CurveSet, curve_sets

SETS = {AUTHORS: "CNN"}


@claim(
    artifact="fig5_3",
    place="thesis Fig 5.3",
    kind="shape",
    sentence="The authors' CNN curves fall, and most of it early.",
)
def authors_curves_fall_early(results: Results) -> Check:
    """The part of the mean curve's fall that is done after half of the epochs; more than half of it."""
    curves = _authors(results).finished().curves
    found = bootstrap_interval(curves, early_part_of_the_fall, SEED, of_means=True)
    return worded(judge(found, "most", lower=0.5), "CNN", ".0%")


@claim(
    artifact="figB_1",
    place="thesis B.3, Fig B.1",
    sentence="The runtimes of the authors' CNN configurations are long-tailed.",
)
def authors_runtimes_are_long_tailed(results: Results) -> Check:
    """The mean lies above the median, which is the least that a long tail does."""
    found = bootstrap_interval(_authors(results).runtimes, mean_over_median, SEED)
    return judge(found, "above 1", lower=1)


@claim(
    artifact="figB_1",
    place="thesis B.3",
    sentence="Some of the authors' CNN configurations take an order of magnitude longer than others, or more.",
)
def authors_runtimes_differ_by_orders_of_magnitude(results: Results) -> Check:
    """The longest runtime over the shortest, above 10."""
    runtimes = _authors(results).runtimes
    return judge(Interval.exact(float(runtimes.max() / runtimes.min())), "orders of magnitude", lower=10)


@claim(
    artifact="fig5_5",
    place="thesis 5.4.2, observation 1",
    sentence="On the authors' CNN curves LC-Net predicts better than the plain Bayesian network throughout.",
    headline=True,
)
def lcnet_beats_the_plain_network_on_the_authors_curves(results: Results) -> Check:
    return checks.lcnet_against_the_plain_network(results, SETS)


@claim(
    artifact="fig5_5",
    place="thesis 5.4.2, observation 2",
    sentence="On the authors' CNN curves the last seen value competes with LC-Net, uncertainties aside.",
)
def last_seen_value_is_competitive_on_the_authors_curves(results: Results) -> Check:
    return checks.last_value_against_lcnet(results, SETS)


@claim(
    artifact="fig5_5",
    place="thesis 5.4.2, observation 3",
    sentence="On the authors' CNN curves a Gaussian process of each curve is likely, but errs more on short ones.",
)
def gp_is_likely_but_errs_on_the_authors_short_curves(results: Results) -> Check:
    return checks.process_likely_but_erring_early(results, SETS)


@claim(
    artifact="fig5_5",
    place="thesis 5.4.2, observation 4",
    sentence="On the authors' CNN curves the random forest's errors are those of the last seen value.",
)
def forest_matches_the_last_seen_value_on_the_authors_curves(results: Results) -> Check:
    return checks.forest_against_the_last_value(results, SETS)


@claim(
    artifact="fig5_5",
    place="thesis 5.4.2, observation 4",
    sentence="On the authors' CNN curves the random forest is much less likely than LC-Net and the process.",
)
def forest_is_less_likely_on_the_authors_curves(results: Results) -> Check:
    return checks.forest_less_likely(results, SETS)


@claim(
    artifact="fig5_5",
    place="thesis 5.4.2, observation 5",
    sentence="On the authors' CNN curves LC-Extrapolation is poor early on because of a few outliers.",
)
def extrapolation_has_early_outliers_on_the_authors_curves(results: Results) -> Check:
    return checks.early_outliers_of_extrapolation(results, SETS)


@claim(
    artifact="fig5_5",
    place="thesis 5.4.2, observation 6",
    sentence="On the authors' CNN curves models of single curves err more than LC-Net early on, and less late.",
    headline=True,
)
def local_models_win_late_on_the_authors_curves(results: Results) -> Check:
    return checks.models_of_single_curves_win_late(results, SETS)


@claim(
    artifact="fig5_6",
    place="thesis 5.4.3, Fig 5.6",
    sentence="On the authors' CNN curves that were not observed LC-Net's layer helps only marginally.",
)
def layer_helps_little_on_the_authors_new_curves(results: Results) -> Check:
    return checks.layer_on_new_curves(results, SETS)


@claim(
    artifact="fig5_6",
    place="thesis 5.4.3, Fig 5.6",
    sentence="On the authors' CNN curves that were not observed the random forest is worse than both networks.",
)
def forest_is_worst_on_the_authors_new_curves(results: Results) -> Check:
    return checks.forest_worst_on_new_curves(results, SETS)


def _authors(results: Results) -> CurveSet:
    sets = curve_sets(results)
    if AUTHORS not in sets:
        raise NotRunError(f"curves/{AUTHORS}")
    return sets[AUTHORS]
