"""Tables 7.3 and D.1 to D.4: the incumbent of each data set and what changing one of its hyperparameters costs.

Two neighbourhoods stand side by side: that of our incumbent, the best configuration of the part of the grid that was
trained, and that of the printed one (experiment `neighbours`), with layers of at most as many units as were trained.
Where the second has a change, it has the verdict, since it starts where the thesis does. What starts elsewhere, or from
narrower layers, is `outside`.

The authors' tables have the whole neighbourhood of the printed incumbent, in validation errors. Those stand beside the
printed test errors without a verdict; their relative changes have one, which is counted apart.

Errors have the verdicts of means over the repetitions, relative changes those of `papers.tabular.neighbourhood_cells`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import permutations
from typing import Any

import numpy as np
import pandas as pd

from core.experiment.results import Results
from core.report.tables.compare import compare_table
from core.report.tables.table import ReportCell, ReportTable
from core.report.verdicts.names import published_names
from core.report.verdicts.published import Published
from core.tabular.grid import FCNET
from core.tabular.neighbourhood import local_neighbourhood
from core.tabular.table import Table
from core.tabular.values import VALUES
from papers.tabular.authors_neighbourhood import AUTHORS_CHANGE, AUTHORS_ERROR, of_their_best, with_authors
from papers.tabular.neighbourhood_cells import CHANGE, ERROR, NAMES, changed, row_label
from papers.tabular.printed_incumbents import INCUMBENT, authors_neighbours, change_name, row_of
from papers.tabular.trained_tables import describe, grid_tables_or, label

PRINTED_ERROR, PRINTED_CHANGE = "printed_error", "printed_change"  # of the neighbourhood of the printed incumbent
PRINTED = {ERROR: PRINTED_ERROR, CHANGE: PRINTED_CHANGE}


def every_change() -> list[str]:
    """The rows that a neighbourhood table can have: the incumbent and every change in the whole space."""
    changes = ((name, *pair) for name, values in VALUES.items() for pair in permutations(values, 2))
    return [INCUMBENT, *(change_name(*change) for change in changes)]


KNOWN = published_names(rows=every_change, columns=(ERROR, CHANGE))


@KNOWN
def table7_3(results: Results, published: Published) -> ReportTable:
    """Thesis Table 7.3: the neighbourhood of the incumbent on protein, the same as Table D.3."""
    return _neighbourhood(results, published, "protein", ("neighbours", "activations"))


@KNOWN
def tableD_1(results: Results, published: Published) -> ReportTable:
    """Thesis Table D.1: the neighbourhood of the incumbent on naval."""
    return _neighbourhood(results, published, "naval")


@KNOWN
def tableD_2(results: Results, published: Published) -> ReportTable:
    """Thesis Table D.2: the neighbourhood of the incumbent on parkinsons."""
    return _neighbourhood(results, published, "parkinsons")


@KNOWN
def tableD_3(results: Results, published: Published) -> ReportTable:
    """Thesis Table D.3: the neighbourhood of the incumbent on protein."""
    return _neighbourhood(results, published, "protein", ("neighbours", "activations"))


@KNOWN
def tableD_4(results: Results, published: Published) -> ReportTable:
    """Thesis Table D.4: the neighbourhood of the incumbent on slice localization."""
    return _neighbourhood(results, published, "slice_localization")


def _neighbourhood(
    results: Results, published: Published, name: str, trained: Iterable[str] = ("neighbours",)
) -> ReportTable:
    """The table of a data set; `trained` are the experiments that may have the printed incumbent's neighbours."""
    errors, own, caption = {}, {}, f"The networks of {label(name)} were not trained."
    theirs = authors_neighbours(results)
    ours = grid_tables_or(results, theirs)
    if (table := ours.get(name)) is not None:
        errors, own, caption = _errors(table), table.best_configuration, _caption(table)
    printed, start = errors_from_printed(results, name, trained)
    if printed:
        units = " and ".join(str(start[key]) for key in ("n_units_1", "n_units_2"))
        caption = f"{caption} From the printed incumbent: layers of {units} units."
    elsewhere, elsewhere_beside = (_other_start(each, published.rows) for each in (own, start))
    samples = [
        (row, column, run, value, "ok" if np.isfinite(value) else "failed")
        for column, by_row in ((ERROR, errors), (PRINTED_ERROR, printed))
        for row, values in by_row.items()
        for run, value in enumerate(values)
    ]
    # What our own incumbent alone can change has no number beside it, in any column: it is left to the records.
    rows = list(published.rows) or list(errors)
    columns = (ERROR, CHANGE, *(PRINTED.values() if printed else ()))
    both = {(row, PRINTED[column]): cell for (row, column), cell in published.cells.items() if row in printed}
    compared = compare_table(
        pd.DataFrame(samples, columns=["row", "column", "run", "value", "status"]),
        Published(published.cells | both, published.path, published.lines),
        direction="lower",
        reduced=results.reduced,
        rows=rows,
        columns=columns,
        metric="test error (MSE, standardized target) after the change, and its relative change",
        format=".4g",
        row_header="Change",
        row_labels={row: row_label(row) for row in rows},
        column_labels={
            ERROR: "test error",
            CHANGE: "relative change",
            PRINTED_ERROR: "test error, printed incumbent",
            PRINTED_CHANGE: "relative change, printed incumbent",
        },
        caption=caption,
    )
    compared = with_authors(compared, theirs.get(name), published, of_their_best(results, name))
    for (row, column), cell in compared.cells.items():
        if column in (AUTHORS_ERROR, AUTHORS_CHANGE):
            continue
        beside, is_change = column in PRINTED.values(), column in (CHANGE, PRINTED_CHANGE)
        ours = printed if beside else errors
        if (is_change and row == INCUMBENT) or (beside and row not in printed):
            cell = ReportCell()
        elif is_change and row in ours:
            cell = changed(ours[row], ours[INCUMBENT], cell.published, results.reduced)
        reason = elsewhere_beside if beside else elsewhere
        if reason and cell.verdict is not None:
            cell = replace(cell, verdict=cell.verdict.outside(reason))
        if cell.published is not None and (_digits(cell.published.text) < 2 or (row in printed and not beside)):
            cell = replace(cell, verdict=None)
        compared.cells[row, column] = cell
    return compared


