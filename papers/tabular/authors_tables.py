"""The authors' own tables from the shipped records of the experiment `authors_tables`: what their data reproduces."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from core.experiment.results import Results
from core.report.runs.frames import frame_of
from core.report.runs.memo import once
from core.report.verdicts.checks import NotRunError
from core.tabular.grid import FCNET
from core.tabular.table import Table
from papers.tabular.trained_tables import grid_tables, in_order, short_label

EPOCHS = 100


@once
def authors_tables(results: Results) -> dict[str, Table]:
    """The tables of validation errors after all epochs, by data set, in the order of `LABELS`, then others.

    Raises:
        NotRunError: there are none.
    """
    frame = frame_of(results, "authors_tables").sort_values("run", kind="stable")
    found = {}
    for name, rows in frame.groupby("benchmark"):
        errors = np.stack([np.asarray(values, dtype=np.float32) for values in rows["valid_mse"]], axis=-1)
        found[str(name)] = Table(str(name), "the authors' table", FCNET, (EPOCHS,), valid_mse=errors[:, None])
    return in_order(found)


def tables_of_authors(results: Results) -> dict[str, Table]:
    """The same; empty if there are none."""
    try:
        return authors_tables(results)
    except NotRunError:
        return {}


def ours_and_theirs(results: Results) -> tuple[dict[str, Table], dict[str, Table]]:
    """Our tables and the authors', either of which may be empty.

    Raises:
        NotRunError: both are.
    """
    theirs = tables_of_authors(results)
    try:
        return grid_tables(results), theirs
    except NotRunError:
        if theirs:
            return {}, theirs
        raise


def in_words(tables: Iterable[Table]) -> str:
    """What a drawing says of them."""
    names = ", ".join(short_label(table.dataset) for table in tables)
    return f"Authors' data: final validation errors, to four digits, of all {FCNET.size:,} configurations ({names})."
