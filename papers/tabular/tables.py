"""The tables behind every artifact of the chapter, from the records of the experiment `grid`."""

from __future__ import annotations

from collections.abc import Iterable

from core.experiment.results import Results
from core.report.checks import NotRunError
from core.report.memo import once
from core.tabular.frame import from_records
from core.tabular.table import Table

LABELS = {
    "protein": "HPO-Bench-Protein",
    "slice_localization": "HPO-Bench-Slice",
    "naval": "HPO-Bench-Naval",
    "parkinsons": "HPO-Bench-Parkinson",
}
"""The thesis' names, in its order; a set that the thesis does not have is called by its own name."""


@once
def grid_tables(results: Results) -> dict[str, Table]:
    """The tables that were run, by data set, in the order of `LABELS`; others behind.

    Raises:
        NotRunError: there is none.
    """
    frame = results.frame("grid")
    if frame.empty:
        raise NotRunError("grid")
    found = {str(name): from_records(rows, place=f"grid/{name}") for name, rows in frame.groupby("benchmark")}
    order = [*(name for name in LABELS if name in found), *(name for name in found if name not in LABELS)]
    return {name: found[name] for name in order}


@once
def grid_table(results: Results, name: str) -> Table:
    """One table.

    Raises:
        NotRunError: it was not run.
    """
    frame = results.frame("grid")
    rows = frame[frame["benchmark"] == name]
    if rows.empty:
        raise NotRunError(f"grid/{name}")
    return from_records(rows, place=f"grid/{name}")


def describe(tables: Iterable[Table]) -> str:
    """Which grids they are, in a sentence; sets with equal grids together."""
    groups: dict[str, list[str]] = {}
    for table in tables:
        groups.setdefault(table.grid.description, []).append(table.dataset)
    return ". ".join(f"{', '.join(names)}: {words}" for words, names in groups.items())


def label(name: str) -> str:
    """The thesis' name of a data set."""
    return LABELS.get(name, name)
