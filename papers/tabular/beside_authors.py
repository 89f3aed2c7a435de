"""Our trainings beside the authors' of the same configurations: final validation errors, ratios and spreads."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from core.experiment.results import Results
from core.report.runs.frames import frame_of
from core.tabular.grid import FCNET
from core.tabular.ranks import spearman
from core.tabular.table import Table
from core.tabular.values import VALUES
from papers.tabular.trained_tables import grid_tables

QUARTILES = (0.25, 0.5, 0.75)


@dataclass(frozen=True)
class Beside:
    """Average final validation errors of the same configurations, ours and theirs.

    Attributes:
        indices: Index of each configuration in the whole grid, (n,).
        errors, theirs: The errors, (n,).
    """

    indices: np.ndarray
    errors: np.ndarray
    theirs: np.ndarray

    @property
    def ratios(self) -> np.ndarray:
        """Our errors over theirs, (n,)."""
        return self.errors / self.theirs

    @property
    def rank_correlation(self) -> float:
        """Spearman's correlation of the errors."""
        return spearman(self.errors, self.theirs)

    def ratios_by_value(self) -> pd.DataFrame:
        """Columns hyperparameter, value, and low, median and high quartile of the ratios with that value.

        Hyperparameters with one value are left out, and so are values that no configuration has.
        """
        levels, ratios = FCNET.levels(self.indices).T, self.ratios
        rows = [
            (name, str(values[index]), *np.quantile(ratios[level == index], QUARTILES))
            for level, (name, values) in zip(levels, VALUES.items(), strict=True)
            if len(present := np.unique(level)) > 1
            for index in present
        ]
        return pd.DataFrame(rows, columns=["hyperparameter", "value", "low", "median", "high"])


@dataclass(frozen=True)
class Pair(Beside):
    """Our table of a part of the grid, and what the record `authors_beside` says of the authors' on the same part.

    Attributes:
        ours: Our table, n configurations.
        spread: Median of the standard deviation of their errors over the repetitions, relative to the mean.
        constant: Most frequent error of their whole table, see `error_of_a_constant`.
    """

    ours: Table
    spread: float
    constant: float

    @classmethod
    def of(cls, ours: Table, theirs: np.ndarray, spread: float, constant: float) -> Pair:
        """The pair of our table and their average final validation errors of the same configurations, (n,)."""
        return cls(ours.grid.indices, ours.mean_valid[:, -1], theirs, ours, spread, constant)

    @property
    def our_spread(self) -> float:
        """The spread of our repetitions."""
        return relative_spread(self.ours.valid_mse[:, -1])

    @property
    def rank_of_our_best(self) -> int:
        """Rank, from 1, of our best configuration in their table, among those that both have."""
        return int((self.theirs < self.theirs[self.errors.argmin()]).sum()) + 1

    @property
    def test_over_validation(self) -> np.ndarray:
        """Quartiles of our average test error over our average validation error where that is finite, (3,)."""
        test, valid = self.ours.mean_test, self.ours.mean_valid[:, -1]
        return np.quantile(test[np.isfinite(valid)] / valid[np.isfinite(valid)], QUARTILES)


def pairs_of(results: Results) -> dict[str, Pair]:
    """Our tables beside the authors', by data set; those of which there is no record of theirs are left out.

    Raises:
        NotRunError: no table of ours was trained, or there is no record at all.
    """
    frame, pairs = frame_of(results, "authors_beside"), {}
    for name, table in grid_tables(results).items():
        rows = frame[frame["benchmark"] == name].sort_values("configuration")
        if rows["configuration"].tolist() == table.grid.indices.tolist():
            theirs = rows["error"].to_numpy(float)
            pairs[name] = Pair.of(table, theirs, float(rows["spread"].iloc[0]), float(rows["constant"].iloc[0]))
    return pairs


def random_ones(results: Results) -> dict[str, Beside]:
    """Configurations drawn at random from the whole grid, by data set; those that diverged are left out.

    A set is missing if none was trained.
    """
    frame, found = results.frame("random_configurations"), {}
    for name, rows in frame.groupby("benchmark") if len(frame) else ():
        ours, theirs = (np.stack(rows[column].to_list()).mean(axis=1) for column in ("valid_mse", "authors_mse"))
        finite = np.isfinite(ours) & np.isfinite(theirs)
        found[str(name)] = Beside(rows["configuration"].to_numpy()[finite], ours[finite], theirs[finite])
    return found


def pair(ours: Table, theirs: Table) -> Pair:
    """The pair of our table and the authors' table of the whole grid."""
    positions = theirs.grid.positions_of(ours.grid.indices)
    spread = relative_spread(theirs.valid_mse[positions, -1])
    return Pair.of(ours, theirs.mean_valid[positions, -1], spread, error_of_a_constant(theirs))


def relative_spread(errors: np.ndarray) -> float:
    """Median of the standard deviation of errors (n, R) over the repetitions relative to the mean, without
    configurations of which a repetition diverged."""
    finite = errors[np.isfinite(errors).all(axis=1)]
    return float(np.median(finite.std(axis=1, ddof=1) / finite.mean(axis=1)))


def error_of_a_constant(table: Table) -> float:
    """The most frequent error of a table: that of networks which learned nothing but the targets' mean.

    With targets divided by their standard deviation it is 1, up to how the validation part differs from the training
    part.
    """
    values, counts = np.unique(table.valid_mse[:, -1], return_counts=True)
    return float(values[counts.argmax()])
