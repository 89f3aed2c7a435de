"""Shapes of the claims of section 4: the lemmas about the increments, and Theorem 4.3's bound.

The detail of each repeats it from `SETTLED` observations on, since least squares with hardly more points than units is
erratic.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from scipy import special

from core.experiment.results import Results
from core.report import Check, Interval, all_of, bootstrap_interval, judge
from core.report.verdicts.shapes.shape import Benchmark, shape_of
from papers.nnbo_regret import increments
from papers.nnbo_regret.decay import SEED
from papers.nnbo_regret.increments import ARGUMENTS
from papers.nnbo_regret.martingale import Paths, bound_of_run
from papers.nnbo_regret.recorded_paths import THRESHOLD, recorded_batches, recorded_paths

FACTOR = 2.0
"""The factor by which a quantity that should be 1 may be wrong."""
SETTLED = 100
"""Observations, two for each of the 50 units."""
STRETCHES = 10


def on_paths(check: Callable[[Paths, np.ndarray], Check]) -> Callable[..., Check]:
    """The shape of a check of a benchmark's recorded paths and batches, with that of the settled part in the detail."""

    def on_benchmark(results: Results, benchmark: Benchmark) -> Check:
        paths, (batches, observations) = recorded_paths(results, benchmark), recorded_batches(results, benchmark)
        whole, detail = check(paths, batches), ""
        first = int(np.searchsorted(observations, SETTLED))
        if 0 < first < len(observations) - 1:
            settled = check(paths.after(first), batches[first:])
            detail = f" (from {SETTLED} observations on {settled.detail}: {settled.holds})"
        return replace(whole, detail=f"{benchmark} {whole.detail}{detail}")

    return shape_of(check, on_benchmark)


@on_paths
def centred(paths: Paths, batches: np.ndarray) -> Check:
    """The mean of Z_i = Y_i / sqrt(V_i) within 0.1 of 0; the detail counts stretches of the run where it is not 0."""
    z = increments.standardized(paths)
    sums = np.stack([np.nansum(z, axis=1), np.isfinite(z).sum(1)], axis=1)
    interval = bootstrap_interval(sums, increments.ratio_of_means, SEED)
    stretches = min(STRETCHES, z.shape[1])
    tests = increments.mean_tests(paths.increments, stretches, np.random.default_rng(SEED))
    rejected = int((tests.p < 0.05).sum())
    printed = float(np.nanmean(increments.standardized(paths.as_printed())))
    detail = f"mean Z {interval.text()}, not 0 in {rejected} of {stretches} stretches; {printed:.3g} with printed signs"
    return judge(interval, lower=-0.1, upper=0.1, detail=detail)


@on_paths
def orthogonal(paths: Paths, batches: np.ndarray) -> Check:
    """E[M_n^2] / E[M]_n at the last query within a factor of 2 of 1; the detail has the same within batches."""
    interval = increments.orthogonality(paths.increments, SEED)
    within = increments.batch_orthogonality(paths.increments, batches, SEED)
    return _near_one(interval, f"{interval.text()}, within batches {within.text()}")


@on_paths
def variance_as_predicted(paths: Paths, batches: np.ndarray) -> Check:
    """E[M]_n / E<M>_n at the last query within a factor of 2 of 1."""
    interval = increments.calibration(paths, SEED)
    return _near_one(interval, interval.text())


@on_paths
def sub_gaussian(paths: Paths, batches: np.ndarray) -> Check:
    """alpha^2(t) at each of eight t from -2 to 2, below 1.25 (1 for the normal law)."""
    z = increments.standardized(paths)
    proxies = dict(zip(ARGUMENTS, increments.proxies(z, ARGUMENTS, SEED), strict=True))
    worst = max(proxies, key=lambda t: proxies[t].estimate)
    text = f"{proxies[worst].text()} at t = {worst:g}, excess kurtosis {increments.excess_kurtosis(z):+.3g}"
    every = all_of([judge(interval, upper=1.25) for interval in proxies.values()])
    return replace(every, detail=f"{every.ours} values of t, {text}")


