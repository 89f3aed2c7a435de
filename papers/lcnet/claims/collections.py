"""What chapter 5 and its appendix say of the four collections of learning curves, all of which are the authors'.

Ours are smaller, and of other images: whatever they show, the claims are `outside` below the paper's scale. The
authors' own CNN curves are judged beside them.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from core.experiment.results import Results
from core.report import (
    Check,
    NotRunError,
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
from papers.lcnet.curve_sets import AUTHORS, LABELS, CurveSet, curve_sets

SEED = 5
Statistic = Callable[[np.ndarray], np.ndarray]
DIFFERENT = 2  # medians of two sets that are this many times apart differ


@claim(
    artifact="fig5_3",
    place="thesis Fig 5.3",
    kind="shape",
    sentence="The curves of all four sets follow a similar pattern: they fall, and most of it early.",
)
def curves_fall_early(results: Results) -> Check:
    """The part of the mean curve's fall that is done after half of the epochs; more than half of it, on each set."""

    def check(made: CurveSet) -> Check:
        curves = made.finished().curves
        return judge(bootstrap_interval(curves, _early_part_of_the_fall, SEED, of_means=True), "most", lower=0.5)

    return _on_all(results, check, ".0%")


@claim(
    artifact="fig5_3",
    place="thesis Fig 5.3",
    kind="shape",
    sentence="The sets differ in how noisy their curves are.",
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
)
def runtimes_are_long_tailed(results: Results) -> Check:
    """The mean lies above the median, which is the least that a long tail does."""

    def check(made: CurveSet) -> Check:
        return judge(bootstrap_interval(made.runtimes, _mean_over_median, SEED), "above 1", lower=1)

    return _on_all(results, check)


@claim(
    artifact="figB_1",
    place="thesis B.3",
    sentence="On all four sets some configurations take an order of magnitude longer than others, or more.",
)
def runtimes_differ_by_orders_of_magnitude(results: Results) -> Check:
    """The longest runtime over the shortest, above 10: two configurations are enough to show it.

    The text has "order of magnitudes", so that one of them is the least that it can mean.
    """

    def check(made: CurveSet) -> Check:
        ratio = float(made.runtimes.max() / made.runtimes.min())
        return judge(Interval.exact(ratio), "orders of magnitude", lower=10)

    return _on_all(results, check)


@claim(
    artifact="figB_1",
    place="thesis Fig B.1",
    sentence="The runtimes of the FCNet differ most.",
)
def fcnet_runtimes_differ_most(results: Results) -> Check:
    """The quantile of 99% over that of 1%: the FCNet's over each other set's."""
    sets = curve_sets(results)

    def ratio(above: np.ndarray, below: np.ndarray) -> np.ndarray:
        return _spread(above) / _spread(below)

    def check(name: str) -> Check:
        samples = (sets["fcnet"].runtimes, sets[name].runtimes)
        return worded(judge(bootstrap_interval(samples, ratio, SEED), "above 1", lower=1), f"over {LABELS[name]}'s")

    others = [name for name in LABELS if name != "fcnet"]
    run = sets if "fcnet" in sets else ()
    return _if_theirs(all_of(each_of(others, run, check, LABELS.__getitem__, left_out), "3 of 3"), results)


def _on_all(results: Results, check: Callable[[CurveSet], Check], digits: str = ".3g") -> Check:
    """The same check on each of the four sets of our own, and on the authors' CNN curves."""
    sets = curve_sets(results)

    def of_one(name: str, label: str) -> Check:
        return worded(check(sets[name]), label, digits)

    def ours() -> Check:
        own = [name for name in LABELS if name in sets]
        if not own:
            raise NotRunError("curves")
        checks = each_of(LABELS, own, lambda name: of_one(name, LABELS[name]), LABELS.__getitem__, left_out)
        return _if_theirs(all_of(checks, "4 of 4"), results)

    def theirs() -> Check:
        if AUTHORS not in sets:
            raise NotRunError(f"curves/{AUTHORS}")
        return of_one(AUTHORS, LABELS["cnn"])

    return both(ours, theirs)


def _if_theirs(check: Check, results: Results) -> Check:
    return outside(check, "collections of our own") if results.reduced else check


def _apart(results: Results, values_of: Callable[[CurveSet], np.ndarray], what: str) -> Check:
    """The largest over the smallest of the sets' medians of a value of each curve; further apart than `DIFFERENT`."""
    values = {name: values_of(made) for name, made in curve_sets(results).items() if name in LABELS}
    middles = {name: float(np.median(each)) for name, each in values.items()}
    low, high = min(middles, key=middles.__getitem__), max(middles, key=middles.__getitem__)

    def ratio(above: np.ndarray, below: np.ndarray) -> np.ndarray:
        return median(above) / median(below)

    found: Interval = bootstrap_interval((values[high], values[low]), ratio, SEED)
    detail = f"median {what}: " + ", ".join(f"{LABELS[name]} {value:.2g}" for name, value in middles.items())
    return _if_theirs(judge(found, "differ", lower=DIFFERENT, detail=detail), results)


def _early_part_of_the_fall(means: np.ndarray) -> np.ndarray:
    """Part of the fall of mean curves (batch, T) in the first half of the epochs, (batch,); -inf where they rise."""
    fall = means[:, 0] - means[:, -1]
    half = means[:, 0] - means[:, means.shape[1] // 2]
    return np.divide(half, fall, out=np.full_like(fall, -np.inf), where=fall > 0)


def _mean_over_median(values: np.ndarray) -> np.ndarray:
    """Means of values (batch, n) over their medians, (batch,)."""
    return values.mean(1) / median(values)


def _spread(values: np.ndarray) -> np.ndarray:
    low, high = np.quantile(values, [0.01, 0.99], axis=1)
    return high / low
