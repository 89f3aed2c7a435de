"""The authors' own tables, 62,208 configurations and their final validation errors, as shipped records tell of them.

The thesis prints the best configurations; the experiment `authors_neighbours` records their neighbours' errors in these
tables and the incumbents' ranks, a few hundred numbers, others the statistics that are drawn and judged. So neither
drawing nor judging needs the tables themselves. Claims see a `RecordedTable` in place of a table, and `Pair` has our
trainings beside theirs of the same configurations.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from core.experiment.results import Results
from core.report.runs.frames import NotRunError, frame_of, once
from core.tabular.analysis import best_positions, spearman
from core.tabular.grid import FCNET, Configuration, Grid
from core.tabular.table import Table, neighbours
from core.tabular.values import VALUES
from papers.tabular.statistics import Resamples, agreement
from papers.tabular.trained_tables import grid_tables, in_order, short_label

INCUMBENT = "incumbent"
THEIRS = "authors' data"  # in legends and captions
OF_ONE, OF_TWO = "authors_statistics", "authors_pairs"
QUARTILES = (0.25, 0.5, 0.75)

_PROTEIN: dict[str, Any] = {
    "init_lr": 0.0005,
    "batch_size": 8,
    "lr_schedule": "cosine",
    "activation_fn_1": "relu",
    "activation_fn_2": "relu",
    "n_units_1": 512,
    "n_units_2": 512,
    "dropout_1": 0.0,
    "dropout_2": 0.3,
}
_TANH_FIRST = {"activation_fn_1": "tanh", "dropout_2": 0.0}
PRINTED: dict[str, Configuration] = {
    "protein": _PROTEIN,
    "slice_localization": _PROTEIN | {"batch_size": 32, "activation_fn_2": "tanh", "dropout_2": 0.0},
    "naval": _PROTEIN | _TANH_FIRST | {"n_units_1": 128},
    "parkinsons": _PROTEIN | _TANH_FIRST | {"init_lr": 0.005, "batch_size": 16, "activation_fn_2": "tanh"},
}
"""By data set, from Table 7.4; Parkinson's, where that repeats naval's, from Table D.2."""


def change_name(hyperparameter: str, before: object, after: object) -> str:
    """The row of a neighbourhood table: the hyperparameter and its change."""
    return f"{hyperparameter}: {before} to {after}"


@dataclass(frozen=True)
class AuthorsNeighbours:
    """The printed incumbent of a data set in the authors' table.

    Attributes:
        errors: Validation errors (R,) of the incumbent and after every change of one value, by row.
        rank: Rank of the incumbent among all configurations by its average error, from 1.
    """

    errors: dict[str, np.ndarray]
    rank: int


@once
def authors_neighbours(results: Results) -> dict[str, AuthorsNeighbours]:
    """The records of the experiment of this name by data set; empty if there are none."""
    frame = results.frame("authors_neighbours")
    if not len(frame):
        return {}
    return {
        str(name): AuthorsNeighbours(errors_by_row(rows), int(rows["rank"].iloc[0]))
        for name, rows in frame.groupby("benchmark")
    }


def errors_by_row(records: pd.DataFrame) -> dict[str, np.ndarray]:
    """Errors (R,) in the order of the runs, by row of the neighbourhood table, from records of one data set."""
    ordered = records.sort_values("run", kind="stable")
    return {str(row): mse.to_numpy(float) for row, mse in ordered.groupby("change", sort=False)["valid_mse"]}


def neighbourhood_of(table: Table, start: Configuration) -> dict[str, np.ndarray]:
    """Errors (R,) of a configuration and after every change of one value, by row."""
    (position,) = table.grid.positions([start])
    near = [position, *neighbours(table.grid, position)]
    rows = [row_of(start, configuration) for configuration in table.grid.configurations(near)]
    return {row: table.final_mse[place].astype(float) for row, place in zip(rows, near, strict=True)}


def rank_of(table: Table, configuration: Configuration) -> int:
    """Rank of a configuration among all by their average error, from 1."""
    (position,) = table.grid.positions([configuration])
    return int((table.mean_final < table.mean_final[position]).sum()) + 1


def row_of(start: Configuration, configuration: Configuration) -> str:
    """The row of a configuration that has at most one value other than another's."""
    changed = [name for name, value in configuration.items() if value != start[name]]
    return change_name(changed[0], start[changed[0]], configuration[changed[0]]) if changed else INCUMBENT


def distributions(results: Results, quantity: str) -> dict[str, np.ndarray]:
    """Sorted values of the average error or the noise, evenly spaced in rank, by data set; empty if not recorded."""
    frame = results.frame("authors_distributions")
    if not len(frame):
        return {}
    rows = frame[frame["quantity"] == quantity]
    quantiles = {str(name): np.asarray(values, float) for name, values in zip(rows["benchmark"], rows["values"])}
    return in_order(quantiles)


