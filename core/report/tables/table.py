"""Table: published numbers beside ours beside a verdict, cell by cell, and what tables say in words.

How a table is made from runs or from a specification is in compare.py, how it looks as an image or as text in image.py
and text.py. The lines of a cell and the notes below are the same in every rendering: a cell has our mean +- standard
deviation over runs, the published number as printed, and the verdict with a symbol, the difference in published
standard deviations, and what qualifies it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from string import ascii_lowercase
from typing import NamedTuple

from core.report import style
from core.report.runs.frames import split_variant, with_change
from core.report.style import LOOKS
from core.report.verdicts.cells import Verdict
from core.report.verdicts.published import PublishedCell


@dataclass(frozen=True)
class ReportCell:
    """One cell: ours, published, verdict.

    ours, sd: Mean and standard deviation over the finite runs; `runs` counts all runs, `failed` those not finite.
    text: Our value if the table holds text; None if it holds numbers.
    verdict: Verdict on the cell; None if a published number is only quoted for comparison.
    """

    ours: float = math.nan
    sd: float = math.nan
    runs: int = 0
    failed: int = 0
    text: str | None = None
    published: PublishedCell | None = None
    verdict: Verdict | None = None


@dataclass(frozen=True)
class ReportTable:
    """Rows x columns of cells, with everything needed to read the table.

    direction: Better direction, `higher` or `lower`; `neither`, or empty if nothing is measured.
    format: Format of our numbers, as in `format(x, ".2f")`; published ones keep their printed digits.
    quoted_rows: Rows quoted from the publication for comparison, which we did not run.
    reproduced_columns: Columns that follow from the authors' own data; their verdicts are counted apart.
    turned: Whether readers see rows as columns, since there are more columns than fit side by side.
    """

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: dict[tuple[str, str], ReportCell]
    title: str = ""
    caption: str = ""
    metric: str = ""
    direction: str = ""
    format: str = ".2f"
    row_header: str = "Method"
    row_labels: dict[str, str] = field(default_factory=dict)
    column_labels: dict[str, str] = field(default_factory=dict)
    quoted_rows: tuple[str, ...] = ()
    reproduced_columns: tuple[str, ...] = ()
    turned: bool = False

    @property
    def shown(self) -> ReportTable:
        """The table as readers see it, with rows and columns exchanged where it is `turned`."""
        if not self.turned:
            return self
        labels = {row: self.row_label(row) for row in self.rows}
        names = {column: self.column_label(column) for column in self.columns}
        return replace(
            self,
            rows=self.columns,
            columns=self.rows,
            cells={(column, row): cell for (row, column), cell in self.cells.items()},
            row_header="",
            row_labels=names,
            column_labels=labels,
            turned=False,
        )

    def row_label(self, row: str) -> str:
        """The label given with the table, else the method's own label, else the row's name; then any changes."""
        base, change = split_variant(row)
        known = style.METHODS[base].label if base in style.METHODS else base
        return with_change(self.row_labels.get(base) or known, change)

    def column_label(self, column: str) -> str:
        base, change = split_variant(column)
        return with_change(self.column_labels.get(base, base), change)

    @property
    def verdicts(self) -> list[Verdict]:
        """Verdicts on our own runs, of all cells that have one, row by row."""
        return self._verdicts_in(column for column in self.columns if column not in self.reproduced_columns)

    @property
    def reproduced_verdicts(self) -> list[Verdict]:
        """Verdicts on what follows from the authors' own data, row by row."""
        return self._verdicts_in(self.reproduced_columns)

    def _verdicts_in(self, columns: Iterable[str]) -> list[Verdict]:
        columns = list(columns)
        cells = (self.cells[row, column] for row in self.rows for column in columns)
        return [cell.verdict for cell in cells if cell.verdict is not None]


FEW = 3  # cells that a note is written in; what more have is written once below the table
LONG = 48  # characters of a note that would make its column wider than its numbers; it stands below the table as well
WEAKENED = "A baseline that is better than published weakens the paper's comparison with it."
SAME = ("equal", "as configured")
STRENGTHENED = "A baseline that is worse than published strengthens the paper's comparison with it."


class Lines(NamedTuple):
    """The lines of a cell; empty ones are left out. A cell without a verdict has ours only if it was run."""

    ours: str
    published: str
    verdict: str
    extra: str


def row_lines(table: ReportTable, row: str) -> list[Lines]:
    """The text of the cells of a row, in the order of the columns.

    `−5.21 ± 0.61`, `−5.18 ± 0.70`, `✓ reproduced, +0.0 sd`, `reduced; if sem: ▼ worse`. A row that equals what is
    published says so once.
    """
    cells = [table.cells[row, column] for column in table.columns]
    equal = all(cell.verdict is not None and cell.verdict.kind in SAME for cell in cells)
    marks, everywhere = _marks(table), bool(_shared_verdict(table))
    return [_lines(cell, table.format, "" if equal else published_text(cell), marks, everywhere) for cell in cells]


def shared_notes(table: ReportTable) -> list[str]:
    """The verdict that all cells have, and the notes that many have, each once: `(a) other targets than the text's`."""
    shared = _shared_verdict(table)
    return ([f"Each number: {shared}."] if shared else []) + [f"{mark} {note}." for note, mark in _marks(table).items()]


