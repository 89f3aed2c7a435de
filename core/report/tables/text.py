"""Tables as text: CSV (long form, every digit), Markdown, LaTeX (booktabs), and rich for the terminal."""

from __future__ import annotations

import csv
import io
import math
import re

from rich.markup import escape
from rich.table import Table as RichTable

from core.report.tables.table import ReportCell, ReportTable
from core.report.tables.wording import Lines, line_name, notes, row_lines, sentence
from core.report.verdicts.cells import Verdict
from core.report.verdicts.looks import LOOKS
from core.report.verdicts.published import PublishedCell

CSV_COLUMNS = (
    "row", "column", "ours", "sd", "runs", "failed", "published", "published_spread", "published_spread_kind",
    "published_runs", "verdict", "difference", "difference_in_sd", "low", "high", "verdict_if_sem", "reduced",
    "note", "source", "published_note",
)  # fmt: skip


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


def _csv_fields(cell: ReportCell) -> list[object]:
    published, verdict = cell.published or PublishedCell(math.nan), cell.verdict or Verdict("quoted")
    ours = [cell.ours if cell.text is None else cell.text, cell.sd, cell.runs, cell.failed]
    theirs = [published.text, published.spread_text, published.spread_kind, published.runs]
    numbers = [verdict.difference, verdict.difference_in_sd, verdict.low, verdict.high]
    rest = [verdict.alternative, verdict.reduced, verdict.note, published.source, published.note]
    return [*ours, *theirs, verdict.kind, *numbers, *rest]


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
