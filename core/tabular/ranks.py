"""Spearman rank correlations across budgets and across data sets (thesis Figs 7.2, 7.4 and D.5).

Ties have the average of their ranks; diverged trainings tie for the worst. Where only the best configurations count,
"best" is by the average test error, and ranks are taken again among them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.foundation.errors import UserError
from core.tabular.importance import best_positions
from core.tabular.table import Table, mean_error

SHARES = (0.01, 0.1, 0.2, 0.5, 1.0)  # Fig 7.2; D.1 says 25%, both captions 20%


def spearman(first: NDArray[np.float64], second: NDArray[np.float64]) -> float:
    """Correlation of the ranks of two samples (n,); nan if one of them is constant."""
    return correlation_of_ranks(centred_ranks(first), centred_ranks(second))


def correlation_of_ranks(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    """Correlation of two samples of centred ranks (n,); nan if one of them is constant."""
    norm = np.sqrt((a**2).sum() * (b**2).sum())
    return float((a * b).sum() / norm) if norm > 0 else float("nan")


def correlations_with_the_last(table: Table, share: float, epochs: Sequence[int]) -> NDArray[np.float64]:
    """Correlation of the average validation errors after fewer epochs with those after all, (len(epochs),).

    Args:
        share: Share of the configurations to use, the best by the average test error.
    """
    chosen = best_positions(table.mean_final, share)
    final = mean_error(table.valid_at(table.epochs[-1]))[chosen]
    return np.array([spearman(mean_error(table.valid_at(epoch))[chosen], final) for epoch in epochs])


def budget_correlations(table: Table, shares: Sequence[float] = SHARES) -> pd.DataFrame:
    """The same for several shares, after every epoch of the learning curves, or the stored epochs without curves.

    Returns:
        share, configurations (their number), epoch, correlation.
    """
    epochs = table.epochs if table.curves is None else range(1, table.epochs[-1] + 1)
    rows = []
    for share in shares:
        count = len(best_positions(table.mean_final, share))
        correlations = correlations_with_the_last(table, share, epochs)
        rows += [(share, count, epoch, float(value)) for epoch, value in zip(epochs, correlations, strict=True)]
    return pd.DataFrame(rows, columns=["share", "configurations", "epoch", "correlation"])


def dataset_correlations(tables: Sequence[Table], shares: Sequence[float] = (0.01, 0.1, 1.0)) -> pd.DataFrame:
    """Correlation of the average test errors of the same configurations on each pair of data sets.

    Configurations that are not in all tables are left out. Of the rest, only those among the best on the first data set
    of the pair count, so that two sets have two correlations. (Those that are best on either would be negatively
    correlated by their selection alone, and few are best on both.)

    Returns:
        share, first, second (data sets), configurations (their number), correlation.

    Raises:
        UserError: the tables have no configuration in common.
    """
    common = tables[0].grid.indices
    for table in tables[1:]:
        common = np.intersect1d(common, table.grid.indices, assume_unique=True)
    if not common.size:
        raise UserError("tables of " + ", ".join(table.dataset for table in tables) + ": no configuration in common")
    errors = [table.mean_final[table.grid.positions_of(common)] for table in tables]
    rows = []
    for share in shares:
        best = [best_positions(values, share) for values in errors]
        for i, first in enumerate(tables):
            for j, second in enumerate(tables):
                correlation = spearman(errors[i][best[i]], errors[j][best[i]])
                rows.append((share, first.dataset, second.dataset, len(best[i]), correlation))
    return pd.DataFrame(rows, columns=["share", "first", "second", "configurations", "correlation"])


def centred_ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Ranks of finite or infinite values (n,) minus their mean; ties have the average of their ranks."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts - 1) / 2 - (len(values) + 1) / 2)[place]
