"""Published numbers: one CSV per table, transcribed exactly, missing and illegible cells included as such.

Columns: row, column, value, spread, spread_kind, runs, source, and optionally note. A value is a number, `nan` (printed
as nan in the paper), `illegible`, or empty (the cell is missing in the paper). Kind of spread: `sd` standard deviation
over runs, `sem` standard error of the mean, `quantile` half the distance between the quartiles, `unstated` a "+-" whose
meaning the paper does not give, `none`. A note that begins with `derived` says how a number that is not printed follows
from printed ones. Tables of kind `spec` hold text instead of numbers and need only row, column, value and source.

Runs that authors published are small CSV files beside the numbers, drawn dashed beside ours in every clone. The name
"fabolas/fig4_5_runs" stands for papers/fabolas/published/fig4_5_runs.csv.

The first two lines say which figure of which document the runs are behind, and where they are from and what was done
to them: rounding that no drawing shows, or a regret that follows from what was published.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from core.foundation.errors import UserError

if TYPE_CHECKING:
    import _csv

    import pandas as pd


ROOT = Path(__file__).resolve().parents[3]
SPREAD_KINDS = ("sd", "sem", "quantile", "unstated", "none")
NUMBER_COLUMNS = ("row", "column", "value", "spread", "spread_kind", "runs", "source")
MOST_DIGITS = 9  # of a number of runs
TEXT_COLUMNS = ("row", "column", "value", "source")


@dataclass(frozen=True)
class PublishedCell:
    """One published number.

    value: Value as a float; nan if the paper prints nan or there is no number to read (see `reading`).
    spread: Spread as a float; None if there is none or it cannot be read. Its meaning is `spread_kind`.
    runs: Repetitions behind the number, None if the paper does not say.
    text, spread_text: Value and spread exactly as transcribed, with the printed number of digits.
    """

    value: float
    spread: float | None = None
    spread_kind: str = "none"
    runs: int | None = None
    reading: str = "number"
    text: str = ""
    spread_text: str = ""
    source: str = ""
    note: str = ""

    @property
    def derived(self) -> bool:
        """Whether the number is not printed, but follows from printed ones as the note says."""
        return self.note.startswith("derived")


class Published:
    """All published cells of one artifact, by (row, column) in the order of the file; `lines` has the line of each."""

    def __init__(
        self,
        cells: dict[tuple[str, str], PublishedCell],
        path: Path | None = None,
        lines: dict[tuple[str, str], int] | None = None,
    ) -> None:
        self.cells = dict(cells)
        self.path = path
        self.lines = dict(lines or {})
        self.rows = tuple(dict.fromkeys(row for row, _ in self.cells))
        self.columns = tuple(dict.fromkeys(column for _, column in self.cells))

    def __getitem__(self, key: tuple[str, str]) -> PublishedCell:
        if key not in self.cells:
            raise UserError(
                f"{self.path or 'published numbers'}: no cell row {key[0]!r}, column {key[1]!r}; "
                f"rows are {', '.join(self.rows)}; columns are {', '.join(self.columns)}"
            )
        return self.cells[key]

    def get(self, key: tuple[str, str]) -> PublishedCell | None:
        return self.cells.get(key)

    def error(self, key: tuple[str, str], field: str, value: str, hint: str) -> UserError:
        """An error about a field of a cell, with the file and the line."""
        return UserError(f"{self.path}, line {self.lines.get(key, '?')}, column {field}: {value!r}; {hint}")

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(self.cells)

    def __len__(self) -> int:
        return len(self.cells)


def read_published(path: str | Path) -> Published:
    """Read a table of published numbers.

    Raises:
        UserError: naming file, line, column, value, and what is allowed.
    """
    return _read(Path(path), NUMBER_COLUMNS, _number_cell)


def read_published_spec(path: str | Path) -> Published:
    """Read a transcribed specification, whose values are text; raises as `read_published`."""
    return _read(Path(path), TEXT_COLUMNS, _text_cell)


def published_file(name: str) -> Path:
    """The path papers/<paper>/published/<file>.csv of `<paper>/<file>`."""
    paper, _, file = name.partition("/")
    return ROOT / "papers" / paper / "published" / f"{file}.csv"


def published_in(name: str) -> Published:
    """The numbers in papers/<paper>/published/<artifact>.csv, by the name `<paper>/<artifact>`, for marks in figures.

    Raises:
        UserError: there is no such file, or it cannot be read.
    """
    return read_published(published_file(name))


def read_published_of(path: str | Path, comparison: str) -> Published:
    """The published numbers of an artifact, or its specification: `comparison` is paper.yaml's; raises as they do."""
    return read_published_spec(path) if comparison == "spec" else read_published(path)


class _Line:
    """One line of the file, which can report an error about itself."""

    def __init__(self, path: Path, number: int, fields: dict[str, str]) -> None:
        self.path, self.number, self.fields = path, number, fields

    def __getitem__(self, column: str) -> str:
        return self.fields.get(column, "")

    def error(self, column: str, allowed: str) -> UserError:
        return UserError(f"{self.path}, line {self.number}, column {column}: {self[column]!r}; allowed: {allowed}")


Make = Callable[[_Line], PublishedCell]
"""Makes the cell of a line."""


