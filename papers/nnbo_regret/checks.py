"""Shapes of the claims of Brofos et al.: about Figs 1 to 3, section 6, and the lemmas and theorem of section 4."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Literal

import numpy as np
from scipy import special

from core.experiment.results import Results
from core.report import Check, Interval, all_of, bootstrap_interval, judge, outside, rows_of, worded
from core.report.statistics.intervals import geometric_mean, mean, mean_ratio, median
from core.report.verdicts.shapes.shape import Benchmark, Experiment, shape, shape_of
from core.report.verdicts.shapes.suggestion_times import LARGE, NEAR, slopes
from papers.nnbo_regret import increments
from papers.nnbo_regret.decay import SEED as THEOREM_SEED
from papers.nnbo_regret.decay import fit_decay, ratio_of_rates
from papers.nnbo_regret.increments import ARGUMENTS
from papers.nnbo_regret.martingale import Paths, bound_of_run
from papers.nnbo_regret.runs import (
    SHOWN,
    THRESHOLD,
    average_with_initial,
    queries,
    recorded_batches,
    recorded_paths,
)

SEED = 1502
LITTLE = 100  # observations, two for each of the 50 units; the paper begins with 50
QUARTERS = 4
BATCH = 5  # queries
LEVEL = 0.01  # a relative fall that does not count as one
FACTOR = 2.0
"""The factor by which a quantity that should be 1 may be wrong."""
SETTLED = 100
"""Observations, two for each of the 50 units. Details of claims about section 4 repeat them from here on, since least
squares with hardly more points than units is erratic."""
STRETCHES = 10
Quarter = Literal[2, 3, 4]


@shape
def representation_interpolates(results: Results) -> Check:
    """Root mean squared error of the mean over the domain, in standard deviations of f there; below 0.1."""
    error, _ = _errors(results)
    return judge(bootstrap_interval(error, median, SEED), upper=0.1, detail="median of error over sd of f")


@shape
def regression_beats_the_output_layer(results: Results) -> Check:
    """The error of the network's own output over that of the regression on its last layer; above 1. Outside while the
    fits are of more than two observations a unit, which is not little data.
    """
    error, network = _errors(results)
    seen = rows_of(results, "illustration", part="data").groupby("run").size().max()
    interval = bootstrap_interval(network / error, median, SEED)
    check = judge(interval, lower=1.0, detail="median of network's error over regression's")
    return outside(check, f"after {seen} observations") if seen > LITTLE else check


def _errors(results: Results) -> tuple[np.ndarray, np.ndarray]:
    """Root mean squared errors of the regression and of the network over the domain, over f's sd, (runs,) each."""
    grid = rows_of(results, "illustration", part="grid")
    errors = []
    for _, run in grid.groupby("run"):
        scale = run["value"].std()
        errors.append([np.sqrt(np.mean((run[name] - run["value"]) ** 2)) / scale for name in ("mean", "network")])
    regression, network = np.array(errors).T
    return regression, network


@shape
def parallel_is_faster(results: Results) -> Check:
    """Sequential seconds over those of two evaluators, at most 2; above 1.5."""
    runs = [rows_of(results, "wall_clock", method=name) for name in ("sequential", "parallel_2")]
    ends = tuple(rows.groupby("run")["finished"].max().to_numpy() for rows in runs)
    detail = "seconds sequential over parallel, two evaluators"
    return judge(bootstrap_interval(ends, mean_ratio, SEED), lower=1.5, detail=detail)


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


@shape
def competitive(results: Results, experiment: Experiment, benchmark: Benchmark, below: float) -> Check:
    """Minimum regret after 100 queries less GP-BO's, averaged as logarithms, over uniform points' mean regret."""
    _, theirs, initial = queries(results, "gaussian_process", benchmark, SHOWN, "gp")
    _, ours, _ = queries(results, experiment, benchmark, theirs.shape[1])

    def statistic(above: np.ndarray, below: np.ndarray) -> np.ndarray:
        return (geometric_mean(above) - geometric_mean(below)) / initial.mean()

    ends = ours[:, -1], theirs[:, -1]
    minima = [f"{geometric_mean(end[None])[0]:.3g} (mean {end.mean():.3g})" for end in ends]
    detail = f"after {theirs.shape[1]} queries {minima[0]}, GP-BO {minima[1]}; difference over initial mean regret"
    return judge(bootstrap_interval(ends, statistic, SEED), upper=below, detail=detail)


