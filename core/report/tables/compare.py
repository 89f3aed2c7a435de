"""The ways to make a table with verdicts: from runs, and from a specification.

`compare_table` is for numbers: it takes our runs in long form and compares each cell by `cell_verdict`. `spec_table` is
for tables that describe rather than measure (search spaces, architectures): each cell is compared for equality.
`space_table` is the one of a configuration space. `out_of_reach` is for numbers that our reduced runs cannot show."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

import numpy as np
import pandas as pd

from core.foundation.errors import UserError
from core.report.runs.frames import with_variants
from core.report.tables.table import ReportCell, ReportTable
from core.report.verdicts.cells import Verdict, cell_verdict, check_direction, exact_verdict
from core.report.verdicts.published import Published, PublishedCell

if TYPE_CHECKING:
    from ConfigSpace import ConfigurationSpace


SAMPLE_COLUMNS = ("row", "column", "run", "value", "status")


class Words(TypedDict, total=False):
    """Words and number format of a table, as in `ReportTable`; keywords of the two functions below."""

    title: str
    caption: str
    metric: str
    format: str
    row_header: str
    row_labels: dict[str, str]
    column_labels: dict[str, str]


def samples_of(frame: pd.DataFrame, metric: str, row: str = "method", column: str = "benchmark") -> pd.DataFrame:
    """A results frame as the samples of `compare_table`: its methods as rows and its benchmarks as columns.

    Raises:
        UserError: the frame has rows, but not this metric.
    """
    if frame.empty:
        return pd.DataFrame(columns=list(SAMPLE_COLUMNS))
    if metric not in frame:
        raise UserError(f"metric: {metric!r}; allowed, as the results have them: {', '.join(map(str, frame.columns))}")
    samples = frame[[row, column, "run", metric, "status"]]
    return samples.set_axis(list(SAMPLE_COLUMNS), axis="columns")


def compare_table(
    samples: pd.DataFrame,
    published: Published | None,
    direction: str,
    reduced: bool | Collection[str | tuple[str, str]],
    rows: Sequence[str] | None = None,
    columns: Sequence[str] | None = None,
    quoted_rows: Sequence[str] = (),
    baselines: Collection[str] = (),
    **words: Unpack[Words],
) -> ReportTable:
    """A table of means over runs with a verdict for each cell.

    Args:
        samples: One line per run, with columns row, column, run, value, status (`ok` or `failed`); empty is allowed.
        published: The published numbers; None if there are none.
        direction: Better direction, `higher` or `lower`, or `neither`.
        reduced: Whether the runs are below the published protocol: all, none, or those of these rows or cells, each
            cell as its row and column.
        rows, columns: Names to show, in this order; by default the published ones. Ablations in the samples follow.
        quoted_rows: The rows whose published numbers are shown without a verdict.
        baselines: The rows or columns of methods that the paper compares its own with.
        words: Title, caption, metric, format and labels, see `Words`.

    Raises:
        UserError: an unknown direction or quoted row, samples without a column, or a run that occurs twice in a cell.
    """
    check_direction(direction)
    published = published or Published({})
    rows = tuple(with_variants(rows or published.rows, samples.get("row", ())))
    columns = tuple(with_variants(columns or published.columns, samples.get("column", ())))
    if unknown := set(quoted_rows) - set(rows):
        raise UserError(f"quoted_rows: {sorted(unknown)}; allowed: {', '.join(rows)}")
    runs = _values_by_cell(samples)
    below = set((rows if reduced else ()) if isinstance(reduced, bool) else reduced)
    cells = {}
    for key in ((row, column) for row in rows for column in columns):
        if key[0] in quoted_rows:
            cells[key] = ReportCell(published=published.get(key))
        else:
            is_below, is_baseline = not below.isdisjoint((key, key[0])), not {*key}.isdisjoint(baselines)
            cells[key] = _compared(runs.get(key, np.empty(0)), published.get(key), direction, is_below, is_baseline)
    return ReportTable(rows, columns, cells, direction=direction, quoted_rows=tuple(quoted_rows), **words)


def spec_table(
    ours: pd.DataFrame,
    published: Published,
    configured: bool = True,
    **words: Unpack[Words],
) -> ReportTable:
    """Our own specification against the transcribed one, cell by cell, see `exact_verdict`.

    Args:
        ours: Index the row names, columns the column names, any values; rows or columns on one side only `differ`.
        published: The transcription (`read_published_spec`).
        configured: Whether ours is our configuration, or what was counted or measured.
        words: Title, caption and labels, see `Words`.
    """
    if ours.index.has_duplicates or ours.columns.has_duplicates:
        raise UserError("specification: row and column names must each occur once")
    rows = tuple(dict.fromkeys([*published.rows, *map(str, ours.index)]))
    columns = tuple(dict.fromkeys([*published.columns, *map(str, ours.columns)]))
    values = {(str(row), str(column)): ours.at[row, column] for row in ours.index for column in ours.columns}
    cells = {}
    for key in ((row, column) for row in rows for column in columns):
        value: Any = values.get(key)
        text = "" if pd.isna(value) else str(value)
        cells[key] = _matched(text, published.get(key), configured)
    words.setdefault("row_header", "Name")
    return ReportTable(rows, columns, cells, **words)


def absent_table(published: Published | None) -> ReportTable:
    """The published numbers of a table whose runs are missing, each cell `not run`."""
    published = published or Published({})
    cells = {
        (row, column): ReportCell(published=published.get((row, column)), verdict=Verdict("not run"))
        for row in published.rows
        for column in published.columns
    }
    return ReportTable(published.rows, published.columns, cells)


def _values_by_cell(samples: pd.DataFrame) -> dict[tuple[str, str], np.ndarray]:
    if samples.empty:
        return {}
    if missing := [name for name in SAMPLE_COLUMNS if name not in samples]:
        raise UserError(f"samples: column {missing[0]} is missing; needed: {', '.join(SAMPLE_COLUMNS)}")
    twice = samples.duplicated(["row", "column", "run"])
    if twice.any():
        row, column, run = samples.loc[twice, ["row", "column", "run"]].iloc[0]
        raise UserError(f"samples: run {run} of row {row!r}, column {column!r} occurs twice; allowed: each run once")
    values = samples["value"].to_numpy(dtype=float, na_value=np.nan)
    samples = samples.assign(value=np.where(samples["status"] == "ok", values, np.nan))
    grouped = samples.sort_values("run", kind="stable").groupby(["row", "column"], sort=False)["value"]
    return {(str(row), str(column)): group.to_numpy() for (row, column), group in grouped}


def _compared(
    values: np.ndarray, published: PublishedCell | None, direction: str, reduced: bool, baseline: bool
) -> ReportCell:
    finite = values[np.isfinite(values)]
    absent = PublishedCell(math.nan, reading="missing")
    return ReportCell(
        ours=float(finite.mean()) if finite.size else math.nan,
        sd=_deviation(finite),
        runs=values.size,
        failed=values.size - finite.size,
        published=published,
        verdict=replace(cell_verdict(values, published or absent, direction, reduced), baseline=baseline),
    )


def _deviation(values: np.ndarray) -> float:
    """Standard deviation over the runs; exactly 0 where they are equal, which rounding would hide."""
    if values.size < 2:
        return math.nan
    return float(values.std(ddof=1)) if np.ptp(values) > 0 else 0.0


def _matched(text: str, published: PublishedCell | None, configured: bool) -> ReportCell:
    if published is not None and published.reading in ("illegible", "missing"):
        return ReportCell(text=text, published=published, verdict=Verdict("not published", note=published.reading))
    theirs = published.text if published is not None else ""
    return ReportCell(text=text, published=published, verdict=exact_verdict(text, theirs, configured=configured))


BOUNDS = {"lower": "lower bound", "upper": "upper bound", "log": "logarithmic"}
BASES = {"2": 2.0, "10": 10.0, "e": math.e}


def space_table(space: ConfigurationSpace, published: Published, names: Mapping[str, str] | None = None) -> ReportTable:
    """The space in the form of `described`, each cell configured as published or not.

    Args:
        names: Names of hyperparameters, in words.
    """
    return spec_table(
        described(space),
        published,
        caption="Ranges of the hyperparameters, compared with those of our space.",
        row_header="Hyperparameter",
        row_labels={name: (names or {}).get(name, name) for name in space},
        column_labels=BOUNDS,
    )


def described(space: ConfigurationSpace, bases: Collection[str] = tuple(BASES)) -> pd.DataFrame:
    """Lower and upper bound and "yes" or "no" for the logarithm, one row per hyperparameter; bases as for `bounds`."""
    rows = {}
    for name in space:
        number: Any = space[name]  # whose classes share no base with these attributes
        lower, upper = bounds(number.lower, number.upper, number.log, bases)
        rows[name] = {"lower": lower, "upper": upper, "log": "yes" if number.log else "no"}
    return pd.DataFrame.from_dict(rows, orient="index")


def bounds(lower: float, upper: float, logarithmic: bool, bases: Collection[str] = tuple(BASES)) -> tuple[str, str]:
    """Both bounds as printed; those of a logarithmic range as powers of one of the bases where both are."""
    for name, base in BASES.items() if logarithmic else ():
        if name not in bases:
            continue
        exponents = [round(math.log(value, base)) for value in (lower, upper)]
        if all(math.isclose(value, base**power) for value, power in zip((lower, upper), exponents, strict=True)):
            return f"{name}^{exponents[0]}", f"{name}^{exponents[1]}"
    return f"{lower:g}", f"{upper:g}"


def out_of_reach(table: ReportTable, reason: str) -> ReportTable:
    """The table with each verdict on reduced runs turned into `outside`; ours and theirs stay beside each other.

    Args:
        reason: Why runs below the protocol cannot show the numbers.
    """
    cells = {
        key: replace(cell, verdict=cell.verdict.outside(reason)) if cell.verdict and cell.verdict.reduced else cell
        for key, cell in table.cells.items()
    }
    return replace(table, cells=cells)
