"""Shapes of the claims of 7.3.1 about the functional ANOVA."""

from __future__ import annotations

from core.report import Check, all_of, slightly, worded
from papers.tabular.claims.on_tables import Subject, of_whole, on_tables
from papers.tabular.table_statistics import (
    EFFECT_OF_OUTLIERS,
    LARGEST_SINGLE,
    LEAD_OF_PAIRS,
    LEAD_OF_THE_RATE,
    change_of_the_rate,
)
from papers.tabular.trained_tables import IMPORTANCE_SHARES


@on_tables
def lead_of_the_learning_rate(table: Subject, **region: float) -> Check:
    """Importance of the initial learning rate minus the next largest single one, all configurations."""
    return of_whole(table, LEAD_OF_THE_RATE, **region)


@on_tables
def largest_single_importance(table: Subject, **region: float) -> Check:
    """Largest single importance over the whole grid."""
    return of_whole(table, LARGEST_SINGLE, **region)


@on_tables
def importance_hidden_by_outliers(table: Subject, **region: float) -> Check:
    """Largest single importance without the worst per cent of the configurations minus that of all."""
    return of_whole(table, EFFECT_OF_OUTLIERS, **region)


@on_tables
def pairs_above_singles(table: Subject, lower: float, upper: float) -> Check:
    """Largest importance of a pair minus that of a single hyperparameter, all configurations."""
    return slightly(of_whole(table, LEAD_OF_PAIRS, lower=lower, upper=upper), upper)


@on_tables
def learning_rate_among_the_best(table: Subject, **region: float) -> Check:
    """The learning rate's part of all single importances, in each share of Fig 7.3 minus over all."""
    return all_of(
        worded(of_whole(table, change_of_the_rate(share), **region), f"top {share:.0%} minus all")
        for share in IMPORTANCE_SHARES[:-1]
    )
