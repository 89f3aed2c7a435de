"""Shapes of the chapter's claims: about LC-Net's basis functions, the collections of curves, predictions, and tables.

The four collections of which the thesis speaks are the authors'. Ours are smaller, and of other images: whatever they
show, claims about them are `outside` below the paper's scale. The authors' own CNN curves are judged beside them, by
their summary.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Literal

import numpy as np
import pandas as pd

from core.experiment.results import Results
from core.report import (
    Check,
    NotRunError,
    all_of,
    bootstrap_interval,
    each_of,
    judge,
    left_out,
    outside,
    pending,
    worded,
)
from core.report.runs.frames import CellNotRunError
from core.report.runs.trajectories import end_of, over_time
from core.report.statistics.comparisons import probabilities, resampled_interval, wins
from core.report.statistics.intervals import Interval, mean_ratio, median_difference, median_ratio
from core.report.verdicts.mean_comparisons import cells_of
from core.report.verdicts.shapes.shape import Benchmark, Data, Method, shape
from core.report.verdicts.speedups import Pair, judge_factor, speedup
from core.tabular.values import LABELS as TABLES
from papers.lcnet.curves import (
    AUTHORS,
    LABELS,
    RESAMPLES_SEED,
    CurveSet,
    CurveSummary,
    authors_summary,
    basis_draws,
    curve_sets,
    early_part_of_the_fall,
    mean_over_median,
)
from papers.lcnet.runs import (
    by_set,
    by_share,
    paired,
    partial_predictions,
    partial_scores,
    table_runs,
    unobserved_scores,
)

SEED, RESAMPLES = 54, 2000
WORST = 0.1  # share of the curves that count as outliers
SHARES = {"each share": (0.0, 1.0), "a tenth": (0.0, 0.1), "nine tenths": (0.9, 1.0)}
"""The smallest and the largest share of the epochs that count, by their name."""
COMPARED = {
    "error": ("squared", mean_ratio, {"upper": 1}, "error of {} over {}'s", ".3g"),
    "likelihood": ("log_likelihood", median_difference, {"lower": 0}, "likelihood of {} less {}'s", "+.3g"),
}
"""Column of the scores of two methods, paired by curve, their statistic, its limits, words and digits, by its name."""
Seen = Literal["each share", "a tenth", "nine tenths", "nothing"]


@shape
def residuals_vanish(results: Results) -> Check:
    """The largest absolute value at t = 1 of all functions and draws."""
    _, draws = basis_draws()
    largest = max(float(np.abs(values[:, -1]).max()) for values in draws.values())
    return judge(Interval.exact(largest), upper=1e-12)


@shape
def one_network_models_all_parts(results: Results) -> Check:
    """Number of weights in the network's softmax."""
    import torch

    from core.models.curves.basis_network import BasisMLP  # imports torch, which other claims do without

    network = BasisMLP((4, 50, 50, 50, BasisMLP.outputs))
    asymptote, weights, parameters = network.head(torch.zeros(network.num_weights), torch.zeros(1, 4))
    number = float(weights.shape[-1]) if asymptote.numel() == 1 and parameters.shape[-1] else 0.0
    return judge(Interval.exact(number), lower=4.5, upper=5.5)


@shape
def curves_fall_early(results: Results, data: Data = "ours") -> Check:
    """The part of the mean curve's fall that is done after half of the epochs; more than half of it, on each set."""

    def part(falls: np.ndarray) -> Interval:
        return bootstrap_interval(falls, early_part_of_the_fall, RESAMPLES_SEED, of_means=True)

    return _on_all(
        results, data, lambda ours: part(ours.finished().falls), lambda theirs: part(theirs.falls), 0.5, ".0%"
    )


@shape
def runtimes_are_long_tailed(results: Results, data: Data = "ours") -> Check:
    """The mean lies above the median, which is the least that a long tail does."""

    def of_one(ours: CurveSet) -> Interval:
        return bootstrap_interval(ours.runtimes, mean_over_median, RESAMPLES_SEED)

    return _on_all(results, data, of_one, lambda theirs: theirs.mean_over_median, 1.0)


@shape
def runtimes_differ_by_orders_of_magnitude(results: Results, data: Data = "ours") -> Check:
    """The longest runtime over the shortest, above 10: two configurations are enough to show it. The text has "order of
    magnitudes", so that one of them is the least that it can mean.
    """

    def ratio(seconds: np.ndarray) -> Interval:
        return Interval.exact(float(seconds.max() / seconds.min()))

    return _on_all(
        results, data, lambda ours: ratio(ours.runtimes), lambda theirs: ratio(theirs.seconds.to_numpy()), 10.0
    )


