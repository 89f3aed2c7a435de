"""The tables of trained networks behind every artifact of the chapter, from the records of the experiment `grid`."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from core.experiment.results import Results
from core.report.memo import once
from core.report.runs import frame_of, rows_of
from core.tabular.frame import from_records
from core.tabular.grid import Grid
from core.tabular.table import Table
from core.tabular.values import LABELS

WORDS = {
    "init_lr": "initial learning rates:",
    "batch_size": "batch sizes:",
    "lr_schedule": "schedules:",
    "activation_fn_1": "activations in layer 1:",
    "activation_fn_2": "activations in layer 2:",
    "n_units_1": "units in layer 1:",
    "n_units_2": "units in layer 2:",
    "dropout_1": "dropout in layer 1:",
    "dropout_2": "dropout in layer 2:",
}
"""The hyperparameters of Table 7.2 as captions name them."""

IMPORTANCE_SHARES = (0.01, 0.1, 1.0)
"""The shares of best configurations that Figs 7.3, 7.4 and D.6 to D.9 show, left to right."""


@once
def grid_tables(results: Results) -> dict[str, Table]:
    """The tables that were run, by data set, in the order of `LABELS`, then others.

    Raises:
        NotRunError: no table was run.
    """
    frame = frame_of(results, "grid")
    found = {str(name): from_records(rows, place=f"grid/{name}") for name, rows in frame.groupby("benchmark")}
    order = [*(name for name in LABELS if name in found), *(name for name in found if name not in LABELS)]
    return {name: found[name] for name in order}


@once
def grid_table(results: Results, name: str) -> Table:
    """The table of one data set.

    Raises:
        NotRunError: it was not run.
    """
    return from_records(rows_of(results, "grid", benchmark=name), place=f"grid/{name}")


def describe(tables: Iterable[Table]) -> str:
    """The grids of the tables in words; sets with equal grids together."""
    groups: dict[str, list[str]] = {}
    for table in tables:
        groups.setdefault(_in_words(table.grid), []).append(table.dataset)
    return ". ".join(f"{', '.join(names)}: {words}" for words, names in groups.items())


def _in_words(grid: Grid) -> str:
    """A grid's description with the names of hyperparameters in words."""
    words = grid.description
    for name in grid.values:
        words = words.replace(f"{name} ", f"{WORDS[name]} ")
    return words


def label(name: str) -> str:
    """The thesis' name of a data set."""
    return LABELS.get(name, name)


def noise_of(table: Table) -> np.ndarray:
    """Standard deviation of the validation error over the repetitions at each stored epoch, (n, B)."""
    errors = table.valid_mse.astype(np.float64)
    usable = np.isfinite(errors).all(axis=-1, keepdims=True)
    return np.where(usable[..., 0], np.where(usable, errors, 0.0).std(axis=-1, ddof=1), np.inf)
