"""Our trainings beside the authors' of the same configurations: final validation errors, ratios and spreads."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from core.tabular.ranks import spearman
from core.tabular.table import Table

QUARTILES = (0.25, 0.5, 0.75)


@dataclass(frozen=True)
class Pair:
    """Our table of a part of the grid, and the authors' table of the whole grid."""

    ours: Table
    theirs: Table

    @property
    def errors(self) -> tuple[np.ndarray, np.ndarray]:
        """Average final validation errors of the n configurations that both have, ours and theirs, (n,) each."""
        return self.ours.mean_valid[:, -1], self.theirs.mean_valid[self._positions, -1]

    @property
    def ratios(self) -> np.ndarray:
        """Our average error over theirs, (n,)."""
        ours, theirs = self.errors
        return ours / theirs

    @property
    def rank_correlation(self) -> float:
        """Spearman's correlation of the average errors."""
        return spearman(*self.errors)

    @property
    def relative_spreads(self) -> tuple[float, float]:
        """Median of the standard deviation over the repetitions relative to the mean, ours and theirs, without
        configurations of which a repetition diverged."""
        both = self.ours.valid_mse[:, -1], self.theirs.valid_mse[self._positions, -1]
        finite = [errors[np.isfinite(errors).all(axis=1)] for errors in both]
        return tuple(float(np.median(errors.std(axis=1, ddof=1) / errors.mean(axis=1))) for errors in finite)

    @property
    def rank_of_our_best(self) -> int:
        """Rank, from 1, of our best configuration in their table, among those that both have."""
        ours, theirs = self.errors
        return int((theirs < theirs[ours.argmin()]).sum()) + 1

    @property
    def test_over_validation(self) -> np.ndarray:
        """Quartiles of our average test error over our average validation error where that is finite, (3,)."""
        test, valid = self.ours.mean_test, self.ours.mean_valid[:, -1]
        return np.quantile(test[np.isfinite(valid)] / valid[np.isfinite(valid)], QUARTILES)

    def ratios_by_value(self) -> pd.DataFrame:
        """Columns hyperparameter, value, and low, median and high quartile of the ratios with that value."""
        levels, ratios = self.ours.grid.levels(np.arange(self.ours.grid.size)).T, self.ratios
        rows = [
            (name, str(value), *np.quantile(ratios[level == index], QUARTILES))
            for level, (name, values) in zip(levels, self.ours.grid.values.items(), strict=True)
            if len(values) > 1
            for index, value in enumerate(values)
        ]
        return pd.DataFrame(rows, columns=["hyperparameter", "value", "low", "median", "high"])

    @property
    def _positions(self) -> np.ndarray:
        return self.theirs.grid.positions_of(self.ours.grid.indices)


def error_of_a_constant(table: Table) -> float:
    """The most frequent error of a table: that of networks which learned nothing but the targets' mean.

    With targets divided by their standard deviation it is 1, up to how the validation part differs from the training
    part.
    """
    values, counts = np.unique(table.valid_mse[:, -1], return_counts=True)
    return float(values[counts.argmax()])