@shape
def interpolation_grows_linearly(results: Results) -> Check:
    """Slope of log seconds over log N from 1,000 observations on; within a quarter of 1."""
    rows = rows_of(results, "interpolation", method="least_squares")
    table = rows[rows["observations"] >= LARGE].pivot(index="run", columns="observations", values="seconds")
    sizes, seconds = table.columns.to_numpy(float), table.to_numpy(float)
    interval = bootstrap_interval(slopes(sizes, seconds), mean, SEED)
    detail = f"slope of log seconds over log N; {np.median(seconds[:, -1]):.2g} s at {sizes[-1]:.0f} observations"
    return judge(interval, 1 - NEAR, 1 + NEAR, detail=detail)


@shape
def rate_of_decay(results: Results, benchmark: Benchmark, above: float, below: float) -> Check:
    """The rate by likelihood lies in a region; the detail has other ways to fit and count."""
    over = _above(results, benchmark)
    fit, late = fit_decay(over, THEOREM_SEED), fit_decay(over, THEOREM_SEED, start=0.5)
    counted = fit_decay(average_with_initial(results, benchmark) > THRESHOLD, THEOREM_SEED)
    detail = (
        f"per query, from n_0 = {fit.start.estimate:.0f} on; by least squares of logs {fit.rate_of_logs.text()}; "
        f"from half the highest share on {late.rate.estimate:.3g}; "
        f"with the initial design counted {counted.rate.text()}"
    )
    return judge(fit.rate, above, below, detail)


@shape
def late_over_early_rate(results: Results, benchmark: Benchmark, above: float, below: float) -> Check:
    """The rate below 0.3 of the highest share over that above it lies in a region."""
    ratio = fit_decay(_above(results, benchmark), THEOREM_SEED).late_over_early
    return judge(ratio, above, below, "late over early rate")


@shape
def ratio_of_rates_of_decay(results: Results, first: Benchmark, second: Benchmark, below: float) -> Check:
    """The rate on one benchmark over that on another is below a limit."""
    ratio = ratio_of_rates(_above(results, first), _above(results, second), THEOREM_SEED)
    return worded(judge(ratio, upper=below), f"ratio of the rates, {second}")


@shape
def start_of_the_decay(results: Results, benchmark: Benchmark, beside: Benchmark, above: int, below: int) -> Check:
    """n_0, the last query with nine tenths of the highest share of runs above eps, lies in a region.

    Args:
        beside: Another target, whose n_0 and rate the detail has.
    """
    fit, other = (fit_decay(_above(results, name), THEOREM_SEED) for name in (benchmark, beside))
    counted = fit_decay(average_with_initial(results, benchmark) > THRESHOLD, THEOREM_SEED).start.estimate
    detail = (
        f"n_0; {counted:.0f} with the initial design counted; {other.start.text()} on the function of the authors' "
        f"code, with a rate of {other.rate.text()}"
    )
    return judge(fit.start, above, below, detail)


def _above(results: Results, name: str) -> np.ndarray:
    return recorded_paths(results, name).average_regret > THRESHOLD


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
def increments_are_centred(paths: Paths, batches: np.ndarray) -> Check:
    """The mean of Z_i = Y_i / sqrt(V_i) within 0.1 of 0; the detail counts stretches of the run where it is not 0."""
    z = increments.standardized(paths)
    sums = np.stack([np.nansum(z, axis=1), np.isfinite(z).sum(1)], axis=1)
    interval = bootstrap_interval(sums, increments.ratio_of_means, THEOREM_SEED)
    stretches = min(STRETCHES, z.shape[1])
    tests = increments.mean_tests(paths.increments, stretches, np.random.default_rng(THEOREM_SEED))
    rejected = int((tests.p < 0.05).sum())
    printed = float(np.nanmean(increments.standardized(paths.as_printed())))
    detail = f"mean Z {interval.text()}, not 0 in {rejected} of {stretches} stretches; {printed:.3g} with printed signs"
    return judge(interval, lower=-0.1, upper=0.1, detail=detail)


@on_paths
def increments_are_orthogonal(paths: Paths, batches: np.ndarray) -> Check:
    """E[M_n^2] / E[M]_n at the last query within a factor of 2 of 1; the detail has the same within batches."""
    interval = increments.orthogonality(paths.increments, THEOREM_SEED)
    within = increments.batch_orthogonality(paths.increments, batches, THEOREM_SEED)
    return _near_one(interval, f"{interval.text()}, within batches {within.text()}")


