"""Checks behind claims.yaml: Fig 3's decay, the lemmas about the increments, and Theorem 4.3's bound.

That a number is exactly 1 or 0 cannot be shown by an interval; checked is that the interval lies within a stated
neighbourhood. Statements about the theorem are checked on its three benchmarks and hold where they hold on all; beside
each stands the same from `SETTLED` observations on, since least squares with hardly more points than units is wild.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from scipy import special

from core.experiment.results import Results
from core.report.bootstrap import Interval, bootstrap_interval
from core.report.checks import Check, all_of, judge
from papers.nnbo_regret import increments
from papers.nnbo_regret.decay import fit_decay, ratio_of_rates
from papers.nnbo_regret.martingale import Paths, bound_of_run
from papers.nnbo_regret.paths import EXPERIMENTS, THRESHOLD, average_with_initial, recorded_batches, recorded_paths

SEED = 2015
APPROXIMATELY = 2.0
"""The factor that "approximately" may be wrong by, and that the increments' variances may differ by."""

SETTLED = 100
"""Observations, two for each of the 50 units."""

STRETCHES = 10
ARGUMENTS = (-2.0, -1.0, -0.5, -0.25, 0.25, 0.5, 1.0, 2.0)
"""t of the sub-Gaussian condition."""


def rate_on_gaussian_process(results: Results) -> Check:
    return _rate(results, "gaussian_process", -0.084)


def rate_on_hartmann(results: Results) -> Check:
    return _rate(results, "hartmann4_rescaled", -0.012)


def decay_starts_at_400(results: Results) -> Check:
    """n_0, the last query with nine tenths of the highest share of runs above eps; within 300 to 500."""
    fit = fit_decay(_above(results, "gaussian_process"), SEED)
    counted = fit_decay(average_with_initial(results, "gaussian_process") > THRESHOLD, SEED).start.estimate
    quartic = fit_decay(_above(results, "brofos_quartic"), SEED)
    detail = (
        f"n_0; {counted:.0f} with the initial design counted; {_text(quartic.start)} on the function of the authors' "
        f"code, with a rate of {_text(quartic.rate)}"
    )
    return judge(fit.start, 400.0, lower=300, upper=500, detail=detail)


def exponential_on_gaussian_process(results: Results) -> Check:
    return _exponential(results, "gaussian_process")


def exponential_on_hartmann(results: Results) -> Check:
    return _exponential(results, "hartmann4_rescaled")


def hartmann_is_harder(results: Results) -> Check:
    """The rate on Hartmann over that on the Gaussian process, below 1."""
    above = [_above(results, name) for name in ("hartmann4_rescaled", "gaussian_process")]
    return judge(ratio_of_rates(*above, SEED), 12 / 84, upper=1.0, detail="ratio of the rates")


def increments_are_centred(results: Results) -> Check:
    """The mean of Z_i = Y_i / sqrt(V_i) within 0.1 of 0; beside it the stretches of the run where it is not 0."""

    def check(paths: Paths, batches: np.ndarray) -> Check:
        z = increments.standardised(paths)
        sums = np.stack([np.nansum(z, axis=1), np.isfinite(z).sum(1)], axis=1)
        interval = bootstrap_interval(sums, increments.ratio_of_means, SEED)
        stretches = min(STRETCHES, z.shape[1])
        tests = increments.mean_tests(paths.increments, stretches, np.random.default_rng(SEED))
        rejected = int((tests.p < 0.05).sum())
        printed = float(np.nanmean(increments.standardised(paths.as_printed())))
        detail = (
            f"mean Z {_text(interval)}, not 0 in {rejected} of {stretches} stretches; {printed:.3g} with printed signs"
        )
        return judge(interval, 0.0, lower=-0.1, upper=0.1, detail=detail)

    return _on_all(results, check)


def increments_are_orthogonal(results: Results) -> Check:
    """E[M_n^2] / E[M]_n at the last query within a factor of 2 of 1; beside it the same within batches."""

    def check(paths: Paths, batches: np.ndarray) -> Check:
        interval = increments.orthogonality(paths.increments, SEED)
        within = increments.batch_orthogonality(paths.increments, batches, SEED)
        return _near_one(interval, f"{_text(interval)}, within batches {_text(within)}")

    return _on_all(results, check)


def variance_is_that_of_eq_17(results: Results) -> Check:
    """E[M]_n / E<M>_n at the last query within a factor of 2 of 1."""

    def check(paths: Paths, batches: np.ndarray) -> Check:
        interval = increments.calibration(paths, SEED)
        return _near_one(interval, _text(interval))

    return _on_all(results, check)


def increments_are_sub_gaussian(results: Results) -> Check:
    """The largest alpha^2(t) over t up to 2 to both sides, below 1.25 (1 for the normal law)."""

    def check(paths: Paths, batches: np.ndarray) -> Check:
        z = increments.standardised(paths)
        proxies = dict(zip(ARGUMENTS, increments.proxies(z, ARGUMENTS, SEED), strict=True))
        worst = max(proxies, key=lambda t: proxies[t].estimate)
        text = f"{_text(proxies[worst])} at t = {worst:g}, excess kurtosis {increments.excess_kurtosis(z):+.3g}"
        return judge(proxies[worst], 1.0, upper=1.25, detail=text)

    return _on_all(results, check)


