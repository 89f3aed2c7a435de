"""Thesis Tables 7.1 to 7.4 and D.1 to D.4: what tables contain, and what changing one value of the best ones costs.

The latter have two neighbourhoods side by side: that of our incumbent, the best configuration of the part of the grid
that was trained, and that of the printed one (experiment `neighbours`), with layers of at most as many units as were
trained. Where the second has a change, it has the verdict, since it starts where the thesis does. What starts
elsewhere, or from narrower layers, is `outside`.

The authors' tables have the whole neighbourhood of the printed incumbent, in validation errors. Those stand beside the
printed test errors without a verdict; their relative changes have one, which is counted apart.

Errors have the verdicts of means over the repetitions. A relative change a / b - 1 is a ratio of two means, each over
its own repetitions: the interval is Welch's for log a - log b, with standard errors sd / (mean sqrt(R)). A smaller
change is not better than a larger one, so its verdict is `reproduced` or `differs`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import permutations
from typing import Any

import numpy as np
import pandas as pd

from core.experiment.results import Results
from core.report.statistics.intervals import Interval
from core.report.tables.compare import compare_table, spec_table
from core.report.tables.table import ReportCell, ReportTable
from core.report.verdicts.cells import Estimate, Verdict, exact_verdict, interval_verdict, our_estimate, welch_interval
from core.report.verdicts.names import published_names
from core.report.verdicts.published import Published, PublishedCell
from core.tabular.grid import FCNET
from core.tabular.table import TEST, TRAIN, VALID, Table, local_neighbourhood
from core.tabular.values import VALUES
from papers.tabular.authors_tables import (
    INCUMBENT,
    PRINTED,
    AuthorsNeighbours,
    authors_best,
    authors_neighbours,
    change_name,
    row_of,
)
from papers.tabular.trained_tables import (
    LABELS,
    WHOLE,
    describe,
    grid_tables,
    grid_tables_or,
    in_order,
    label,
    short_label,
)

RENAMED = {"const": "fix"}  # in Table 7.2 alone
AUTHORS = "{}, authors"  # the column of a data set's best configuration in the authors' table
ERROR, CHANGE = "test_error", "relative_change"
NAMES = {
    "init_lr": "Initial LR",
    "batch_size": "Batch Size",
    "lr_schedule": "LR Schedule",
    "activation_fn_1": "Activation/Layer 1",
    "activation_fn_2": "Activation/Layer 2",
    "n_units_1": "Layer 1 Size",
    "n_units_2": "Layer 2 Size",
    "dropout_1": "Dropout/Layer 1",
    "dropout_2": "Dropout/Layer 2",
}
AUTHORS_ERROR, AUTHORS_CHANGE = "authors_error", "authors_change"  # of the same in the authors' table
PRINTED_ERROR, PRINTED_CHANGE = "printed_error", "printed_change"  # of the neighbourhood of the printed incumbent
BESIDE = {ERROR: PRINTED_ERROR, CHANGE: PRINTED_CHANGE}
PARTS = {"train": TRAIN, "validation": VALID, "test": TEST}


@published_names(rows=LABELS, columns=(*PARTS, "features"))
def table7_1(results: Results, published: Published) -> ReportTable:
    """Thesis Table 7.1: the parts of each data set and its inputs, as used to train our tables."""
    ours = {}
    for name, table in grid_tables(results).items():
        counts = np.bincount(table.split, minlength=3)
        ours[name] = {part: str(counts[code]) for part, code in PARTS.items()} | {"features": str(inputs_of(table))}
    compared = spec_table(
        pd.DataFrame.from_dict(ours, orient="index"),
        published,
        caption="Rows of each part, and inputs that are not constant.",
        row_header="Data set",
        row_labels=LABELS,
        configured=False,
    )
    for key, cell in compared.cells.items():
        if key[0] not in ours:  # was not run, so that it does not differ
            compared.cells[key] = ReportCell(published=cell.published, verdict=Verdict("not run"))
    return compared


@published_names(rows=VALUES, columns=("choices",))
def table7_2(results: Results, published: Published) -> ReportTable:
    """Thesis Table 7.2, rendered from the grid of core.tabular."""
    rows = {
        name: {"choices": ", ".join(RENAMED.get(value, str(value)) for value in own)} for name, own in VALUES.items()
    }
    return spec_table(
        pd.DataFrame.from_dict(rows, orient="index"),
        published,
        caption="The space of all tables, 62,208 configurations. This table calls the constant schedule fix, which is "
        "const in the published files, in the other tables and elsewhere here.",
        row_header="Hyperparameter",
        row_labels=NAMES,
    )


@published_names(rows=VALUES, columns=LABELS)
def table7_4(results: Results, published: Published) -> ReportTable:
    """Thesis Table 7.4: the configuration with the lowest average test error on each set."""
    theirs = authors_best(results)
    tables = grid_tables_or(results, theirs)
    cells = {}
    for name in dict.fromkeys([*published.columns, *tables]):
        table = tables.get(name)
        for parameter in VALUES:
            printed = published.get((parameter, name))
            if table is None:
                cells[parameter, name] = ReportCell(published=printed, verdict=Verdict("not run"))
                continue
            text = str(table.best_configuration[parameter])
            verdict = exact_verdict(text, printed.text if printed else "")
            if table.grid.size < WHOLE:
                verdict = Verdict("outside", note="the best of a part of the grid")
            cells[parameter, name] = ReportCell(text=text, published=printed, verdict=verdict)
    for name, (best, _) in theirs.items():
        for parameter in VALUES:
            text, printed = str(best[parameter]), published.get((parameter, name))
            verdict = exact_verdict(text, printed.text if printed else "")
            cells[parameter, AUTHORS.format(name)] = ReportCell(text=text, published=printed, verdict=verdict)
    ranks = (
        f"{short_label(name)} {neighbours.rank:,}" for name, neighbours in in_order(authors_neighbours(results)).items()
    )
    words = ""
    if theirs:
        words = (
            " In the authors' data the best is that of the average validation errors of all configurations; the "
            f"printed ones, best on the test data, have the ranks {', '.join(ranks)} there (Parkinson's of Table D.2)."
        )
    return ReportTable(
        title="",
        rows=tuple(VALUES),
        columns=(*dict.fromkeys([*published.columns, *tables]), *(AUTHORS.format(name) for name in theirs)),
        cells=cells,
        caption=f"Best of the configurations that we trained. {describe(tables.values())} The best of a part of the "
        "grid cannot be compared with that of all. Parkinson's printed column repeats Naval's; Table D.2 has another "
        f"incumbent.{words}",
        row_header="Hyperparameter",
        row_labels=NAMES,
        column_labels=LABELS | {AUTHORS.format(name): f"{label(name)}, authors' data" for name in theirs},
        reproduced_columns=tuple(AUTHORS.format(name) for name in theirs),
    )


def inputs_of(table: Table) -> int:
    """Inputs d of the networks, from P = (d + 1) w1 + (w1 + 1) w2 + w2 + 1 parameters of the first configuration."""
    (first,) = table.grid.configurations([0])
    wide_1, wide_2 = first["n_units_1"], first["n_units_2"]
    return int(table.parameters[0] - (wide_1 + 2) * wide_2 - 1) // wide_1 - 1


def _every_change() -> list[str]:
    """The rows that a neighbourhood table can have: the incumbent and every change in the whole space."""
    changes = ((name, *pair) for name, values in VALUES.items() for pair in permutations(values, 2))
    return [INCUMBENT, *(change_name(*change) for change in changes)]


@published_names(rows=_every_change, columns=(ERROR, CHANGE))
def neighbourhood(
    results: Results, published: Published, dataset: str, trained: Sequence[str] = ("neighbours",)
) -> ReportTable:
    """Thesis Tables 7.3 and D.1 to D.4: the neighbourhood of the incumbent on a data set.

    Args:
        trained: The experiments that may have the printed incumbent's neighbours.
    """
    errors, own, caption = {}, {}, f"The networks of {label(dataset)} were not trained."
    theirs = authors_neighbours(results)
    ours = grid_tables_or(results, theirs)
    if (table := ours.get(dataset)) is not None:
        errors, own, caption = _errors(table), table.best_configuration, _caption(table)
    printed, start = errors_from_printed(results, dataset, trained)
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
    columns = (ERROR, CHANGE, *(BESIDE.values() if printed else ()))
    both = {(row, BESIDE[column]): cell for (row, column), cell in published.cells.items() if row in printed}
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
        row_labels={row: _row_label(row) for row in rows},
        column_labels={
            ERROR: "test error",
            CHANGE: "relative change",
            PRINTED_ERROR: "test error, printed incumbent",
            PRINTED_CHANGE: "relative change, printed incumbent",
        },
        caption=caption,
    )
    compared = _with_authors(compared, theirs.get(dataset), published, _of_their_best(results, dataset))
    for (row, column), cell in compared.cells.items():
        if column in (AUTHORS_ERROR, AUTHORS_CHANGE):
            continue
        beside, is_change = column in BESIDE.values(), column in (CHANGE, PRINTED_CHANGE)
        ours = printed if beside else errors
        if (is_change and row == INCUMBENT) or (beside and row not in printed):
            cell = ReportCell()
        elif is_change and row in ours:
            cell = _changed(ours[row], ours[INCUMBENT], cell.published, results.reduced)
        reason = elsewhere_beside if beside else elsewhere
        if reason and cell.verdict is not None:
            cell = replace(cell, verdict=cell.verdict.outside(reason))
        quoted = cell.published is not None and len(cell.published.text.replace(".", "").lstrip("0")) < 2  # digits
        if quoted or (cell.published is not None and row in printed and not beside):
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


def _with_authors(
    table: ReportTable, theirs: AuthorsNeighbours | None, published: Published, words: str
) -> ReportTable:
    """The table with the neighbourhood of the printed incumbent in the authors' table, if at hand, and more words."""
    if theirs is None:
        return table
    errors = theirs.errors
    rows = tuple(dict.fromkeys([*table.rows, *errors]))
    cells = {(row, column): table.cells.get((row, column), ReportCell()) for row in rows for column in table.columns}
    for row in rows:
        cells[row, AUTHORS_ERROR] = cells[row, AUTHORS_CHANGE] = ReportCell()
        if row in errors:
            quoted, printed = (published.get((row, column)) for column in (ERROR, CHANGE))
            mean, sd = errors[row].mean(), errors[row].std(ddof=1)
            cells[row, AUTHORS_ERROR] = ReportCell(float(mean), float(sd), len(errors[row]), published=quoted)
            if row != INCUMBENT:
                cells[row, AUTHORS_CHANGE] = _changed(errors[row], errors[INCUMBENT], printed, False)
    caption = (
        f"{table.caption} The authors' data are final validation errors of all {FCNET.size:,} configurations, where "
        f"the printed incumbent has rank {theirs.rank:,}; the printed errors are test errors, so that relative changes "
        f"alone have a verdict.{words}"
    )
    return replace(
        table,
        rows=rows,
        columns=(*table.columns, AUTHORS_ERROR, AUTHORS_CHANGE),
        cells=cells,
        caption=caption,
        row_labels={row: _row_label(row) for row in rows},
        column_labels=table.column_labels
        | {AUTHORS_ERROR: "validation error, authors' data", AUTHORS_CHANGE: "relative change, authors' data"},
        reproduced_columns=(AUTHORS_CHANGE,),
    )


