"""Tables as text: CSV (long form, every digit), Markdown, LaTeX (booktabs), and rich for the terminal.

Names and captions are text and nothing else in each of them, whatever characters they have: no markup, links, columns
or commands of a terminal. CSV keeps them as they are, so a name that begins with `=` is a formula to a spreadsheet.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterable

from rich.markup import escape
from rich.table import Table as RichTable

from core.report.style import LOOKS
from core.report.tables.table import Lines, ReportCell, ReportTable, line_name, notes, row_lines, sentence
from core.report.verdicts.cells import Verdict
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
        lines += ["", _paragraph(foot)]
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
    rich = RichTable(title=_shown(table.title), caption=_shown(notes(table, caption)), show_lines=True)
    rich.title_justify = rich.caption_justify = "left"
    rich.add_column(_shown(table.row_header))
    for column in table.columns:
        rich.add_column(_shown(table.column_label(column)), overflow="fold")
    for row in table.rows:
        fields, name = [], line_name(table, row, "published")
        for column, text in zip(table.columns, row_lines(table, row), strict=True):
            cell = table.cells[row, column]
            look = LOOKS[cell.verdict.look if cell.verdict is not None else "quoted"].terminal
            published = f"{name} {text.published}" if text.published else ""
            parts = [f"[bold]{_shown(text.ours)}[/]" if text.ours else "", _shown(published)]
            judged = [*text.verdict.split(", "), *text.extra.split("; ")]
            parts += [f"[{look}]{_shown(part)}[/]" for part in judged if part]
            fields.append("\n".join(filter(None, parts)).replace(" ± ", "±"))
        rich.add_row(_shown(table.row_label(row)), *fields)
    return rich


def _shown(text: str) -> str:
    """The text for rich, which keeps control characters as they are."""
    return escape(_in_one_line(text))


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


# What CommonMark and GitHub's tables read as markup: always, or where it stands as in emphasis or an entity.
_MARKUP = re.compile(r"[\\|`~]|\*(?! )|(?<! )\*|(?<![^\W_])_|_(?![^\W_])|<|&(?=#?\w+;)")
_LINKS = re.compile(r"!\[|\[\^|\][\[(:]")
_BLOCK = re.compile(r"[#>=+-]|\*|\d+(?=[.)])")
_REFERENCES = {"<": "&lt;", "&": "&amp;"}


def _pipe(text: str) -> str:
    """The text in a cell of a Markdown table. Brackets stay as they are unless they are those of links."""
    linked = _LINKS.search(text) is not None
    text = _MARKUP.sub(lambda mark: _REFERENCES.get(mark[0], f"\\{mark[0]}"), _in_one_line(text))
    return re.sub(r"([\[\]])", r"\\\1", text) if linked else text


def _paragraph(text: str) -> str:
    """The text as a paragraph of its own, which does not begin a list, heading or quotation."""
    text = _pipe(text)
    begin = _BLOCK.match(text)
    if begin is None:
        return text
    place = begin.end() if begin[0].isdigit() else 0
    return f"{text[:place]}\\{text[place:]}"


def _pipe_row(fields: Iterable[str]) -> str:
    return f"| {' | '.join(fields)} |"


def _in_one_line(text: str) -> str:
    """The text without breaks of lines and other control characters, which terminals obey."""
    return "".join(character if character.isprintable() else " " for character in text).strip()


def _tex_row(fields: list[str]) -> str:
    """A row; the one above it ends with a command that takes a star or brackets for its own."""
    row = " & ".join(map(_tex, fields))
    return ("{}" if row.startswith(("[", "*")) else "") + row + " \\\\"


TEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "−": "$-$", "±": r"$\pm$", "✓": r"$\checkmark$",
    "▲": r"$\blacktriangle$", "▼": r"$\blacktriangledown$", "≠": r"$\neq$", "=": "$=$", "○": r"$\circ$", "–": "--",
    "≡": r"$\equiv$", "<": "$<$", ">": "$>$",
}  # fmt: skip


def _tex(text: str) -> str:
    return "".join(TEX.get(character, character) for character in _in_one_line(text))