def importances(results: Results, name: str) -> pd.DataFrame:
    """The record `authors_importances` of a data set; empty if there is none."""
    frame = results.frame("authors_importances")
    return frame[frame["benchmark"] == name]


def agreements(results: Results, shares: Iterable[float]) -> pd.DataFrame:
    """Rank correlations of two sets, as of `core.tabular.analysis.dataset_correlations`; empty if not recorded."""
    frame = results.frame("authors_pairs")
    if not len(frame):
        return pd.DataFrame()
    rows = []
    for share in shares:
        pairs = frame[frame["statistic"] == agreement(share).name]
        count = len(best_positions(np.zeros(FCNET.size), share))
        rows += [(share, *pair, count) for pair in zip(pairs["first"], pairs["second"], pairs["estimate"])]
        rows += [(share, name, name, 1.0, count) for name in pairs["first"].unique()]
    return pd.DataFrame(rows, columns=["share", "first", "second", "correlation", "configurations"])


@once
def authors_best(results: Results) -> dict[str, tuple[Configuration, dict[str, np.ndarray]]]:
    """The configuration with the lowest average error, and the errors (R,) of it and its neighbours by row.

    By data set; empty if not recorded.
    """
    frame, incumbents = results.frame("authors_best"), {}
    for name, rows in frame.groupby("benchmark"):
        (configuration,) = FCNET.configurations([rows["configuration"].iloc[0]])
        incumbents[str(name)] = configuration, errors_by_row(rows)
    return in_order(incumbents)


def in_words(names: Iterable[str]) -> str:
    """What a drawing says of the authors' tables of these data sets."""
    sets = ", ".join(map(short_label, names))
    return f"Authors' data: final validation errors of all {FCNET.size:,} configurations ({sets})."


@dataclass(frozen=True)
class RecordedTable:
    """What a check needs to know of an authors' table: its grid, and statistics by name; raises NotRunError without.

    Attributes:
        dataset: Name of the data set.
        results: Holds the records.
    """

    dataset: str
    results: Results

    grid: ClassVar[Grid] = FCNET
    repetitions: ClassVar[int] = 4
    test_mse: ClassVar[None] = None

    @property
    def best_configuration(self) -> Configuration:
        """The one with the lowest average error."""
        if self.dataset not in (known := authors_best(self.results)):
            raise NotRunError(f"authors_best on {self.dataset}")
        return known[self.dataset][0]

    def resamples(self, statistic: str) -> Resamples:
        """A statistic of this set."""
        return _found(self.results, OF_ONE, ("benchmark", "statistic"), (self.dataset, statistic))

    def resamples_with(self, other: RecordedTable, statistic: str) -> Resamples:
        """A statistic of this set and another."""
        names = (self.dataset, other.dataset, statistic)
        return _found(self.results, OF_TWO, ("first", "second", "statistic"), names)


@once
def recorded_tables(results: Results, experiment: str = OF_ONE) -> dict[str, RecordedTable]:
    """The authors' tables of which an experiment has records, by data set, in the order of `LABELS`.

    Raises:
        NotRunError: there are none.
    """
    frame = frame_of(results, experiment)
    names = frame["benchmark" if experiment == OF_ONE else "first"].unique()
    return in_order({str(name): RecordedTable(str(name), results) for name in names})


def _found(results: Results, experiment: str, columns: tuple[str, ...], names: tuple[str, ...]) -> Resamples:
    known = _by_names(results, experiment, columns)
    if names not in known:
        raise NotRunError(f"{experiment}: {', '.join(names)}")
    return known[names]


@once
def _by_names(results: Results, experiment: str, columns: tuple[str, ...]) -> dict[Hashable, Resamples]:
    rows = frame_of(results, experiment)
    names = zip(*(rows[column] for column in columns), strict=True)
    numbers = zip(rows["estimate"], rows["drawn"], rows["weights"], rows["size"], strict=True)
    return {
        name: Resamples(float(estimate), np.asarray(drawn, float), np.asarray(weights, int), int(size))
        for name, (estimate, drawn, weights, size) in zip(names, numbers, strict=True)
    }


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
        constant: Most frequent error of their whole table: that of networks which learned nothing but the targets'
            mean. With targets divided by their standard deviation it is 1, up to how the validation part differs from
            the training part.
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
    values, counts = np.unique(theirs.valid_mse[:, -1], return_counts=True)
    return Pair.of(ours, theirs.mean_valid[positions, -1], spread, float(values[counts.argmax()]))


def relative_spread(errors: np.ndarray) -> float:
    """Median of the standard deviation of errors (n, R) over the repetitions relative to the mean, without
    configurations of which a repetition diverged."""
    finite = errors[np.isfinite(errors).all(axis=1)]
    return float(np.median(finite.std(axis=1, ddof=1) / finite.mean(axis=1)))