def _of_their_best(results: Results, name: str) -> str:
    """In words, how the best configuration in the authors' table differs from the printed one, and its worst change."""
    if name not in (known := authors_best(results)):
        return ""
    best, errors = known[name]
    if not (other := [f"{NAMES[key]} {value}" for key, value in best.items() if value != PRINTED[name][key]]):
        return " It is the best of them."
    changes = {row: relative_change(row_errors, errors[INCUMBENT]).estimate for row, row_errors in errors.items()}
    worst = max(changes, key=changes.__getitem__)
    largest = f"{changes[worst]:.3g} ({_row_label(worst)})"
    return f" Their best has {', '.join(other)}; the largest relative change from there is {largest}."


def relative_change(changed: np.ndarray, best: np.ndarray) -> Interval:
    """Mean of errors (R,) over that of others minus 1, with its 95% interval; nan where a repetition diverged."""
    if not (np.isfinite(changed).all() and np.isfinite(best).all()):
        return Interval(math.nan, math.nan, math.nan)
    low, high = welch_interval(_log_estimate(changed), _log_estimate(best))
    return Interval(float(changed.mean() / best.mean()) - 1, math.expm1(low), math.expm1(high))


def _changed(errors: np.ndarray, start: np.ndarray, published: PublishedCell | None, reduced: bool) -> ReportCell:
    """A relative change without a direction."""
    interval = relative_change(errors, start)
    failed = int((~np.isfinite(errors)).sum())
    if published is None:
        verdict = Verdict("not published", reduced=reduced, note="missing")
    elif failed:
        verdict = Verdict("differs", reduced=reduced, note=f"{failed} repetitions diverged")
    else:
        verdict = interval_verdict(interval, published, "neither", reduced)
    return ReportCell(interval.estimate, runs=len(errors), failed=failed, published=published, verdict=verdict)


def _row_label(row: str) -> str:
    """The thesis' words for a row."""
    if row == INCUMBENT:
        return "Incumbent"
    name, change = row.split(": ")
    return f"{NAMES[name]}: {change}"


def _log_estimate(errors: np.ndarray) -> Estimate:
    """The logarithm of a mean with its standard error, to first order."""
    mean, error, freedom = our_estimate(errors)
    return Estimate(math.log(mean), error / mean, freedom)