def increments_are_heavy_on_left(results: Results) -> Check:
    """The largest truncated mean of Z over four bins of the predicted sd and six truncations, below 0.1."""

    def check(paths: Paths, batches: np.ndarray) -> Check:
        table = increments.heaviness(paths)
        worst = table.loc[table["low"].idxmax()]
        sides = table["side"].value_counts()
        text = f"{sides.get('left', 0)} left, {sides.get('right', 0)} right of {len(table)}, worst {worst['mean']:+.3g}"
        interval = Interval(worst["mean"], worst["low"], worst["high"])
        return judge(interval, "at most 0", upper=0.1, detail=text)

    return _on_all(results, check)


def probability_is_below_the_bound(results: Results) -> Check:
    """The largest excess over n of P[R_n / n > eps] over the mean over runs of Eq. 30 as printed, below 0.05."""

    def check(paths: Paths, batches: np.ndarray) -> Check:
        bound = bound_of_run(paths.exponent(THRESHOLD), 2.0)
        excess = (paths.average_regret > THRESHOLD) - bound
        interval = bootstrap_interval(excess, lambda batch: batch.mean(1).max(1), SEED, n=1_000)
        vacuous = float((bound == 1).mean())
        text = f"excess {_text(interval)}, Eq. 30 says nothing at {vacuous:.0%} of the queries"
        return judge(interval, "at most 0", upper=0.05, detail=text)

    return _on_all(results, check)


def expectation_may_be_dropped(results: Results) -> Check:
    """The mean exponent over -log E[exp(-exponent)] at the last query, equal in Eq. 28; within a factor of 2."""

    def check(paths: Paths, batches: np.ndarray) -> Check:
        exponent = paths.exponent(THRESHOLD)[:, -1]
        interval = bootstrap_interval(exponent, _overstatement, SEED)
        spread = f"{np.min(exponent):.3g} to {np.max(exponent):.3g}"
        return _near_one(interval, f"{_text(interval)}, exponents of the runs {spread}")

    return _on_all(results, check)


def bound_decays_exponentially(results: Results) -> Check:
    """The growth of the exponent (n eps - S_n)^2 / (2 <M>_n) over the last doubling of n, as a power of n; above 0.9.

    Eqs. 31 and 32 need it linear, for which S_n / n must stay below eps and <M>_n grow no faster than n.
    """

    def check(paths: Paths, batches: np.ndarray) -> Check:
        exponent = paths.exponent(THRESHOLD)
        middle = exponent.shape[1] // 2
        ends = exponent[:, [middle - 1, 2 * middle - 1]]
        interval = bootstrap_interval(ends, _growth, SEED)
        below = float((paths.cumulative_predicted_regret[:, -1] < THRESHOLD * exponent.shape[1]).mean())
        text = f"power {_text(interval)}, S_n < n eps at the end in {below:.0%} of the runs"
        return judge(interval, 1.0, lower=0.9, detail=text)

    return _on_all(results, check)


def _rate(results: Results, name: str, published: float) -> Check:
    """The rate by likelihood, within a factor of 2 of the published one; beside it other ways to fit and to count."""
    above = _above(results, name)
    fit, late = fit_decay(above, SEED), fit_decay(above, SEED, start=0.5)
    counted = fit_decay(average_with_initial(results, name) > THRESHOLD, SEED)
    detail = (
        f"per query, from n_0 = {fit.start.estimate:.0f} on; by least squares of logs {_text(fit.rate_of_logs)}; "
        f"from half the highest share on {late.rate.estimate:.3g}; "
        f"with the initial design counted {_text(counted.rate)}"
    )
    bounds = (APPROXIMATELY * published, published / APPROXIMATELY)
    return judge(fit.rate, published, *bounds, detail=detail)


def _exponential(results: Results, name: str) -> Check:
    """The rate below 0.3 of the highest share over that above it, within a factor of 2 of 1."""
    return _near_one(fit_decay(_above(results, name), SEED).late_over_early, "late over early rate")


def _above(results: Results, name: str) -> np.ndarray:
    return recorded_paths(results, name).average_regret > THRESHOLD


def _overstatement(exponent: np.ndarray) -> np.ndarray:
    """(batch, runs) -> (batch,), by how much Jensen's inequality overstates the exponent."""
    logs = special.logsumexp(-exponent, axis=1) - np.log(exponent.shape[1])
    with np.errstate(divide="ignore", invalid="ignore"):
        return exponent.mean(1) / -logs


def _growth(ends: np.ndarray) -> np.ndarray:
    """(batch, runs, 2) -> (batch,), log2 of the second median over the runs over the first; 0 where both are 0."""
    first, second = np.median(ends, axis=1).T
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(second > 0, np.log2(second / first), 0.0)


def _near_one(interval: Interval, detail: str) -> Check:
    return judge(interval, 1.0, lower=1 / APPROXIMATELY, upper=APPROXIMATELY, detail=detail)


def _on_all(results: Results, check: Callable[[Paths, np.ndarray], Check]) -> Check:
    """The check of the recorded paths and their batches on every benchmark, the settled part in the detail."""
    checks = []
    for name in EXPERIMENTS:
        paths, (batches, observations) = recorded_paths(results, name), recorded_batches(results, name)
        whole, detail = check(paths, batches), ""
        first = int(np.searchsorted(observations, SETTLED))
        if 0 < first < len(observations) - 1:
            settled = check(paths.after(first), batches[first:])
            detail = f" (from {SETTLED} observations on {settled.detail}: {settled.holds})"
        checks.append(replace(whole, detail=f"{name} {whole.detail}{detail}"))
    return all_of(checks, f"{len(EXPERIMENTS)} of {len(EXPERIMENTS)}")


def _text(interval: Interval) -> str:
    return f"{interval.estimate:.3g} [{interval.low:.3g}, {interval.high:.3g}]"
