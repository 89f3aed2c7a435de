"""The tables of trained networks behind every artifact of the chapter, from the records of the experiment `grid`."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from core.experiment.results import Results
from core.report.memo import once
from core.report.runs import frame_of, rows_of
from core.tabular.frame import from_records
from core.tabular.table import Table

LABELS = {
    "protein": "HPO-Bench-Protein",
    "slice_localization": "HPO-Bench-Slice",
    "naval": "HPO-Bench-Naval",
    "parkinsons": "HPO-Bench-Parkinson",
}
"""The thesis' names, in its order; a set that the thesis does not have is called by its own name."""

IMPORTANCE_SHARES = (0.01, 0.1, 1.0)
"""The best shares of the configurations that Figs 7.3, 7.4 and D.6 to D.9 show, left to right."""


@once
def grid_tables(results: Results) -> dict[str, Table]:
    """The tables that were run, by data set, in the order of `LABELS`; others behind.

    Raises:
        NotRunError: there is none.
    """
    frame = frame_of(results, "grid")
    found = {str(name): from_records(rows, place=f"grid/{name}") for name, rows in frame.groupby("benchmark")}
    order = [*(name for name in LABELS if name in found), *(name for name in found if name not in LABELS)]
    return {name: found[name] for name in order}


@once
def grid_table(results: Results, name: str) -> Table:
    """One table.

    Raises:
        NotRunError: it was not run.
    """
    return from_records(rows_of(results, "grid", benchmark=name), place=f"grid/{name}")


def describe(tables: Iterable[Table]) -> str:
    """Which grids they are, in a sentence; sets with equal grids together."""
    groups: dict[str, list[str]] = {}
    for table in tables:
        groups.setdefault(table.grid.description, []).append(table.dataset)
    return ". ".join(f"{', '.join(names)}: {words}" for words, names in groups.items())


def label(name: str) -> str:
    """The thesis' name of a data set."""
    return LABELS.get(name, name)


def noise_of(table: Table) -> np.ndarray:
    """Standard deviation of the validation error over the repetitions at each stored epoch, (n, B)."""
    errors = table.valid_mse.astype(np.float64)
    usable = np.isfinite(errors).all(axis=-1, keepdims=True)
    return np.where(usable[..., 0], np.where(usable, errors, 0.0).std(axis=-1, ddof=1), np.inf)
