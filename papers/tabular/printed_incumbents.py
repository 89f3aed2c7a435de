"""The best configurations that the thesis prints, and their neighbours in the authors' tables.

The experiment `authors_neighbours` records the neighbours' errors and the incumbent's rank, a few hundred numbers, so
that neither drawing nor judging needs the tables themselves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from core.experiment.results import Results
from core.report.runs.frames import once
from core.tabular.grid import Configuration
from core.tabular.neighbourhood import neighbours
from core.tabular.table import Table

INCUMBENT = "incumbent"

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


def printed_or_best(table: Table) -> Configuration:
    """The printed incumbent of a table's data set, the table's own where none is printed."""
    return PRINTED.get(table.dataset, table.best_configuration)


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
