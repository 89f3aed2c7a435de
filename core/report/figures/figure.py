"""Figure: a matplotlib figure with its caption and, where it helps a reader, the data it plots."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as MatplotlibFigure

from core.report.figures import style
from core.report.tables.table import ReportTable
from core.report.tables.width import literal, shared_ruler

CAPTION_SIZE, LEADING = 7.6, 10.5  # points: of the letters of a caption, and from line to line
CAPTION_LINES = 2


@dataclass(frozen=True)
class Figure:
    """What a figure function returns; `data` is written beside it as CSV.

    table: Numbers that were published with the figure, beside ours with their verdicts, for the page.
    absent: Whether its runs are missing, so that nothing is drawn.
    """

    figure: MatplotlibFigure
    caption: str = ""
    data: pd.DataFrame | None = None
    table: ReportTable | None = None
    absent: bool = False


def add_caption(figure: MatplotlibFigure, caption: str, last: str = "") -> MatplotlibFigure:
    """Set a caption of two lines below a figure, as wide as that; saving with a tight box makes room for it.

    Sentences that do not fit are left out before the `last` one: the sidecar and the page have them all. Legends of the
    whole figure belong above it ("outside upper center"): below, they would overlap the caption.
    """
    width, height = figure.get_size_inches()
    look = {"fontsize": CAPTION_SIZE, "va": "top", "ha": "left"}
    lines = shared_ruler().fit(caption, last, CAPTION_LINES, 72 * width - 8, CAPTION_SIZE) if caption else []
    for number, line in enumerate(lines):
        # Each line is a text of its own: of several lines in one, matplotlib forgets what `render` sets.
        figure.text(0.06 / width, -(0.1 + number * LEADING / 72) / height, literal(line), **look)
    return figure


def not_run_panel(axes: Axes) -> None:
    """Write "not run" in an empty panel, which keeps its title."""
    axes.set_axis_off()
    axes.text(0.5, 0.5, "not run", transform=axes.transAxes, ha="center", color=style.GREY)


def placeholder(title: str, reason: str = "not run") -> Figure:
    """What is drawn for a figure whose runs are missing."""
    figure, axes = style.subplots(height=1.6)
    axes.set_axis_off()
    axes.set_title(title)
    look = {"fontsize": 11, "color": style.GREY, "ha": "center", "va": "center"}
    axes.text(0.5, 0.5, f"○ {reason}", transform=axes.transAxes, **look)
    return Figure(figure, absent=True)
