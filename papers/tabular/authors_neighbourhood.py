"""The neighbourhood of the printed incumbent in the authors' table, as columns of a neighbourhood table."""

from __future__ import annotations

from dataclasses import replace

from core.experiment.results import Results
from core.report.tables.table import ReportCell, ReportTable
from core.report.verdicts.published import Published
from core.tabular.grid import FCNET
from papers.tabular.authors_records import authors_best
from papers.tabular.neighbourhood_cells import CHANGE, ERROR, NAMES, changed, relative_change, row_label
from papers.tabular.printed_incumbents import INCUMBENT, PRINTED, AuthorsNeighbours

AUTHORS_ERROR, AUTHORS_CHANGE = "authors_error", "authors_change"  # of the same in the authors' table


def with_authors(table: ReportTable, theirs: AuthorsNeighbours | None, published: Published, words: str) -> ReportTable:
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
                cells[row, AUTHORS_CHANGE] = changed(errors[row], errors[INCUMBENT], printed, False)
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
        row_labels={row: row_label(row) for row in rows},
        column_labels=table.column_labels
        | {AUTHORS_ERROR: "validation error, authors' data", AUTHORS_CHANGE: "relative change, authors' data"},
        reproduced_columns=(AUTHORS_CHANGE,),
    )


def of_their_best(results: Results, name: str) -> str:
    """In words, how the best configuration in the authors' table differs from the printed one, and its worst change."""
    if name not in (known := authors_best(results)):
        return ""
    best, errors = known[name]
    if not (other := [f"{NAMES[key]} {value}" for key, value in best.items() if value != PRINTED[name][key]]):
        return " It is the best of them."
    changes = {row: relative_change(row_errors, errors[INCUMBENT]).estimate for row, row_errors in errors.items()}
    worst = max(changes, key=changes.__getitem__)
    largest = f"{changes[worst]:.3g} ({row_label(worst)})"
    return f" Their best has {', '.join(other)}; the largest relative change from there is {largest}."
