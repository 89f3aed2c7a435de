"""Tables as images: each cell shows ours, published and verdict on lines of their own, on the verdict's tint.

Everything is laid out in points, y downwards, from measured text widths; the caller's style context must be active.
Widths are those of text as matplotlib draws it in that style.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from matplotlib.axes import Axes
from matplotlib.backend_bases import RendererBase
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure as MatplotlibFigure
from matplotlib.patches import Rectangle

from core.report.style import GREY, INK, LOOKS, Keywords
from core.report.tables.table import Lines, ReportCell, ReportTable, line_name, notes, row_lines, shared_notes

MARGIN, PAD, GAP, BAR = 9.0, 8.0, 2.0, 2.6  # page margin, text padding, space between cells, width of the accent bar
NARROWEST = 330.0  # a caption needs some width even under a small table
SIZES = {"ours": 9.0, "published": 8.0, "verdict": 7.6, "extra": 6.8}
HEIGHTS = {"ours": 12.0, "published": 11.0, "verdict": 11.0, "extra": 9.5}
TITLE, HEADER, CAPTION = 11.0, 9.0, 7.6
CAPTION_LINES = 2


@dataclass(frozen=True)
class _Layout:
    """Points: widths of the label columns and of each data column, and the lines that occur in each row."""

    label: float
    kind: float
    columns: tuple[float, ...]
    lines: dict[str, tuple[str, ...]]

    @property
    def width(self) -> float:
        return max(NARROWEST, self.label + self.kind + sum(self.columns))

    def height(self, row: str) -> float:
        return sum(HEIGHTS[line] for line in self.lines[row]) + PAD


def table_figure(table: ReportTable, last: str = "") -> MatplotlibFigure:
    """The table as a matplotlib figure, with two lines below it: its first notes and the `last` sentence."""
    table, ruler = table.shown, shared_ruler()
    texts = {(r, c): text for r in table.rows for c, text in zip(table.columns, row_lines(table, r), strict=True)}
    layout = _measure(table, texts, ruler)
    title = ruler.wrap(table.title, layout.width, TITLE, "bold")
    foot = ruler.fit(notes(table, "", marked=False), last, CAPTION_LINES, layout.width, CAPTION)
    legend = ruler.wrap(_legend(table), layout.width, CAPTION)
    legend += [line for note in shared_notes(table) for line in ruler.wrap(note, layout.width, CAPTION)]
    body = sum(layout.height(row) for row in table.rows) or 30.0
    head = len(title) * 15.0 + 6.0
    height = 2 * MARGIN + head + 20.0 + body + 8.0 + 10.5 * (len(legend) + len(foot)) + 4.0
    figure, axes = _canvas(layout.width + 2 * MARGIN, height)
    y = MARGIN
    for line in title:
        _text(axes, MARGIN, y + 7.5, line, TITLE, weight="bold")
        y += 15.0
    y = _header(axes, table, layout, y + 6.0)
    for row in table.rows:
        y = _row(axes, table, row, texts, layout, y)
    if not table.rows:
        _text(axes, MARGIN + PAD, y + 15.0, f"{LOOKS['not run'].symbol} not run", SIZES["ours"], GREY)
        y += 30.0
    _rule(axes, layout, y, 1.1)
    y += 13.0
    for color, lines in ((GREY, legend), (INK, foot)):
        for line in lines:
            _text(axes, MARGIN, y, line, CAPTION, color)
            y += 10.5
        y += 3.0
    return figure


def _measure(table: ReportTable, texts: dict[tuple[str, str], Lines], ruler: Ruler) -> _Layout:
    label = max([ruler(table.row_header, HEADER, "bold"), *(ruler(table.row_label(r), HEADER) for r in table.rows)])
    kind = max(ruler(name, CAPTION) for name in ("ours", "published", "verdict"))
    columns = []
    for column in table.columns:
        widths = [ruler(table.column_label(column), HEADER, "bold")]
        for row in table.rows:
            parts = zip(Lines._fields, texts[row, column], strict=True)
            widths += [ruler(text, SIZES[line], _weight(line)) for line, text in parts if text]
        columns.append(max(widths) + 2 * PAD + GAP)
    spare = NARROWEST - (label + kind + 2 * PAD + sum(columns))
    columns = [width + max(0.0, spare / len(columns)) for width in columns]
    lines = {
        row: tuple(line for line in Lines._fields if any(getattr(texts[row, c], line) for c in table.columns))
        for row in table.rows
    }
    return _Layout(label + PAD, kind + PAD, tuple(columns), lines)


def _header(axes: Axes, table: ReportTable, layout: _Layout, y: float) -> float:
    _rule(axes, layout, y, 1.1)
    _text(axes, MARGIN, y + 10.0, table.row_header, HEADER, weight="bold")
    x = MARGIN + layout.label + layout.kind
    for column, width in zip(table.columns, layout.columns, strict=True):
        _text(axes, x + PAD, y + 10.0, table.column_label(column), HEADER, weight="bold")
        x += width
    _rule(axes, layout, y + 20.0, 0.6)
    return y + 20.0


def _row(
    axes: Axes, table: ReportTable, row: str, texts: dict[tuple[str, str], Lines], layout: _Layout, y: float
) -> float:
    height = layout.height(row)
    above = table.rows[max(0, table.rows.index(row) - 1)]
    if row in table.quoted_rows and above not in table.quoted_rows:
        _rule(axes, layout, y, 0.4)
    first = y + PAD / 2 + HEIGHTS[layout.lines[row][0]] / 2 if layout.lines[row] else y + height / 2
    _text(axes, MARGIN, first, table.row_label(row), HEADER)
    for line, middle in _line_positions(layout.lines[row], y):
        _text(axes, MARGIN + layout.label, middle, line_name(table, row, line), CAPTION, GREY)
    x = MARGIN + layout.label + layout.kind
    for column, width in zip(table.columns, layout.columns, strict=True):
        _cell(axes, table.cells[row, column], texts[row, column], layout.lines[row], (x, y, width, height))
        x += width
    return y + height


def _cell(
    axes: Axes, cell: ReportCell, text: Lines, lines: tuple[str, ...], box: tuple[float, float, float, float]
) -> None:
    x, y, width, height = box
    look = LOOKS[cell.verdict.look if cell.verdict is not None else "quoted"]
    inner = (width - GAP, height - GAP)
    if cell.verdict is not None:
        axes.add_patch(Rectangle((x, y + GAP / 2), *inner, facecolor=look.tint, edgecolor="none"))
        axes.add_patch(Rectangle((x, y + GAP / 2), BAR, inner[1], facecolor=look.accent, edgecolor="none"))
    for line, middle in _line_positions(lines, y):
        color = {"ours": INK, "published": GREY}.get(line, look.accent)
        _text(axes, x + PAD, middle, getattr(text, line), SIZES[line], color, _weight(line))


def _line_positions(lines: tuple[str, ...], y: float) -> Iterator[tuple[str, float]]:
    y += PAD / 2
    for line in lines:
        yield line, y + HEIGHTS[line] / 2
        y += HEIGHTS[line]


def _legend(table: ReportTable) -> str:
    """What each line of a cell shows, and the symbols that occur."""
    ours = [cell for cell in table.cells.values() if cell.runs or (cell.text is not None and cell.verdict is not None)]
    if not ours:
        return ""
    if all(cell.text is not None for cell in ours):
        return "Ours; below it what is published where it differs."
    text = "Mean ± standard deviation over our runs; below it the published number as printed"
    if any(verdict.tested for verdict in table.verdicts):
        text += "; sd: difference (ours minus published) in published standard deviations"
    if any(cell.published is not None and cell.published.derived for cell in table.cells.values()):
        text += "; derived: not printed, but follows from printed numbers"
    return text + "."


def _canvas(width: float, height: float) -> tuple[MatplotlibFigure, Axes]:
    figure = MatplotlibFigure(figsize=(width / 72, height / 72))
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(0, width), ylim=(height, 0))
    axes.set_axis_off()
    return figure, axes


def _weight(line: str) -> str:
    return "bold" if line == "ours" else "normal"


def _rule(axes: Axes, layout: _Layout, y: float, thickness: float) -> None:
    axes.plot([MARGIN, MARGIN + layout.width], [y, y], color=INK, linewidth=thickness, solid_capstyle="butt")


def _text(axes: Axes, x: float, y: float, text: str, size: float, color: str = INK, weight: str = "normal") -> None:
    if text:
        look: Keywords = {"fontsize": size, "color": color, "fontweight": weight}
        axes.text(x, y, literal(text), va="center_baseline", ha="left", **look)


SENTENCES = re.compile(r"(?<=[.!?]) (?=[A-Z])")
SLACK = 0.04  # words and spaces add up to the width of a line except for kerning and rounding, which are far smaller


class Ruler:
    """Measures text in points, at ten times the resolution so that hinting does not round widths.

    It remembers what it has measured; `shared_ruler` gives the one of the process.
    """

    def __init__(self) -> None:
        self._figure = MatplotlibFigure(figsize=(1, 1), dpi=720)
        self._renderer: RendererBase = FigureCanvasAgg(self._figure).get_renderer()
        self._artist = self._figure.text(0, 0, "")
        self._widths: dict[tuple[str, float, str], float] = {}

    def __call__(self, text: str, size: float, weight: str = "normal") -> float:
        if not text:
            return 0.0
        known = (text, size, weight)
        if known not in self._widths:
            self._artist.set(text=literal(text), fontsize=size, fontweight=weight)
            self._widths[known] = self._artist.get_window_extent(self._renderer).width / 10
        return self._widths[known]

    def wrap(self, text: str, width: float, size: float, weight: str = "normal") -> list[str]:
        """Lines of at most `width` points, broken at spaces. A line is measured only if it may not fit."""
        space = self("x x", size, weight) - 2 * self("x", size, weight)
        lines: list[str] = []
        length = 0.0  # width of the last line, its words and spaces added up
        for word in text.split():
            own = self(word, size, weight)
            longer = f"{lines[-1]} {word}" if lines else word
            sure = abs(length + space + own - width) > SLACK * width
            if lines and (length + space + own <= width if sure else self(longer, size, weight) <= width):
                lines[-1], length = longer, length + space + own
            else:
                lines.append(word)
                length = own
        return lines

    def fit(self, text: str, last: str, count: int, width: float, size: float) -> list[str]:
        """The text, as far as its whole sentences fit into `count` lines that end with `last`; at least its first."""
        sentences = SENTENCES.split(text)
        for kept in range(len(sentences), 1, -1):
            lines = self.wrap(" ".join([*sentences[:kept], last]), width, size)
            if len(lines) <= count:
                return lines
        return self.wrap(f"{sentences[0]} {last}", width, size)


@cache
def shared_ruler() -> Ruler:
    """The one ruler of the process: captions have most of their words in common."""
    return Ruler()


def literal(text: str) -> str:
    """Text without mathematics: a dollar sign means a dollar sign."""
    return text.replace("$", r"\$")
