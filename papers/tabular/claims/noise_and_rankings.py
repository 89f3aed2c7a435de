"""Claims of 7.2 about the noise, and about how well fewer epochs rank configurations.

Intervals are over the repetitions, except those of noise, which resampled repetitions would hide: they are over the
configurations.
"""

from __future__ import annotations

import numpy as np
from scipy import special

from core.experiment.results import Results
from core.report import Check, all_of, bootstrap_interval, claim, judge, worded
from core.tabular.ranks import SHARES, correlations_with_the_last
from core.tabular.table import Table
from papers.tabular.claims.on_tables import if_whole, of_both, of_whole, on, on_all
from papers.tabular.trained_tables import grid_tables, noise_of

SEED = 7
RESAMPLES = 1000  # of the many configurations
FEWER, MANY = 200, 10_000  # resamples of more configurations than that, over which quantiles hardly vary


@claim(artifact="fig7_1", place="thesis 7.2", kind="shape", sentence="Some configurations are noisier than others.")
def noise_differs_by_configuration(results: Results) -> Check:
    return of_both(results, lambda tables: on(tables, "protein", _noise_differs))


@claim(
    artifact="figD_4",
    place="thesis 7.2 and D.1",
    kind="shape",
    sentence="On all sets some configurations are noisier than others.",
)
def noise_differs_everywhere(results: Results) -> Check:
    return of_both(results, lambda tables: on_all(tables, _noise_differs, "consistent"))


@claim(artifact="fig7_1", place="thesis 7.2", kind="shape", sentence="The noise falls as the number of epochs grows.")
def noise_falls_with_the_epochs(results: Results) -> Check:
    return on(grid_tables(results), "protein", _noise_falls)


@claim(
    artifact="figD_4",
    place="thesis 7.2 and D.1",
    kind="shape",
    sentence="On all sets the noise falls as the number of epochs grows.",
)
def noise_falls_everywhere(results: Results) -> Check:
    return on_all(grid_tables(results), _noise_falls, "consistent")


@claim(
    artifact="fig7_2",
    place="thesis 7.2",
    kind="shape",
    sentence="The more epochs, the better the ranking agrees with the ranking after 100.",
)
def correlation_rises_with_the_budget(results: Results) -> Check:
    return on(grid_tables(results), "protein", _correlation_rises)


@claim(
    artifact="figD_5",
    place="thesis 7.2 and D.1",
    kind="shape",
    sentence="On all sets, the more epochs, the better the ranking agrees with the ranking after 100.",
)
def correlation_rises_everywhere(results: Results) -> Check:
    return on_all(grid_tables(results), _correlation_rises, "consistent")


@claim(
    artifact="fig7_2",
    place="thesis 7.2",
    sentence="Among the best configurations the rankings of fewer and of all epochs agree less.",
)
def correlation_falls_among_the_best(results: Results) -> Check:
    return on(grid_tables(results), "protein", _correlation_falls)


@claim(
    artifact="figD_5",
    place="thesis 7.2 and D.1",
    kind="shape",
    sentence="On all sets rankings of fewer and of all epochs agree less among the best configurations.",
)
def correlation_falls_everywhere(results: Results) -> Check:
    return on_all(grid_tables(results), _correlation_falls, "consistent")


def _noise_differs(table: Table) -> Check:
    """90% over 10% quantile of the final noise; above what repetitions of equally noisy configurations would show."""
    chance = np.sqrt(np.divide(*2 * special.gammaincinv((table.repetitions - 1) / 2, (0.9, 0.1))))
    noise = _finite_noise(table)[:, -1]
    ratio = lambda noise: np.divide(*np.quantile(noise, (0.9, 0.1), axis=1))  # noqa: E731
    interval = bootstrap_interval(noise, ratio, SEED, FEWER if len(noise) > MANY else RESAMPLES)
    check = judge(interval, "heteroscedastic", lower=chance, detail=f"equally noisy configurations: {chance:.2f}")
    return if_whole(check, [table])


def _noise_falls(table: Table) -> Check:
    """Median noise at the end over that at the first stored epochs; below 1."""
    noise = _finite_noise(table)
    interval = bootstrap_interval(
        (noise[:, -1], noise[:, 0]),
        lambda last, first: np.median(last, axis=1) / np.median(first, axis=1),
        SEED,
        RESAMPLES,
        paired=True,
    )
    return if_whole(judge(interval, "decreases", upper=1.0), [table])


def _correlation_rises(table: Table) -> Check:
    """Smallest step of the correlation from one stored budget to the next, all configurations; above 0."""
    return of_whole(table, lambda table: np.diff(_correlations(table, 1.0)).min(), "increases", lower=0.0)


def _correlation_falls(table: Table) -> Check:
    """Average correlation over the budgets below the largest, all minus each share of Fig 7.2; above 0."""

    def part(share: float) -> Check:
        def difference(table: Table) -> float:
            return _correlations(table, 1.0)[:-1].mean() - _correlations(table, share)[:-1].mean()

        return worded(of_whole(table, difference, "", lower=0.0), f"all minus top {share:.0%}")

    return all_of(map(part, SHARES[:-1]), "decreases")


def _finite_noise(table: Table) -> np.ndarray:
    """Noise of the configurations without a diverged repetition, (m, B)."""
    noise = noise_of(table)
    return noise[np.isfinite(noise).all(axis=1)]


def _correlations(table: Table, share: float) -> np.ndarray:
    """Rank correlations with the last at the stored epochs, ascending."""
    return correlations_with_the_last(table, share, table.epochs)