@on_paths
def heavy_on_left(paths: Paths, batches: np.ndarray) -> Check:
    """The largest truncated mean of Z over four bins of the predicted sd and six truncations, below 0.1."""
    table = increments.heaviness(paths)
    worst = table.loc[table["low"].idxmax()]
    sides = table["side"].value_counts()
    text = f"{sides.get('left', 0)} left, {sides.get('right', 0)} right of {len(table)}, worst {worst['mean']:+.3g}"
    interval = Interval(worst["mean"], worst["low"], worst["high"])
    return judge(interval, upper=0.1, detail=text)


@on_paths
def exponent_by_its_mean(paths: Paths, batches: np.ndarray) -> Check:
    """The mean exponent over -log E[exp(-exponent)] at the last query, equal in Eq. 28; within a factor of 2."""
    exponent = paths.exponent(THRESHOLD)[:, -1]
    interval = bootstrap_interval(exponent, _overstatement, SEED)
    spread = f"{np.min(exponent):.3g} to {np.max(exponent):.3g}"
    return _near_one(interval, f"{interval.text()}, exponents of the runs {spread}")


@on_paths
def below_the_bound(paths: Paths, batches: np.ndarray) -> Check:
    """The largest excess over n of P[R_n / n > eps] over the mean over runs of Eq. 30 as printed, below 0.05.

    The largest of many noisy excesses is biased upwards, which its interval allows for.
    """
    bound = bound_of_run(paths.exponent(THRESHOLD), 2.0)
    interval = _largest_mean((paths.average_regret > THRESHOLD) - bound)
    vacuous = float((bound == 1).mean())
    text = f"excess {interval.text()}, Eq. 30 says nothing at {vacuous:.0%} of the queries"
    return judge(interval, upper=0.05, detail=text)


@on_paths
def exponent_grows_linearly(paths: Paths, batches: np.ndarray) -> Check:
    """The growth of the exponent (n eps - S_n)^2 / (2 <M>_n) over the last doubling of n, as a power of n; above 0.9.

    Eqs. 31 and 32 need linear growth, for which S_n / n must stay below eps and <M>_n grow no faster than n.
    """
    exponent = paths.exponent(THRESHOLD)
    middle = exponent.shape[1] // 2
    ends = exponent[:, [middle - 1, 2 * middle - 1]]
    interval = bootstrap_interval(ends, _growth, SEED)
    below = float((paths.cumulative_predicted_regret[:, -1] < THRESHOLD * exponent.shape[1]).mean())
    text = f"power {interval.text()}, S_n < n eps at the end in {below:.0%} of the runs"
    return judge(interval, lower=0.9, detail=text)


def _largest_mean(excess: np.ndarray) -> Interval:
    """The largest over n of the mean of (runs, n), whose low end is nearer to 0 by what chance adds to the largest.

    That is estimated by how far the means of resamples rise above those of the runs. The largest of resamples is
    biased upwards too, which makes the high end a safe one.
    """
    centre = excess.mean(0)
    above = bootstrap_interval(excess, lambda batch: (batch.mean(1) - centre).max(1), SEED, n=1_000).high
    estimate, _, high = bootstrap_interval(excess, lambda batch: batch.mean(1).max(1), SEED, n=1_000)
    return Interval(estimate, estimate - above, high)


def _overstatement(exponent: np.ndarray) -> np.ndarray:
    """(batch, runs) -> (batch,), the factor by which Jensen's inequality overstates the exponent."""
    logs = special.logsumexp(-exponent, axis=1) - np.log(exponent.shape[1])
    with np.errstate(divide="ignore", invalid="ignore"):
        return exponent.mean(1) / -logs


def _growth(ends: np.ndarray) -> np.ndarray:
    """(batch, runs, 2) -> (batch,), log2 of the ratio of the runs' second median to the first; 0 where both are 0."""
    first, second = np.median(ends, axis=1).T
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(second > 0, np.log2(second / first), 0.0)


def _near_one(interval: Interval, detail: str) -> Check:
    return judge(interval, lower=1 / FACTOR, upper=FACTOR, detail=detail)