def _other_start(start: Mapping[str, object], rows: Iterable[str]) -> str:
    """Where a configuration is not the one from which the printed changes start, in words; empty if it is."""
    printed = {name: change.split(" to ")[0] for name, _, change in (row.partition(": ") for row in rows) if change}
    other = [f"{NAMES[key]} {start[key]}" for key in start if str(start[key]) != printed.get(key, str(start[key]))]
    return f"starts from {', '.join(other)}" if other else ""


def errors_from_printed(
    results: Results, benchmark: str, experiments: Iterable[str]
) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Test errors (R,) of the printed incumbent and after changes of it, by row; the configuration that was trained."""
    trained = (frame[frame["benchmark"] == benchmark] for frame in map(results.frame, experiments))
    frame = next((rows for rows in trained if len(rows)), None)
    if frame is None:
        return {}, {}
    frame = frame.sort_values("run", kind="stable")
    configurations = FCNET.configurations(FCNET.positions_of(frame["configuration"]))
    start, rows = configurations[0], (row_of(configurations[0], each) for each in configurations)
    errors = {row: np.asarray(mse, dtype=float) for row, mse in zip(rows, frame["test_mse"], strict=True)}
    return errors, start


def _errors(table: Table) -> dict[str, np.ndarray]:
    """Test errors (R,) of the incumbent and after each change of one of its hyperparameters, by row."""
    errors = {INCUMBENT: table.test_mse[table.best].astype(float)}
    for row in local_neighbourhood(table).to_dict("records"):
        repetitions = np.array([row[f"test_mse_{run}"] for run in range(table.repetitions)])
        errors[change_name(row["hyperparameter"], row["before"], row["after"])] = repetitions
    return errors


def _caption(table: Table) -> str:
    best = ", ".join(f"{NAMES[key]} {value}" for key, value in table.best_configuration.items())
    return (
        f"Our incumbent: {best}. Changes that do not apply to it, or that our grid lacks, are not run. A relative "
        "change differs or does not; none is better. Printed errors with fewer than two significant digits have no "
        "verdict. "
        f"{describe([table])}"
    )


def _digits(printed: str) -> int:
    """Significant digits of a printed decimal number."""
    return len(printed.replace(".", "").lstrip("0"))
