"""What chapter 5 and its appendix say of the four collections of learning curves, all of which are the authors'.

Ours are smaller, and of other images: whatever they show, the claims are `outside` below the paper's scale. The
authors' own CNN curves are judged beside them, by their summary.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from core.experiment.results import Results
from core.report import (
    Check,
    all_of,
    bootstrap_interval,
    both,
    claim,
    each_of,
    judge,
    left_out,
    outside,
    worded,
)
from core.report.statistics.bootstrap import Interval
from core.report.statistics.reductions import median
from papers.lcnet.authors_summary import CurveSummary, authors_summary
from papers.lcnet.curve_sets import LABELS, CurveSet, curve_sets
from papers.lcnet.curve_statistics import SEED, early_part_of_the_fall, mean_over_median

Statistic = Callable[[np.ndarray], np.ndarray]
DIFFERENT = 2  # medians of two sets that are this many times apart differ


@claim(
    artifact="fig5_3",
    place="thesis Fig 5.3",
    kind="shape",
    sentence="The curves of all four sets follow a similar pattern: they fall, and do so mostly early on.",
    published="4 of 4",
)
def curves_fall_early(results: Results) -> Check:
    """The part of the mean curve's fall that is done after half of the epochs; more than half of it, on each set."""

    def part(falls: np.ndarray) -> Interval:
        return bootstrap_interval(falls, early_part_of_the_fall, SEED, of_means=True)

    return _on_all(results, lambda made: part(made.finished().falls), lambda theirs: part(theirs.falls), 0.5, ".0%")


@claim(
    artifact="fig5_3",
    place="thesis Fig 5.3",
    kind="shape",
    sentence="The sets differ in how noisy their curves are.",
    published="differ",
)
def sets_differ_in_noise(results: Results) -> Check:
    """A curve's noise is the mean size of its second differences over its range; medians of the sets are compared."""

    def noise(made: CurveSet) -> np.ndarray:
        curves = made.finished().curves
        return np.abs(np.diff(curves, 2)).mean(1) / np.maximum(np.ptp(curves, 1), np.finfo(float).tiny)

    return _apart(results, noise, "noise")


@claim(
    artifact="fig5_3",
    place="thesis Fig 5.3",
    kind="shape",
    sentence="The sets differ in how steep their curves are.",
    published="differ",
)
def sets_differ_in_steepness(results: Results) -> Check:
    """A curve's steepness is the epochs it takes for half of its way from its first to its best value, inverted."""

    def steepness(made: CurveSet) -> np.ndarray:
        curves = made.finished().curves
        half = (curves[:, :1] + curves.min(1, keepdims=True)) / 2
        return 1 / (1 + (curves <= half).argmax(1))

    return _apart(results, steepness, "steepness")


@claim(
    artifact="figB_1",
    place="thesis B.3, Fig B.1",
    sentence="The runtimes of the configurations are long-tailed on all four sets.",
    published="4 of 4",
)
def runtimes_are_long_tailed(results: Results) -> Check:
    """The mean lies above the median, which is the least that a long tail does."""

    def of_one(made: CurveSet) -> Interval:
        return bootstrap_interval(made.runtimes, mean_over_median, SEED)

    return _on_all(results, of_one, lambda theirs: theirs.mean_over_median, 1.0)


@claim(
    artifact="figB_1",
    place="thesis B.3",
    sentence="On all four sets some configurations take at least an order of magnitude longer than others.",
    published="4 of 4",
)
def runtimes_differ_by_orders_of_magnitude(results: Results) -> Check:
    """The longest runtime over the shortest, above 10: two configurations are enough to show it.

    The text has "order of magnitudes", so that one of them is the least that it can mean.
    """

    def ratio(seconds: np.ndarray) -> Interval:
        return Interval.exact(float(seconds.max() / seconds.min()))

    return _on_all(results, lambda made: ratio(made.runtimes), lambda theirs: ratio(theirs.seconds.to_numpy()), 10.0)


@claim(
    artifact="figB_1",
    place="thesis Fig B.1",
    sentence="The runtimes of the FCNet differ most.",
    published="3 of 3",
)
def fcnet_runtimes_differ_most(results: Results) -> Check:
    """The quantile of 99% over that of 1%: the FCNet's over each other set's."""
    sets = curve_sets(results)

    def ratio(above: np.ndarray, below: np.ndarray) -> np.ndarray:
        return _spread(above) / _spread(below)

    def check(name: str) -> Check:
        samples = (sets["fcnet"].runtimes, sets[name].runtimes)
        return worded(judge(bootstrap_interval(samples, ratio, SEED), lower=1), f"over {LABELS[name]}'s")

    others = [name for name in LABELS if name != "fcnet"]
    run = sets if "fcnet" in sets else ()
    return _if_theirs(all_of(each_of(others, run, check, LABELS.__getitem__, left_out)), results)


def _on_all(
    results: Results,
    of_ours: Callable[[CurveSet], Interval],
    of_theirs: Callable[[CurveSummary], Interval],
    above: float,
    digits: str = ".3g",
) -> Check:
    """Whether a statistic of each of the four sets of our own is above a limit, and that of the authors' CNN curves."""

    def ours() -> Check:
        sets = curve_sets(results)

        def of_one(name: str) -> Check:
            return worded(judge(of_ours(sets[name]), lower=above), LABELS[name], digits)

        return _if_theirs(all_of(each_of(LABELS, sets, of_one, LABELS.__getitem__, left_out)), results)

    def theirs() -> Check:
        return worded(judge(of_theirs(authors_summary(results)), lower=above), LABELS["cnn"], digits)

    return both(ours, theirs)


def _if_theirs(check: Check, results: Results) -> Check:
    return outside(check, "collections of our own") if results.reduced else check


def _apart(results: Results, values_of: Callable[[CurveSet], np.ndarray], what: str) -> Check:
    """The largest over the smallest of the sets' medians of a value of each curve; further apart than `DIFFERENT`."""
    values = {name: values_of(made) for name, made in curve_sets(results).items()}
    middles = {name: float(np.median(each)) for name, each in values.items()}
    low, high = min(middles, key=middles.__getitem__), max(middles, key=middles.__getitem__)

    def ratio(above: np.ndarray, below: np.ndarray) -> np.ndarray:
        return median(above) / median(below)

    interval = bootstrap_interval((values[high], values[low]), ratio, SEED)
    detail = f"median {what}: " + ", ".join(f"{LABELS[name]} {value:.2g}" for name, value in middles.items())
    return _if_theirs(judge(interval, lower=DIFFERENT, detail=detail), results)


def _spread(values: np.ndarray) -> np.ndarray:
    low, high = np.quantile(values, [0.01, 0.99], axis=1)
    return high / low
