"""Shapes of the claims of 7.3.1 about the functional ANOVA."""

from __future__ import annotations

import pandas as pd

from core.report import Check, all_of, slightly, worded
from core.report.runs.memo import once
from core.tabular.importance import table_importances
from core.tabular.table import Table
from papers.tabular.claims.on_tables import of_whole, on_tables
from papers.tabular.trained_tables import IMPORTANCE_SHARES

WITHOUT_OUTLIERS = 0.99  # of the configurations: "a few" are the worst per cent


@on_tables
def lead_of_the_learning_rate(table: Table, **region: float) -> Check:
    """Importance of the initial learning rate minus the next largest single one, all configurations."""

    def lead(table: Table) -> float:
        singles = _singles(table, 1.0)
        return singles["init_lr"] - singles.drop("init_lr").max()

    return of_whole(table, lead, **region)


@on_tables
def largest_single_importance(table: Table, **region: float) -> Check:
    """Largest single importance over the whole grid."""
    return of_whole(table, lambda table: _singles(table, 1.0).max(), **region)


@on_tables
def importance_hidden_by_outliers(table: Table, **region: float) -> Check:
    """Largest single importance without the worst per cent of the configurations minus that of all."""

    def difference(table: Table) -> float:
        return _singles(table, WITHOUT_OUTLIERS).max() - _singles(table, 1.0).max()

    return of_whole(table, difference, **region)


@on_tables
def pairs_above_singles(table: Table, lower: float, upper: float) -> Check:
    """Largest importance of a pair minus that of a single hyperparameter, all configurations."""

    def difference(table: Table) -> float:
        largest = table_importances(table).groupby("order")["importance"].max()
        return largest[2] - largest[1]

    return slightly(of_whole(table, difference, lower=lower, upper=upper), upper)


@on_tables
def learning_rate_among_the_best(table: Table, **region: float) -> Check:
    """The learning rate's part of all single importances, in each share of Fig 7.3 minus over all."""

    def part(share: float) -> Check:
        def difference(table: Table) -> float:
            return _part_of_the_rate(table, share) - _part_of_the_rate(table, 1.0)

        return worded(of_whole(table, difference, **region), f"top {share:.0%} minus all")

    return all_of(map(part, IMPORTANCE_SHARES[:-1]))


@once
def _singles(table: Table, share: float) -> pd.Series:
    return table_importances(table, share, order=1).set_index("hyperparameters")["importance"]


def _part_of_the_rate(table: Table, share: float) -> float:
    singles = _singles(table, share)
    return singles["init_lr"] / singles.sum()
