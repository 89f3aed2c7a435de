"""The best configurations that the thesis prints, and their neighbours in the authors' tables."""

from __future__ import annotations

from typing import Any

import numpy as np

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


def neighbourhood_of_printed(table: Table) -> dict[str, np.ndarray]:
    """Errors (R,) of the printed incumbent of a table's data set and after every change of one value, by row.

    Empty if the table has no printed incumbent.
    """
    start = PRINTED.get(table.dataset)
    if start is None:
        return {}
    (position,) = table.grid.positions([start])
    near = [position, *neighbours(table.grid, position)]
    rows = [row_of(start, configuration) for configuration in table.grid.configurations(near)]
    return {row: table.final_mse[place].astype(float) for row, place in zip(rows, near, strict=True)}


def rank_of_printed(table: Table) -> int:
    """Rank of the printed incumbent among all configurations by their average error, from 1."""
    (position,) = table.grid.positions([PRINTED[table.dataset]])
    return int((table.mean_final < table.mean_final[position]).sum()) + 1


def row_of(start: Configuration, configuration: Configuration) -> str:
    """The row of a configuration that has at most one value other than another's."""
    changed = [name for name, value in configuration.items() if value != start[name]]
    return change_name(changed[0], start[changed[0]], configuration[changed[0]]) if changed else INCUMBENT
