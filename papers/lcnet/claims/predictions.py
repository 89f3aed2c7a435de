"""Claims about predictions of learning curves (5.4.2, 5.4.3): the shapes of the table, and one that is a function."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Literal

import numpy as np
import pandas as pd

from core.experiment.results import Results
from core.report import Check, bootstrap_interval, claim, judge, pending, worded
from core.report.statistics.bootstrap import Interval
from core.report.statistics.reductions import mean_ratio, median
from core.report.verdicts.checks import CellNotRunError
from core.report.verdicts.shapes.shape import Benchmark, Method, shape
from papers.lcnet.curve_sets import AUTHORS, LABELS
from papers.lcnet.scores import by_set, by_share, paired, partial_predictions, partial_scores, unobserved_scores

SEED, RESAMPLES = 54, 2000
WORST = 0.1  # share of the curves that count as outliers
SHARES = {"each share": (0.0, 1.0), "a tenth": (0.0, 0.1), "nine tenths": (0.9, 1.0)}
"""The smallest and the largest share of the epochs that count, by their name."""
Seen = Literal["each share", "a tenth", "nine tenths", "nothing"]


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
    compare = _error if by == "error" else _likelihood
    return [compare(rows, better, worse, where) for where, rows in _scores(results, benchmark, better, seen)]


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


@claim(
    artifact="fig5_4",
    place="thesis 5.4.2, observation 4",
    kind="check",
    sentence="A random forest does not extrapolate: beyond the observed epochs its predictions stay where they are.",
    published="constant",
)
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


def _error(rows: pd.DataFrame, better: str, worse: str, where: str) -> Check:
    return _compared(rows, (better, worse), where, "squared", mean_ratio, {"upper": 1}, "error of {} over {}'s", ".3g")


def _likelihood(rows: pd.DataFrame, better: str, worse: str, where: str) -> Check:
    words = "likelihood of {} less {}'s"
    return _compared(rows, (better, worse), where, "log_likelihood", _difference, {"lower": 0}, words, "+.3g")


def _compared(
    rows: pd.DataFrame,
    methods: tuple[str, str],
    where: str,
    column: str,
    statistic: Callable[[np.ndarray, np.ndarray], np.ndarray],
    limits: dict[str, float],
    words: str,
    digits: str,
) -> Check:
    """Whether a statistic of two methods' scores, paired by curve, is within limits."""
    scores = paired(rows, methods, column)
    if not len(scores[0]):
        return pending(f"{where}: {' or '.join(methods)}")
    interval = bootstrap_interval(scores, statistic, SEED, RESAMPLES, paired=True)
    return worded(judge(interval, **limits), f"{where}, {words.format(*methods)}", digits)


def _difference(above: np.ndarray, below: np.ndarray) -> np.ndarray:
    return median(above) - median(below)


def _geometric_ratio(above: np.ndarray, below: np.ndarray) -> np.ndarray:
    """Ratios of the means of errors (batch, n, shares), averaged over the shares as logarithms, (batch,)."""
    return np.exp(np.log(mean_ratio(above, below)).mean(1))


def _share_of_worst(errors: np.ndarray) -> np.ndarray:
    """Part of the summed errors (batch, n) that the largest tenth makes, (batch,): all of it where one is infinite."""
    count, total = max(1, round(WORST * errors.shape[1])), errors.sum(1)
    worst = np.sort(errors, 1)[:, -count:].sum(1)
    return np.divide(worst, total, out=np.ones_like(total), where=np.isfinite(total))
