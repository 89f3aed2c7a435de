"""What a table shows about its hyperparameters: correlations of ranks, and importance.

Spearman rank correlations across budgets and across data sets (thesis Figs 7.2, 7.4 and D.5).

Ties have the average of their ranks; diverged trainings tie for the worst. Where only the best configurations count,
"best" is by the average test error, and ranks are taken again among them.

Functional ANOVA on a grid, without a model (Sobol 1993; Hutter et al. 2014; thesis 7.3.1).

The error y of a configuration x, uniform over the grid, is a sum of terms, one for each set U of hyperparameters, with

    closed variance  C_U = Var( E[y | x_U] ),        variance of the term  V_U = C_U - sum over W strictly in U of V_W.

The importance of U is V_U / Var(y). Marginals E[y | x_U] are averages over all values of the other hyperparameters, so
everything is exact, and the importances of all sets sum to 1.

Over a part of the grid (the best 1% of the configurations, Fig 7.3 left) the same formulas hold with averages
over that part, each of its configurations with the same weight. Hyperparameters are dependent there: terms of single
hyperparameters are still the share of the variance that each alone explains, between 0 and 1, but importances overlap,
those of pairs may be negative, and they need not sum to 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain, combinations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.foundation.errors import UserError
from core.tabular.table import Table, mean_error

Axes = tuple[int, ...]


def importances(
    values: NDArray[np.float64], weights: NDArray[np.float64] | None = None, order: int = 2
) -> dict[Axes, float]:
    """V_U / Var(y) for all sets U of 1 to `order` axes.

    Args:
        values: Errors y, one axis per hyperparameter; ignored where the weight is 0.
        weights: Relative weights in the shape of y; 1 everywhere by default.
        order: Size of the largest sets.

    Raises:
        UserError: among the y with positive weight, one is not finite or all are equal.
    """
    weights = np.ones(values.shape) if weights is None else weights
    values = np.where(weights > 0, values, 0.0)
    if not np.isfinite(values).all():
        raise UserError("functional ANOVA: errors that are not finite; allowed: finite ones, see `finite_errors`")
    total = weights.sum()
    mean = (weights * values).sum() / total
    values = np.where(weights > 0, values - mean, 0.0)
    variance = (weights * values**2).sum() / total
    if not variance > 0:
        raise UserError("functional ANOVA: all errors are equal; allowed: at least two different ones")
    return {axes: term / variance for axes, term in variance_terms(values, weights, total, order).items()}


def variance_terms(
    values: NDArray[np.float64], weights: NDArray[np.float64], total: float, order: int
) -> dict[Axes, float]:
    """V_U for all sets U of 1 to `order` axes, of values whose weighted mean is 0 and weights that sum to `total`."""
    terms: dict[Axes, float] = {}
    for axes in chain.from_iterable(combinations(range(values.ndim), size) for size in range(1, order + 1)):
        inside = chain.from_iterable(combinations(axes, size) for size in range(1, len(axes)))
        terms[axes] = _closed_variance(values, weights, axes, total) - sum(terms[subset] for subset in inside)
    return terms


def table_importances(table: Table, share: float = 1.0, order: int = 2) -> pd.DataFrame:
    """Importances for the average test error of the best configurations of a table.

    Args:
        share: Share of the configurations, in (0, 1]: 0.01 for the best 1%.

    Returns:
        hyperparameters (one name, or several joined by " x "), order, importance; the largest first. Hyperparameters
        with a single value on this grid have no importance and are left out.
    """
    errors = finite_errors(table.mean_final)
    weights = np.zeros(errors.size)
    weights[best_positions(errors, share)] = 1.0
    axes = [i for i, size in enumerate(table.grid.shape) if size > 1]
    shape = tuple(table.grid.shape[i] for i in axes)
    names = table.grid.varied
    fractions = importances(errors.reshape(shape), weights.reshape(shape), order)
    rows = [(" x ".join(names[i] for i in subset), len(subset), value) for subset, value in fractions.items()]
    frame = pd.DataFrame(rows, columns=["hyperparameters", "order", "importance"])
    return frame.sort_values("importance", ascending=False, kind="stable", ignore_index=True)


def best_positions(errors: NDArray[np.float64], share: float) -> NDArray[np.int64]:
    """The positions of the best configurations, best first: `share` of all, rounded up; ties go to the first.

    Raises:
        UserError: a share outside (0, 1].
    """
    if not 0 < share <= 1:
        raise UserError(f"share {share}; allowed: above 0 and at most 1")
    return np.argsort(errors, kind="stable")[: int(np.ceil(share * errors.size * (1 - 1e-12)))]


def finite_errors(errors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Errors (n,) with those of diverged trainings set to the largest finite one, so that the variance is finite."""
    finite = np.isfinite(errors)
    if not finite.any():
        raise UserError("every training diverged: there is no finite error")
    return np.where(finite, errors, errors[finite].max())


def _closed_variance(
    values: NDArray[np.float64], weights: NDArray[np.float64], axes: Iterable[int], total: float
) -> float:
    """C_U for values whose weighted mean is 0."""
    others = tuple(set(range(values.ndim)) - set(axes))
    mass = weights.sum(axis=others)
    sums = (weights * values).sum(axis=others)
    return float((sums[mass > 0] ** 2 / mass[mass > 0]).sum() / total)


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