def _read(path: Path, columns: tuple[str, ...], make: Make) -> Published:
    if not path.is_file():
        raise UserError(f"{path}: no such file of published numbers; allowed: a CSV with columns {', '.join(columns)}")
    with open(path, newline="", encoding="utf-8") as stream:
        reader = csv.reader(stream, strict=True)
        try:
            cells, lines = _parse(path, reader, columns, make)
            return Published(cells, path, lines)
        except csv.Error as error:
            raise UserError(f"{path}, line {reader.line_num}: not valid CSV: {error}") from error
        except UnicodeDecodeError as error:
            raise UserError(f"{path}: not UTF-8 text: {error}") from error


def _parse(
    path: Path, reader: _csv.Reader, columns: tuple[str, ...], make: Make
) -> tuple[dict[tuple[str, str], PublishedCell], dict[tuple[str, str], int]]:
    """The cells, and the line of each."""
    header = [name.strip() for name in next(reader, [])]
    allowed = {*columns, "note", *(NUMBER_COLUMNS if make is _text_cell else ())}
    if wrong := [name for name in columns if name not in header] or [name for name in header if name not in allowed]:
        raise UserError(
            f"{path}, line 1, column {wrong[0]}: {'missing' if wrong[0] not in header else 'unknown'}; "
            f"allowed: {', '.join(columns)}, and optionally note"
        )
    if twice := [name for number, name in enumerate(header) if name in header[:number]]:
        raise UserError(f"{path}, line 1, column {twice[0]}: occurs twice; allowed: each column once")
    cells: dict[tuple[str, str], PublishedCell] = {}
    lines: dict[tuple[str, str], int] = {}
    for fields in reader:
        if not any(field.strip() for field in fields):
            continue
        if len(fields) != len(header):
            raise UserError(f"{path}, line {reader.line_num}: {len(fields)} fields; allowed: {len(header)}")
        line = _Line(path, reader.line_num, {k: v.strip() for k, v in zip(header, fields, strict=True)})
        for column in ("row", "column", "source"):
            if not line[column]:
                raise line.error(column, "non-empty text")
        key = (line["row"], line["column"])
        if key in cells:
            raise line.error("column", f"each pair of row and column once (row {key[0]!r} has this one already)")
        cells[key], lines[key] = make(line), line.number
    return cells, lines


def _number_cell(line: _Line) -> PublishedCell:
    value, reading = _number(line, "value")
    if line["spread_kind"] not in SPREAD_KINDS:
        raise line.error("spread_kind", ", ".join(SPREAD_KINDS))
    spread, spread_reading = _number(line, "spread")
    if line["spread_kind"] == "none" and spread_reading != "missing":
        raise line.error("spread", "empty where spread_kind is none")
    if line["spread_kind"] != "none" and spread_reading == "missing" and reading == "number":
        raise line.error("spread", "a number of at least 0, nan or illegible (or spread_kind none)")
    if spread_reading == "number" and spread < 0:
        raise line.error("spread", "a number of at least 0")
    runs = line["runs"]
    if runs and not (runs.isascii() and runs.isdigit() and len(runs) <= MOST_DIGITS and int(runs) > 0):
        raise line.error("runs", "a whole number of at least 1, or empty where the paper does not say")
    return PublishedCell(
        value=value,
        spread=spread if spread_reading == "number" else None,
        spread_kind=line["spread_kind"],
        runs=int(runs) if runs else None,
        reading=reading,
        text=line["value"],
        spread_text=line["spread"],
        source=line["source"],
        note=line["note"],
    )


def _text_cell(line: _Line) -> PublishedCell:
    reading = {"": "missing", "illegible": "illegible"}.get(line["value"], "text")
    return PublishedCell(value=math.nan, reading=reading, text=line["value"], source=line["source"], note=line["note"])


def _number(line: _Line, column: str) -> tuple[float, str]:
    text = line[column]
    if text in ("", "nan", "illegible"):
        return math.nan, text or "missing"
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value) or "_" in text:
        raise line.error(column, "a finite number, nan, illegible, or empty where the paper has no number")
    return value, "number"


RUNS = "_runs"
"""The end of a file's name, after that of the artifact that the runs are behind."""
LINES = ("# document: ", "# source: ")


def published_runs(name: str) -> pd.DataFrame:
    """The runs in `<paper>/<file>`, with the file's columns; `attrs` of the frame has document and source.

    Raises:
        UserError: there is no such file, it does not begin with the two lines, or it is not a table with rows.
    """
    return read_published_runs(published_file(name)).copy()


@lru_cache
def read_published_runs(path: Path) -> pd.DataFrame:
    import pandas as pd  # which reading names does not need

    if not path.is_file():
        raise UserError(f"{path}: no such file of published runs; allowed: a CSV that says its document and source")
    try:
        with open(path, encoding="utf-8") as stream:
            head = [stream.readline().rstrip("\n") for _ in LINES]
            for number, (line, start) in enumerate(zip(head, LINES, strict=True), 1):
                if not line.removeprefix(start).strip() or not line.startswith(start):
                    raise UserError(f"{path}, line {number}: {line!r}; allowed: {start!r} and what it is")
            frame = pd.read_csv(stream)
    except (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeDecodeError) as error:
        raise UserError(f"{path}: not a table ({' '.join(str(error).split())})") from error
    if frame.empty:
        raise UserError(f"{path}: no rows; allowed: at least one run")
    names = (start.strip("# :") for start in LINES)
    frame.attrs = {name: line.removeprefix(start) for name, start, line in zip(names, LINES, head, strict=True)}
    return frame
