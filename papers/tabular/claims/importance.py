"""Claims of 7.3.1 about the functional ANOVA."""

from __future__ import annotations

import pandas as pd

from core.experiment.results import Results
from core.report import Check, all_of, claim, slightly, worded
from core.report.runs.memo import once
from core.tabular.importance import table_importances
from core.tabular.table import Table
from papers.tabular.claims.on_tables import of_both, of_whole, on
from papers.tabular.trained_tables import IMPORTANCE_SHARES

SMALL = 0.1  # of the variance
WITHOUT_OUTLIERS = 0.99  # of the configurations: "a few" are the worst per cent


@claim(
    artifact="fig7_3",
    place="thesis 7.3.1",
    sentence="Over the whole grid the initial learning rate is the most important hyperparameter on protein.",
)
def learning_rate_is_most_important(results: Results) -> Check:
    return of_both(results, lambda tables: on(tables, "protein", _lead_of_the_rate))


@claim(
    artifact="fig7_3",
    place="thesis 7.3.1",
    sentence="Over the whole grid no single hyperparameter explains much of the variance.",
)
def single_importances_are_small(results: Results) -> Check:
    return of_both(results, lambda tables: on(tables, "protein", _largest_single))


@claim(
    artifact="fig7_3",
    place="thesis 7.3.1",
    sentence="A few configurations with very high errors make single hyperparameters look unimportant.",
)
def outliers_hide_importances(results: Results) -> Check:
    return of_both(results, lambda tables: on(tables, "protein", _effect_of_outliers))


@claim(
    artifact="fig7_3",
    place="thesis 7.3.1",
    sentence="Over the whole grid the strongest pair is slightly more important than the strongest hyperparameter.",
)
def pairs_reach_higher_than_singles(results: Results) -> Check:
    return of_both(results, lambda tables: on(tables, "protein", _pair_over_single))


@claim(
    artifact="fig7_3",
    place="thesis 7.3.1",
    sentence="Among the best configurations hyperparameters other than the learning rate gain importance.",
)
def others_matter_among_the_best(results: Results) -> Check:
    return of_both(results, lambda tables: on(tables, "protein", _change_of_the_rate))


def _lead_of_the_rate(table: Table) -> Check:
    """Importance of the initial learning rate minus the next largest single one, all configurations; above 0."""

    def lead(table: Table) -> float:
        singles = _singles(table, 1.0)
        return singles["init_lr"] - singles.drop("init_lr").max()

    return of_whole(table, lead, "highest", lower=0.0)


def _largest_single(table: Table) -> Check:
    """Largest single importance over the whole grid; below a tenth."""
    return of_whole(table, lambda table: _singles(table, 1.0).max(), "very small", upper=SMALL)


def _effect_of_outliers(table: Table) -> Check:
    """Largest single importance without the worst per cent of the configurations minus that of all; above 0."""

    def difference(table: Table) -> float:
        return _singles(table, WITHOUT_OUTLIERS).max() - _singles(table, 1.0).max()

    return of_whole(table, difference, "small due to a few outliers", lower=0.0)


def _pair_over_single(table: Table) -> Check:
    """Largest importance of a pair minus that of a single hyperparameter, all configurations; above 0, below a tenth.

    Higher by a tenth of the variance is not "slightly" where single ones below a tenth are "very small".
    """

    def difference(table: Table) -> float:
        largest = table_importances(table).groupby("order")["importance"].max()
        return largest[2] - largest[1]

    return slightly(of_whole(table, difference, "slightly higher", lower=0.0, upper=SMALL), SMALL)


def _change_of_the_rate(table: Table) -> Check:
    """The learning rate's part of all single importances, in each share of Fig 7.3 minus over all; below 0."""

    def part(share: float) -> Check:
        def difference(table: Table) -> float:
            return _part_of_the_rate(table, share) - _part_of_the_rate(table, 1.0)

        return worded(of_whole(table, difference, "", upper=0.0), f"top {share:.0%} minus all")

    return all_of(map(part, IMPORTANCE_SHARES[:-1]), "others become important")


@once
def _singles(table: Table, share: float) -> pd.Series:
    return table_importances(table, share, order=1).set_index("hyperparameters")["importance"]


def _part_of_the_rate(table: Table, share: float) -> float:
    singles = _singles(table, share)
    return singles["init_lr"] / singles.sum()
