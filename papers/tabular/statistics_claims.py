"""Checks of a table: what 7.2 says of errors, times, noise and rankings.

Intervals are over the repetitions; those of noise, which resampled repetitions would hide, over the configurations.
"""

from __future__ import annotations

import numpy as np
from scipy import special

from core.report.bootstrap import bootstrap_interval
from core.report.checks import Check, all_of, judge
from core.tabular.importance import finite_errors
from core.tabular.ranks import SHARES, correlations_with_the_last, spearman
from core.tabular.table import Table
from papers.tabular.parts import of_table, worded
from papers.tabular.statistics_figures import noise_of

SEED = 7
RESAMPLES = 1000  # of the configurations, of which there are many
FEW = 0.1  # of the configurations: at most "a small subset"
MANY, MAGNITUDE = 0.01, 10.0  # of the configurations: at least "many", and above how many medians they are outliers
STRONG = 0.5  # a rank correlation


def errors_spread_over_a_magnitude(table: Table) -> Check:
    """Largest finite average test error over the smallest; above 10."""

    def spread(table: Table) -> float:
        errors = finite_errors(table.mean_test)
        return errors.max() / errors.min()

    return of_table(table, spread, "an order of magnitude or more", lower=10.0)


def few_errors_are_below_0_3(table: Table) -> Check:
    """Share of configurations with an average test error below 0.3; at least one of them, and below a tenth."""
    one = 0.5 / table.grid.size
    return of_table(table, lambda table: (table.mean_test < 0.3).mean(), "a small subset", one, FEW)


def many_errors_are_far_above_the_average(table: Table) -> Check:
    """Share of configurations whose average test error is ten times the median or diverged; above 1%.

    The median is the average here: of the mean, which outliers raise, few errors can be a multiple.
    """

    def outliers(table: Table) -> float:
        return (table.mean_test > MAGNITUDE * np.median(table.mean_test)).mean()

    largest = finite_errors(table.mean_test).max() / np.median(table.mean_test)
    detail = f"largest finite error {largest:.3g} medians"
    return of_table(table, outliers, "many, by orders of magnitude", lower=MANY, detail=detail)


def times_vary_dramatically(table: Table) -> Check:
    """Longest average training over the shortest; above 10."""
    seconds = lambda table: table.mean_seconds.max() / table.mean_seconds.min()  # noqa: E731
    return of_table(table, seconds, "dramatically", lower=10.0)


def times_follow_the_parameters(table: Table) -> Check:
    """Rank correlation of the average training time with the number of parameters; above 0.5."""

    def correlation(table: Table) -> float:
        return spearman(table.mean_seconds, table.parameters.astype(float))

    sizes = table.grid.values["batch_size"]
    detail = "" if len(sizes) > 1 else f"batches of {sizes[0]} only"
    return of_table(table, correlation, "due to the number of parameters", lower=STRONG, detail=detail)


def noise_differs_by_configuration(table: Table) -> Check:
    """90% over 10% quantile of the final noise; above what repetitions of equally noisy configurations would show."""
    chance = np.sqrt(np.divide(*2 * special.gammaincinv((table.repetitions - 1) / 2, (0.9, 0.1))))
    interval = bootstrap_interval(
        _finite_noise(table)[:, -1], lambda noise: np.divide(*np.quantile(noise, (0.9, 0.1), axis=1)), SEED, RESAMPLES
    )
    return judge(interval, "heteroscedastic", lower=chance, detail=f"equally noisy configurations: {chance:.2f}")


def noise_falls_with_the_epochs(table: Table) -> Check:
    """Median noise at the end over that at the first stored epochs; below 1."""
    noise = _finite_noise(table)
    interval = bootstrap_interval(
        (noise[:, -1], noise[:, 0]),
        lambda last, first: np.median(last, axis=1) / np.median(first, axis=1),
        SEED,
        RESAMPLES,
        paired=True,
    )
    return judge(interval, "decreases", upper=1.0)


def correlation_rises_with_the_budget(table: Table) -> Check:
    """Smallest step of the correlation from one stored budget to the next, all configurations; above 0."""
    return of_table(table, lambda table: np.diff(_correlations(table, 1.0)).min(), "increases", lower=0.0)


def correlation_falls_among_the_best(table: Table) -> Check:
    """Average correlation over the budgets below the largest, all minus each share of Fig 7.2; above 0."""

    def part(share: float) -> Check:
        def difference(table: Table) -> float:
            return _correlations(table, 1.0)[:-1].mean() - _correlations(table, share)[:-1].mean()

        return worded(of_table(table, difference, "", lower=0.0), f"all minus top {share:.0%}")

    return all_of(map(part, SHARES[:-1]), "decreases")


def _finite_noise(table: Table) -> np.ndarray:
    """Noise of the configurations of which no repetition diverged, (m, B)."""
    noise = noise_of(table)
    return noise[np.isfinite(noise).all(axis=1)]


def _correlations(table: Table, share: float) -> np.ndarray:
    """At the stored epochs, ascending."""
    return correlations_with_the_last(table, share, table.epochs)