def _shared_verdict(table: ReportTable) -> str:
    """The verdict of all cells if it is one, that they are outside, and there are many; otherwise empty."""
    verdicts = [cell.verdict for cell in table.cells.values() if cell.verdict is not None]
    texts = {(_verdict(each), each.kind, each.reduced, each.look, each.alternative) for each in verdicts}
    if len(verdicts) <= FEW or len(texts) > 1 or verdicts[0].kind != "outside":
        return ""
    return _verdict(verdicts[0]) + ("; reduced" if verdicts[0].reduced else "")


def _marks(table: ReportTable) -> dict[str, str]:
    """Marks of the parts of notes that more than `FEW` cells have, or that are `LONG`."""
    verdicts = (cell.verdict for cell in table.cells.values() if cell.verdict is not None)
    counts = Counter(note for verdict in verdicts for note in _notes(verdict))
    often = [note for note, count in counts.items() if count > FEW or len(note) > LONG]
    return {note: f"({mark})" for note, mark in zip(often, ascii_lowercase, strict=False)}


def published_text(cell: ReportCell) -> str:
    """The published number as printed, with its spread, or marked as derived from printed ones."""
    published = cell.published
    if published is None:
        return "" if cell.text is None else "absent"
    if published.reading in ("missing", "illegible"):
        return published.reading
    if published.reading == "text":
        return published.text
    if published.reading == "nan":
        return f"diverged (printed {published.text})"
    spread = f" ± {published.spread_text}" if published.spread_text else ""
    return (published.text + spread).replace("-", "−") + (" (derived)" if published.derived else "")


def notes(table: ReportTable, caption: str, marked: bool = True) -> str:
    """The notes under a table: metric and direction, the table's own caption, what baselines mean, and one more.

    Args:
        marked: Whether what the marks in its cells mean is among them.
    """
    metric = table.metric[:1].upper() + table.metric[1:] or "Metric"
    direction = "" if table.direction == "neither" else f"; {table.direction} is better"
    better = f"{metric}{direction}." if table.direction else ""
    looks = {cell.verdict.look for cell in table.cells.values() if cell.verdict is not None}
    meanings = {"better baseline": WEAKENED, "worse baseline": STRENGTHENED}
    baselines = [meaning for look, meaning in meanings.items() if look in looks]
    shared = shared_notes(table) if marked else []
    return " ".join(filter(None, [better, *shared, sentence(table.caption), *baselines, sentence(caption)]))


def _notes(verdict: Verdict) -> list[str]:
    return verdict.note.split("; ") if verdict.note and verdict.compared else []


def sentence(text: str) -> str:
    """The text with a full stop unless it ends a sentence already; empty text stays empty."""
    text = text.strip()
    return text if not text or text[-1] in ".!?" else f"{text}."


def line_name(table: ReportTable, row: str, line: str) -> str:
    """The name before a line of a row: `ours`, `published` (`quoted` in a quoted row), `verdict`, or ``."""
    if line == "published" and row in table.quoted_rows:
        return "quoted"
    return "" if line == "extra" else line


def show(value: float, number_format: str) -> str:
    """A number with a true minus sign; in exponent form where fixed digits would be unreadable."""
    if not math.isfinite(value):
        return str(value).replace("-", "−")
    return format(value, number_format if abs(value) < 1e6 else ".3g").replace("-", "−")


def _lines(
    cell: ReportCell, number_format: str, published: str, marks: Mapping[str, str], is_shared: bool = False
) -> Lines:
    """The lines of a cell; a verdict that is shared by all cells is left out, its marks are not."""
    if cell.verdict is None:
        return Lines(_ours(cell, number_format) if cell.runs else "", published, "", "")
    ours = _ours(cell, number_format)
    if is_shared:
        return Lines(ours, published, "", "; ".join(_noted(cell.verdict, marks)))
    return Lines(ours, published, _verdict(cell.verdict), _extra(cell.verdict, marks))


def _ours(cell: ReportCell, number_format: str) -> str:
    if cell.text is not None:
        return cell.text or "absent"
    if not cell.runs:
        return "–"
    if math.isnan(cell.ours):
        return "diverged"
    mean = show(cell.ours, number_format)
    if math.isnan(cell.sd):
        return mean
    sd = show(cell.sd, number_format)
    if "e" in sd and "e" not in mean:  # digits that count are those of the mean
        sd = f"{cell.sd:.{len(mean.partition('.')[2])}f}"
    return f"{mean} ± {sd}"


def _verdict(verdict: Verdict) -> str:
    text = f"{LOOKS[verdict.kind].symbol} {verdict.kind}"
    sd = verdict.difference_in_sd
    if verdict.tested and not math.isnan(sd):
        rounded = round(sd, 1) + 0.0 if math.isfinite(sd) else sd  # no negative zero
        text += f", {show(rounded, '+.1f' if abs(sd) < 100 else '+.0f')} sd"
    return text


def _extra(verdict: Verdict, marks: Mapping[str, str]) -> str:
    parts = ["baseline"] if verdict.look != verdict.kind else []
    parts += ["reduced"] if verdict.reduced else []
    if verdict.alternative is not None:
        parts.append(f"if sem: {LOOKS[verdict.alternative].symbol} {verdict.alternative}")
    return "; ".join([*parts, *_noted(verdict, marks)])


def _noted(verdict: Verdict, marks: Mapping[str, str]) -> list[str]:
    """The parts of a verdict's note, those that have marks last, as these."""
    noted = _notes(verdict)
    marked = " ".join(marks[note] for note in noted if note in marks)
    return [*(note for note in noted if note not in marks), *([marked] if marked else [])]
