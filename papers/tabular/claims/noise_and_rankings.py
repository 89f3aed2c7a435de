"""Shapes of the claims of 7.2 about the noise, and about how well fewer epochs rank configurations.

Intervals are over the repetitions, except those of noise, which resampled repetitions would hide: they are over the
configurations.
"""

from __future__ import annotations

import numpy as np
from scipy import special

from core.report import Check, all_of, bootstrap_interval, judge, worded
from core.tabular.ranks import SHARES, correlations_with_the_last
from core.tabular.table import Table
from papers.tabular.claims.on_tables import Subject, if_whole, of_whole, on_tables
from papers.tabular.table_statistics import NOISE_RATIO, RESAMPLES, SEED, Statistic, finite_noise


@on_tables
def noise_quantiles(table: Subject, lower: float, upper: float) -> Check:
    """90% over 10% quantile of the final noise; above what repetitions of equally noisy configurations would show."""
    chance = np.sqrt(np.divide(*2 * special.gammaincinv((table.repetitions - 1) / 2, (0.9, 0.1))))
    detail = f"equally noisy configurations: {chance:.2f}"
    return of_whole(table, NOISE_RATIO, lower=max(lower, chance), upper=upper, detail=detail)


@on_tables
def noise_of_last_over_first(table: Table, **region: float) -> Check:
    """Median noise at the end over that at the first stored epochs."""
    noise = finite_noise(table)
    interval = bootstrap_interval(
        (noise[:, -1], noise[:, 0]),
        lambda last, first: np.median(last, axis=1) / np.median(first, axis=1),
        SEED,
        RESAMPLES,
        paired=True,
    )
    return if_whole(judge(interval, **region), [table])


@on_tables
def step_of_correlation(table: Table, **region: float) -> Check:
    """Smallest step of the correlation with the last ranking from one stored budget to the next, all configurations."""
    return of_whole(table, Statistic("step", lambda table: np.diff(_correlations(table, 1.0)).min()), **region)


@on_tables
def correlation_lost_among_the_best(table: Table, **region: float) -> Check:
    """Average correlation over the budgets below the largest, all minus each share of Fig 7.2."""

    def part(share: float) -> Check:
        def difference(table: Table) -> float:
            return _correlations(table, 1.0)[:-1].mean() - _correlations(table, share)[:-1].mean()

        return worded(of_whole(table, Statistic("lost", difference), **region), f"all minus top {share:.0%}")

    return all_of(map(part, SHARES[:-1]))


def _correlations(table: Table, share: float) -> np.ndarray:
    """Rank correlations with the last at the stored epochs, ascending."""
    return correlations_with_the_last(table, share, table.epochs)