@shape
def medians_differ(results: Results, quantity: Literal["noise", "steepness"], factor: int | float) -> Check:
    """The largest over the smallest of the sets' medians of a quantity of each curve is above a factor.

    A curve's noise is the mean size of its second differences over its range; its steepness is the epochs it takes for
    half of its way from its first to its best value, inverted.
    """
    values = {}
    for name, made in curve_sets(results).items():
        curves = made.finished().curves
        if quantity == "noise":
            spread = np.maximum(np.ptp(curves, 1), np.finfo(float).tiny)
            values[name] = np.abs(np.diff(curves, 2)).mean(1) / spread
        else:
            half = (curves[:, :1] + curves.min(1, keepdims=True)) / 2
            values[name] = 1 / (1 + (curves <= half).argmax(1))
    middles = {name: float(np.median(each)) for name, each in values.items()}
    low, high = min(middles, key=middles.__getitem__), max(middles, key=middles.__getitem__)

    interval = bootstrap_interval((values[high], values[low]), median_ratio, RESAMPLES_SEED)
    detail = f"median {quantity}: " + ", ".join(f"{LABELS[name]} {value:.2g}" for name, value in middles.items())
    return _if_theirs(judge(interval, lower=factor, detail=detail), results)


@shape
def runtimes_differ_most(results: Results, of: Benchmark) -> Check:
    """The quantile of 99% over that of 1%: that of one set's runtimes over each other set's."""
    sets = curve_sets(results)

    def spread(values: np.ndarray) -> np.ndarray:
        low, high = np.quantile(values, [0.01, 0.99], axis=1)
        return high / low

    def check(name: str) -> Check:
        samples = (sets[of].runtimes, sets[name].runtimes)
        interval = bootstrap_interval(samples, lambda above, below: spread(above) / spread(below), RESAMPLES_SEED)
        return worded(judge(interval, lower=1), f"over {LABELS[name]}'s")

    others = [name for name in LABELS if name != of]
    return _if_theirs(all_of(each_of(others, sets if of in sets else (), check, LABELS.__getitem__, left_out)), results)


def _on_all(
    results: Results,
    data: Data,
    of_ours: Callable[[CurveSet], Interval],
    of_theirs: Callable[[CurveSummary], Interval],
    above: float,
    digits: str = ".3g",
) -> Check:
    """Whether a statistic of each of the four sets of our own, or of the authors' CNN curves, is above a limit."""
    if data == "authors":
        return worded(judge(of_theirs(authors_summary(results)), lower=above), LABELS["cnn"], digits)
    sets = curve_sets(results)

    def of_one(name: str) -> Check:
        return worded(judge(of_ours(sets[name]), lower=above), LABELS[name], digits)

    return _if_theirs(all_of(each_of(LABELS, sets, of_one, LABELS.__getitem__, left_out)), results)


def _if_theirs(check: Check, results: Results) -> Check:
    """The check, which is `outside` below the paper's scale: what is said is said of the authors' collections."""
    return outside(check, "collections of our own") if results.reduced else check


@shape
def predicts_better(
    results: Results,
    benchmark: Benchmark,
    better: Method,
    worse: Method,
    by: Literal["error", "likelihood"],
    seen: Seen = "each share",
) -> list[Check]:
    """One method's mean squared error is below another's, or its median log-likelihood above."""
    column, statistic, limits, words, digits = COMPARED[by]
    parts = []
    for where, rows in _scores(results, benchmark, better, seen):
        scores = paired(rows, (better, worse), column)
        if not len(scores[0]):
            parts.append(pending(f"{where}: {better} or {worse}"))
            continue
        interval = bootstrap_interval(scores, statistic, SEED, RESAMPLES, paired=True)
        parts.append(worded(judge(interval, **limits), f"{where}, {words.format(better, worse)}", digits))
    return parts


@shape
def error_ratio(
    results: Results,
    benchmark: Benchmark,
    first: Method,
    second: Method,
    below: float,
    above: float = -math.inf,
    seen: Literal["each share", "nothing"] = "each share",
    more: str = "",
) -> Check:
    """The mean squared error of one method over that of another, on average over the shares, lies between two factors.

    The average is that of logarithms: errors fall by orders of magnitude from the smallest share to the largest, and
    those of all shares together would be those of the smallest alone.

    Args:
        more: Words for a ratio above the region.
    """
    parts = [rows for _, rows in _scores(results, benchmark, first, seen)]
    errors = [paired(rows, (first, second), "squared") for rows in parts]
    where = _label(benchmark)
    if not errors or len({len(one) for one, _ in errors}) > 1 or not len(errors[0][0]):
        return pending(f"{where}: {first} or {second}")
    samples = tuple(np.stack(each, axis=1) for each in zip(*errors, strict=True))
    ratio = bootstrap_interval(samples, _geometric_ratio, SEED, RESAMPLES, paired=True)
    check = worded(judge(ratio, above, below), f"{where}, error of {first} over {second}'s")
    return replace(check, detail=f"{check.detail}, {more}") if more and check.low > below else check


