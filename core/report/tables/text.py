"""Tables as text: CSV (long form, every digit), Markdown, LaTeX (booktabs), and rich for the terminal.

All renderings say the same in each cell: our mean +- standard deviation over runs, the published number as printed,
and the verdict with a symbol, the difference in published standard deviations, and what qualifies it.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections import Counter
from collections.abc import Mapping
from string import ascii_lowercase
from typing import NamedTuple

from rich.markup import escape
from rich.table import Table as RichTable

from core.report.tables.table import ReportCell, ReportTable
from core.report.verdicts.cells import Verdict
from core.report.verdicts.looks import LOOKS
from core.report.verdicts.published import PublishedCell

CSV_COLUMNS = (
    "row", "column", "ours", "sd", "runs", "failed", "published", "published_spread", "published_spread_kind",
    "published_runs", "verdict", "difference", "difference_in_sd", "low", "high", "verdict_if_sem", "reduced",
    "note", "source", "published_note",
)  # fmt: skip

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


def to_csv(table: ReportTable) -> str:
    """One line per cell, all numbers with full precision."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(CSV_COLUMNS)
    for row in table.rows:
        for column in table.columns:
            writer.writerow([row, column, *_csv_fields(table.cells[row, column])])
    return stream.getvalue()


def to_markdown(table: ReportTable, caption: str = "") -> str:
    """A pipe table, lines within a cell separated by <br>."""
    table = table.shown
    header = [table.row_header, *map(table.column_label, table.columns)]
    lines = [f"**{_pipe(table.title)}**", ""] if table.title else []
    lines += [_pipe_row(map(_pipe, header)), _pipe_row([":--"] * len(header))]
    for row in table.rows:
        texts = row_lines(table, row)
        name = line_name(table, row, "published")
        fields = ["<br>".join(_pipe(part) for part in _labelled(text, name)) for text in texts]
        lines.append(_pipe_row([_pipe(table.row_label(row)), *fields]))
    if foot := notes(table, caption):
        lines += ["", _pipe(foot)]
    return "\n".join(lines) + "\n"


def to_tex(table: ReportTable, caption: str = "", name: str = "") -> str:
    """A LaTeX table (packages booktabs and amssymb), each row on lines `ours`, `published`, `verdict`."""
    table = table.shown
    lines = ["% needs \\usepackage{booktabs,amssymb}", "\\begin{table}", "\\centering", "\\small"]
    lines.append(f"\\begin{{tabular}}{{ll{'l' * len(table.columns)}}}\n\\toprule")
    header = [table.row_header, "", *map(table.column_label, table.columns)]
    lines.append(_tex_row(header) + "\n\\midrule")
    for position, row in enumerate(table.rows):
        texts = row_lines(table, row)
        label = table.row_label(row)
        for kind in Lines._fields:
            parts = [getattr(text, kind) for text in texts]
            if any(parts):
                lines.append(_tex_row([label, line_name(table, row, kind), *parts]))
                label = ""
        if position < len(table.rows) - 1:
            lines.append("\\addlinespace")
    lines.append("\\bottomrule\n\\end{tabular}")
    lines.append(f"\\caption{{{_tex(' '.join(filter(None, [sentence(table.title), notes(table, caption)])))}}}")
    if name:
        lines.append(f"\\label{{tab:{name}}}")
    return "\n".join([*lines, "\\end{table}"]) + "\n"


def to_rst(text: str) -> str:
    """A paragraph of reStructuredText, for Snakemake's report, which reads it as a template first."""
    return re.sub(r"([\\*_`|])", r"\\\1", text).replace("{", "{{'{'}}") + "\n"


def to_rich(table: ReportTable, caption: str = "") -> RichTable:
    """The table for a terminal, in short lines so that it still reads at 80 columns."""
    table = table.shown
    rich = RichTable(title=escape(table.title), caption=escape(notes(table, caption)), show_lines=True)
    rich.title_justify = rich.caption_justify = "left"
    rich.add_column(escape(table.row_header))
    for column in table.columns:
        rich.add_column(escape(table.column_label(column)), overflow="fold")
    for row in table.rows:
        fields, name = [], line_name(table, row, "published")
        for column, text in zip(table.columns, row_lines(table, row), strict=True):
            cell = table.cells[row, column]
            look = LOOKS[cell.verdict.look if cell.verdict is not None else "quoted"].terminal
            published = f"{name} {text.published}" if text.published else ""
            parts = [f"[bold]{escape(text.ours)}[/]" if text.ours else "", escape(published)]
            judged = [*text.verdict.split(", "), *text.extra.split("; ")]
            parts += [f"[{look}]{escape(part)}[/]" for part in judged if part]
            fields.append("\n".join(filter(None, parts)).replace(" ± ", "±"))
        rich.add_row(escape(table.row_label(row)), *fields)
    return rich


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


def _csv_fields(cell: ReportCell) -> list[object]:
    published, verdict = cell.published or PublishedCell(math.nan), cell.verdict or Verdict("quoted")
    ours = [cell.ours if cell.text is None else cell.text, cell.sd, cell.runs, cell.failed]
    theirs = [published.text, published.spread_text, published.spread_kind, published.runs]
    numbers = [verdict.difference, verdict.difference_in_sd, verdict.low, verdict.high]
    rest = [verdict.alternative, verdict.reduced, verdict.note, published.source, published.note]
    return [*ours, *theirs, verdict.kind, *numbers, *rest]


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


def _labelled(text: Lines, name: str) -> list[str]:
    published = f"{name} {text.published}" if text.published else ""
    return [part for part in (text.ours, published, text.verdict, text.extra) if part]


def _pipe(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ").replace("<", "&lt;")


def _pipe_row(fields) -> str:
    return f"| {' | '.join(fields)} |"


def _tex_row(fields: list[str]) -> str:
    return " & ".join(map(_tex, fields)) + " \\\\"


TEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "−": "$-$", "±": r"$\pm$", "✓": r"$\checkmark$",
    "▲": r"$\blacktriangle$", "▼": r"$\blacktriangledown$", "≠": r"$\neq$", "=": "$=$", "○": r"$\circ$", "–": "--",
    "≡": r"$\equiv$", "<": "$<$", ">": "$>$",
}  # fmt: skip


def _tex(text: str) -> str:
    return "".join(TEX.get(character, character) for character in text)
