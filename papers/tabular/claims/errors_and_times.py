"""Shapes of the claims of 7.2 about errors and training times. Intervals are over the repetitions."""

from __future__ import annotations

from core.report import Check, all_of, worded
from core.tabular.ranks import spearman
from papers.tabular.claims.on_tables import Subject, of_whole, on_tables, resamples_of
from papers.tabular.table_statistics import LARGEST, OUTLIERS, SMALL_ERRORS, Statistic, spread_of

PARTS = {"training": "train", "validation": "valid", "test": "test"}
TIMES = Statistic("times", lambda table: table.mean_seconds.max() / table.mean_seconds.min())
TIMES_AND_PARAMETERS = Statistic(
    "times_and_parameters", lambda table: spearman(table.mean_seconds, table.parameters.astype(float))
)


@on_tables
def error_spread(table: Subject, **region: float) -> Check:
    """Largest finite average error over the smallest, of training, validation and test, where stored."""
    words = PARTS if table.test_mse is not None else ["validation"]
    return all_of(worded(of_whole(table, spread_of(PARTS[name]), **region), name) for name in words)


@on_tables
def share_below_0_3(table: Subject, lower: float, upper: float) -> Check:
    """Share of configurations with an average error below 0.3; at least one of them."""
    return of_whole(table, SMALL_ERRORS, lower=max(lower, 0.5 / table.grid.size), upper=upper)


@on_tables
def outliers(table: Subject, **region: float) -> Check:
    """Share of configurations whose average error is a hundred times the median or diverged."""
    largest = resamples_of(table, LARGEST).estimate
    return of_whole(table, OUTLIERS, **region, detail=f"largest finite error {largest:.3g} medians")


@on_tables
def time_spread(table: Subject, **region: float) -> Check:
    """Longest average training over the shortest."""
    return of_whole(table, TIMES, **region)


@on_tables
def time_and_parameters(table: Subject, **region: float) -> Check:
    """Rank correlation of the average training time with the number of parameters."""
    sizes = table.grid.values["batch_size"]
    detail = "" if len(sizes) > 1 else f"batches of {sizes[0]} only"
    return of_whole(table, TIMES_AND_PARAMETERS, **region, detail=detail)
