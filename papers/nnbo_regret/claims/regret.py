"""Shapes of the claims about Figs 2b and 2c: the minimum regret reaches zero, the average falls, but not at first."""

from __future__ import annotations

from typing import Literal

import numpy as np

from core.experiment.results import Results
from core.report import Check, bootstrap_interval, judge, worded
from core.report.statistics.reductions import geometric_mean, mean, mean_ratio
from core.report.verdicts.shapes.shape import Benchmark, Experiment, shape
from papers.nnbo_regret.regret_curves import SHOWN, queries

Quarter = Literal[2, 3, 4]
SEED = 1502
QUARTERS = 4
BATCH = 5  # queries
LEVEL = 0.01  # a relative fall that does not count as one


@shape
def reaches_zero(results: Results, experiment: Experiment, benchmark: Benchmark, below: float) -> Check:
    """Minimum regret after 300 queries, averaged as a logarithm, over the uniform points' mean regret.

    Minima span orders of magnitude: their own mean would be that of the few runs which stay elsewhere, whereas the
    paper speaks of what it sees "generally".
    """
    _, minimum, initial = queries(results, experiment, benchmark, SHOWN)
    last = minimum[:, -1]
    interval = bootstrap_interval((last, initial), lambda a, b: geometric_mean(a) / mean(b), SEED, paired=True)
    share = np.mean(last < below * initial.mean())
    detail = (
        f"geometric mean of the minimum over initial mean regret, after {minimum.shape[1]} queries; {share:.0%} of "
    )
    return judge(interval, upper=below, detail=f"{detail}runs below {below:g}, mean minimum {last.mean():.3g}")


@shape
def does_not_fall_at_first(results: Results, experiment: Experiment, benchmark: Benchmark) -> Check:
    """The mean of R_m / m after the second batch of queries over that after the first; not below 1 by more than 1%."""
    average, _, _ = queries(results, experiment, benchmark, SHOWN)
    starts = average[:, 2 * BATCH - 1], average[:, BATCH - 1]
    interval = bootstrap_interval(starts, mean_ratio, SEED, paired=True)
    highest = average.mean(axis=0).argmax() + 1
    detail = f"R_m / m at {2 * BATCH} over that at {BATCH}; highest at query {highest}"
    return judge(interval, lower=1 - LEVEL, detail=detail)


@shape
def falls_in_a_quarter(results: Results, experiment: Experiment, benchmark: Benchmark, quarter: Quarter) -> Check:
    """The mean of R_m / m at the end of a quarter of the queries over that at its start; below 1 by more than 1%."""
    average, _, _ = queries(results, experiment, benchmark, SHOWN)
    start, end = (average.shape[1] * each // QUARTERS for each in (quarter - 1, quarter))
    interval = bootstrap_interval((average[:, end - 1], average[:, start - 1]), mean_ratio, SEED, paired=True)
    return worded(judge(interval, upper=1 - LEVEL), f"R_m / m at {end} over that at {start}")