@on_paths
def variance_is_that_of_eq_17(paths: Paths, batches: np.ndarray) -> Check:
    """E[M]_n / E<M>_n at the last query within a factor of 2 of 1."""
    interval = increments.calibration(paths, THEOREM_SEED)
    return _near_one(interval, interval.text())


@on_paths
def increments_are_sub_gaussian(paths: Paths, batches: np.ndarray) -> Check:
    """alpha^2(t) at each of eight t from -2 to 2, below 1.25 (1 for the normal law)."""
    z = increments.standardized(paths)
    proxies = dict(zip(ARGUMENTS, increments.proxies(z, ARGUMENTS, THEOREM_SEED), strict=True))
    worst = max(proxies, key=lambda t: proxies[t].estimate)
    text = f"{proxies[worst].text()} at t = {worst:g}, excess kurtosis {increments.excess_kurtosis(z):+.3g}"
    every = all_of([judge(interval, upper=1.25) for interval in proxies.values()])
    return replace(every, detail=f"{every.ours} values of t, {text}")


@on_paths
def increments_are_heavy_on_left(paths: Paths, batches: np.ndarray) -> Check:
    """The largest truncated mean of Z over four bins of the predicted sd and six truncations, below 0.1."""
    table = increments.heaviness(paths)
    worst = table.loc[table["low"].idxmax()]
    sides = table["side"].value_counts()
    text = f"{sides.get('left', 0)} left, {sides.get('right', 0)} right of {len(table)}, worst {worst['mean']:+.3g}"
    interval = Interval(worst["mean"], worst["low"], worst["high"])
    return judge(interval, upper=0.1, detail=text)


@on_paths
def expectation_may_be_dropped(paths: Paths, batches: np.ndarray) -> Check:
    """The mean exponent over -log E[exp(-exponent)] at the last query, equal in Eq. 28; within a factor of 2."""
    exponent = paths.exponent(THRESHOLD)[:, -1]
    interval = bootstrap_interval(exponent, _overstatement, THEOREM_SEED)
    spread = f"{np.min(exponent):.3g} to {np.max(exponent):.3g}"
    return _near_one(interval, f"{interval.text()}, exponents of the runs {spread}")


@on_paths
def probability_is_below_the_bound(paths: Paths, batches: np.ndarray) -> Check:
    """The largest excess over n of P[R_n / n > eps] over the mean over runs of Eq. 30 as printed, below 0.05.

    The largest of many noisy excesses is biased upwards, which its interval allows for.
    """
    bound = bound_of_run(paths.exponent(THRESHOLD), 2.0)
    interval = _largest_mean((paths.average_regret > THRESHOLD) - bound)
    vacuous = float((bound == 1).mean())
    text = f"excess {interval.text()}, Eq. 30 says nothing at {vacuous:.0%} of the queries"
    return judge(interval, upper=0.05, detail=text)


@on_paths
def bound_decays_exponentially(paths: Paths, batches: np.ndarray) -> Check:
    """The growth of the exponent (n eps - S_n)^2 / (2 <M>_n) over the last doubling of n, as a power of n; above 0.9.

    Eqs. 31 and 32 need linear growth, for which S_n / n must stay below eps and <M>_n grow no faster than n.
    """
    exponent = paths.exponent(THRESHOLD)
    middle = exponent.shape[1] // 2
    ends = exponent[:, [middle - 1, 2 * middle - 1]]
    interval = bootstrap_interval(ends, _growth, THEOREM_SEED)
    below = float((paths.cumulative_predicted_regret[:, -1] < THRESHOLD * exponent.shape[1]).mean())
    text = f"power {interval.text()}, S_n < n eps at the end in {below:.0%} of the runs"
    return judge(interval, lower=0.9, detail=text)


def _largest_mean(excess: np.ndarray) -> Interval:
    """The largest over n of the mean of (runs, n), whose low end is nearer to 0 by what chance adds to the largest.

    That is estimated by how far the means of resamples rise above those of the runs. The largest of resamples is
    biased upwards too, which makes the high end a safe one.
    """
    centre = excess.mean(0)
    above = bootstrap_interval(excess, lambda batch: (batch.mean(1) - centre).max(1), THEOREM_SEED, n=1_000).high
    estimate, _, high = bootstrap_interval(excess, lambda batch: batch.mean(1).max(1), THEOREM_SEED, n=1_000)
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
