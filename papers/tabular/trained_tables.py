"""The tables of trained networks behind every artifact of the chapter, from the records of the experiment `grid`."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from typing import TypeVar

import numpy as np

from core.experiment.results import Results
from core.report.runs.frames import NotRunError, frame_of, once, rows_of
from core.tabular.analysis import best_positions
from core.tabular.frame import from_records
from core.tabular.table import Table
from core.tabular.values import LABELS, VALUES

T = TypeVar("T")

WHOLE = math.prod(map(len, VALUES.values()))
"""Configurations in the whole grid."""

IMPORTANCE_SHARES = (0.01, 0.1, 1.0)
"""The shares of best configurations that Figs 7.3, 7.4 and D.6 to D.9 show, left to right."""

SHORT = {
    "init_lr": "LR",
    "batch_size": "batch",
    "lr_schedule": "schedule",
    "activation_fn_1": "act. 1",
    "activation_fn_2": "act. 2",
    "n_units_1": "units 1",
    "n_units_2": "units 2",
    "dropout_1": "drop. 1",
    "dropout_2": "drop. 2",
}
"""Names of hyperparameters, for the ticks of axes."""


@once
def grid_tables(results: Results) -> dict[str, Table]:
    """The tables that were run, by data set, in the order of `LABELS`, then others.

    Raises:
        NotRunError: no table was run.
    """
    frame = frame_of(results, "grid")
    tables = {str(name): from_records(rows, place=f"grid/{name}") for name, rows in frame.groupby("benchmark")}
    return in_order(tables)


def grid_tables_or(results: Results, others: Collection) -> dict[str, Table]:
    """The tables that were run; none, instead of an error, if there are other records to show.

    Raises:
        NotRunError: there is neither.
    """
    try:
        return grid_tables(results)
    except NotRunError:
        if len(others):
            return {}
        raise


def in_order(tables: dict[str, T]) -> dict[str, T]:
    """Tables, or what else is known of data sets, in the order of `LABELS`, then others."""
    return {name: tables[name] for name in sorted(tables, key=[*LABELS, *tables].index)}


@once
def grid_table(results: Results, name: str) -> Table:
    """The table of one data set.

    Raises:
        NotRunError: it was not run.
    """
    return from_records(rows_of(results, "grid", benchmark=name), place=f"grid/{name}")


def describe(tables: Iterable[Table]) -> str:
    """The sizes of the tables and their repetitions in words; sets with equal ones together."""
    groups: dict[str, list[str]] = {}
    for table in tables:
        words = f"{table.grid.size:,} configurations of {WHOLE:,}, each trained {table.repetitions} times"
        groups.setdefault(words, []).append(short_label(table.dataset))
    return "; ".join(f"{', '.join(names)}: {words}" for words, names in groups.items()) + "."


def numbers_of_best(tables: Iterable[Table], share: float) -> str:
    """How many configurations a share of the best is on each set: `8 (Naval, Protein), 18 (Parkinson)`."""
    groups: dict[int, list[str]] = {}
    for table in tables:
        count = len(best_positions(table.mean_test, share))
        groups.setdefault(count, []).append(short_label(table.dataset))
    return ", ".join(f"{count:,} ({', '.join(names)})" for count, names in groups.items())


def label(name: str) -> str:
    """The thesis' name of a data set."""
    return LABELS.get(name, name)


def short_label(name: str) -> str:
    """The same without the name of the collection, for panels and captions that have several."""
    return label(name).removeprefix("HPO-Bench-")


def noise_of(table: Table) -> np.ndarray:
    """Standard deviation of the validation error over the repetitions at each stored epoch, (n, B)."""
    errors = table.valid_mse.astype(np.float64)
    usable = np.isfinite(errors).all(axis=-1, keepdims=True)
    return np.where(usable[..., 0], np.where(usable, errors, 0.0).std(axis=-1, ddof=1), np.inf)
