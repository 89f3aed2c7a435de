"""Thesis Tables 7.1, 7.2 and 7.4: the contents of the tables of trained networks beside the published ones."""

from __future__ import annotations

import numpy as np
import pandas as pd

from core.experiment.results import Results
from core.report.tables.compare import spec_table
from core.report.tables.table import ReportCell, ReportTable
from core.report.verdicts.cells import Verdict, exact_verdict
from core.report.verdicts.names import published_names
from core.report.verdicts.published import Published
from core.tabular.table import TEST, TRAIN, VALID, Table
from core.tabular.values import VALUES
from papers.tabular.authors_records import authors_best
from papers.tabular.neighbourhood_cells import NAMES
from papers.tabular.printed_incumbents import authors_neighbours
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
PARTS = {"train": TRAIN, "validation": VALID, "test": TEST}


@published_names(rows=LABELS, columns=(*PARTS, "features"))
def table7_1(results: Results, published: Published) -> ReportTable:
    """Thesis Table 7.1: the parts of each data set and its inputs, as used to train our tables."""
    ours = {}
    for name, table in grid_tables(results).items():
        counts = np.bincount(table.split, minlength=3)
        ours[name] = {part: str(counts[code]) for part, code in PARTS.items()} | {"features": str(inputs_of(table))}
    return _only_run(
        spec_table(
            pd.DataFrame.from_dict(ours, orient="index"),
            published,
            caption="Rows of each part, and inputs that are not constant.",
            row_header="Data set",
            row_labels=LABELS,
            configured=False,
        ),
        ours,
    )


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


def _only_run(table: ReportTable, run: dict) -> ReportTable:
    """Mark the rows that were not run as such, so that they do not differ."""
    absent = [key for key in table.cells if key[0] not in run]
    for key in absent:
        table.cells[key] = ReportCell(published=table.cells[key].published, verdict=Verdict("not run"))
    return table