@shape
def share_of_the_worst(
    results: Results, benchmark: Benchmark, method: Method, beside: Method, above: float
) -> list[Check]:
    """The part of a method's squared errors after a tenth of the epochs that its worst tenth of curves make.

    Args:
        beside: Another method; curves that it did not predict do not count.
    """
    checks = []
    for where, rows in _scores(results, benchmark, method, "a tenth"):
        errors, _ = paired(rows, (method, beside), "squared")
        if not len(errors):
            return [pending(f"{where}: {method} or {beside}")]
        share = bootstrap_interval(errors, _share_of_worst, SEED, RESAMPLES)
        checks.append(worded(judge(share, lower=above), f"{where}, share of the worst tenth", ".0%"))
    return checks


@shape
def forest_is_constant(results: Results) -> Check:
    """The largest change of its prediction of a curve after the observed epochs, over all curves drawn."""
    scores = partial_predictions(results)
    rows = scores[(scores["method"] == "forest") & (scores["epoch"] > scores["observed"])]
    spread = rows.groupby(["benchmark", "run", "observed", "number"])["mean"].agg(np.ptp).max()
    return judge(Interval.exact(spread), upper=1e-6)


def _label(benchmark: str) -> str:
    return LABELS["cnn" if benchmark == AUTHORS else benchmark]


def _scores(results: Results, benchmark: str, method: str, seen: Seen) -> Iterator[tuple[str, pd.DataFrame]]:
    """The scores of a set at each share of the epochs that counts, or of curves of which nothing was seen, in words.

    Raises:
        CellNotRunError: no method predicted the set's curves.
    """
    scores = unobserved_scores(results) if seen == "nothing" else partial_scores(results)
    rows, where = by_set(scores).get(benchmark), _label(benchmark)
    if rows is None:
        raise CellNotRunError(benchmark, method, alone=False, words=where)
    if seen == "nothing":
        yield where, rows
        return
    smallest, largest = SHARES[seen]
    for share, each in by_share(rows):
        if smallest <= share <= largest:
            yield f"{where} {share:.0%}", each


def _geometric_ratio(above: np.ndarray, below: np.ndarray) -> np.ndarray:
    """Ratios of the means of errors (batch, n, shares), averaged over the shares as logarithms, (batch,)."""
    return np.exp(np.log(mean_ratio(above, below)).mean(1))


def _share_of_worst(errors: np.ndarray) -> np.ndarray:
    """Part of the summed errors (batch, n) that the largest tenth makes, (batch,): all of it where one is infinite."""
    count, total = max(1, round(WORST * errors.shape[1])), errors.sum(1)
    worst = np.sort(errors, 1)[:, -count:].sum(1)
    return np.divide(worst, total, out=np.ones_like(total), where=np.isfinite(total))


@shape
def below_on_table(results: Results, benchmark: Benchmark, better: Method, worse: Method, share: float = 1.0) -> Check:
    """The probability that a run of one method is below one of another after a share of the time that both ran."""
    cells, end = _cells(results, benchmark, (better, worse))
    matrix = wins(*(over_time(rows, np.array([share * end])) for rows in cells.values()))
    interval = resampled_interval(lambda a, b: probabilities(matrix, a, b)[:, 0], *matrix.shape[1:])
    words = f"{TABLES[benchmark]}, {better} below {worse} at {share * end:.4g} s"
    return worded(judge(interval, lower=0.5), words)


@shape
def faster_with_lcnet(results: Results, benchmark: Benchmark, above: float, share: float = 0.5) -> Check:
    """How much sooner Hyperband's median regret after a share of the time that both ran is reached with LC-Net."""
    slow, fast = methods = ("hyperband", "hyperband_lcnet")
    cells, end = _cells(results, benchmark, methods)
    level = float(np.median(over_time(cells[slow], np.array([share * end]))))
    factor = speedup(Pair.of(table_runs(results), benchmark, slow, fast, level, average=np.median))
    return judge_factor(factor, (above, np.inf), f"{benchmark}, factor by which LC-Net is faster: ")


def _cells(results: Results, benchmark: str, methods: tuple[str, str]) -> tuple[dict[str, pd.DataFrame], float]:
    """The rows of two methods, and when the first of them ends.

    Raises:
        CellNotRunError: one of them was not run, which leaves the set out.
    """
    try:
        cells = cells_of(table_runs(results), benchmark, methods)
    except NotRunError as error:
        raise CellNotRunError(benchmark, methods[0], alone=False, words=TABLES[benchmark]) from error
    return cells, min(map(end_of, cells.values()))
