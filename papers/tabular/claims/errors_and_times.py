"""Shapes of the claims of 7.2 about errors and training times. Intervals are over the repetitions."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from core.report import Check, all_of, worded
from core.tabular.importance import finite_errors
from core.tabular.ranks import spearman
from core.tabular.table import Table
from papers.tabular.claims.on_tables import of_whole, on_tables

MAGNITUDES = 100.0  # the least that is "orders of magnitude"


@on_tables
def error_spread(table: Table, **region: float) -> Check:
    """Largest finite average error over the smallest, of training, validation and test, where stored."""
    averages: dict[str, Callable[[Table], np.ndarray]] = {
        "training": lambda table: table.train_mse[:, -1].mean(axis=-1),
        "validation": lambda table: table.valid_mse[:, -1].mean(axis=-1),
        "test": lambda table: table.mean_test,
    }
    if table.test_mse is None:
        averages = {"validation": averages["validation"]}

    def part(name: str) -> Check:
        def spread(table: Table) -> float:
            errors = finite_errors(averages[name](table).astype(float))
            return errors.max() / errors.min()

        return worded(of_whole(table, spread, **region), name)

    return all_of(map(part, averages))


@on_tables
def share_below_0_3(table: Table, lower: float, upper: float) -> Check:
    """Share of configurations with an average error below 0.3; at least one of them."""
    one = 0.5 / table.grid.size
    return of_whole(table, lambda table: (table.mean_final < 0.3).mean(), lower=max(lower, one), upper=upper)


@on_tables
def outliers(table: Table, **region: float) -> Check:
    """Share of configurations whose average error is a hundred times the median or diverged."""

    def share(table: Table) -> float:
        return (table.mean_final > MAGNITUDES * np.median(table.mean_final)).mean()

    largest = finite_errors(table.mean_final).max() / np.median(table.mean_final)
    return of_whole(table, share, **region, detail=f"largest finite error {largest:.3g} medians")


@on_tables
def time_spread(table: Table, **region: float) -> Check:
    """Longest average training over the shortest."""
    return of_whole(table, lambda table: table.mean_seconds.max() / table.mean_seconds.min(), **region)


@on_tables
def time_and_parameters(table: Table, **region: float) -> Check:
    """Rank correlation of the average training time with the number of parameters."""
    sizes = table.grid.values["batch_size"]
    detail = "" if len(sizes) > 1 else f"batches of {sizes[0]} only"
    return of_whole(
        table, lambda table: spearman(table.mean_seconds, table.parameters.astype(float)), **region, detail=detail
    )
