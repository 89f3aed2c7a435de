"""A figure with its caption and data, its panels, and published numbers as marks in it.

**Panels**: what was not run is said in its panel, or in the caption. `draw_panels` keeps a panel for what was not run,
as figures do whose panels are the paper's. `benchmark_panels` has panels for what was run alone.

**Marks** of published numbers are open, in the colour of the curve that they belong to. Where a paper prints both
coordinates of a point, or a time to a level, the mark is a diamond in its place. A number alone has a triangle that
points to it at the end of its axis: an end value at the right, a time or a count above. Curves that authors published
are drawn dashed instead, see `core.report.verdicts.published`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import TypeVar

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as MatplotlibFigure

from core.report import style
from core.report.figures.curves import draw_incumbents
from core.report.runs.frames import NotRunError, benchmarks_run
from core.report.tables.image import CAPTION_LINES, literal, shared_ruler
from core.report.tables.table import ReportTable

CAPTION_SIZE, LEADING = 7.6, 10.5  # points: of the letters of a caption, and from line to line


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
    look: style.Keywords = {"fontsize": CAPTION_SIZE, "va": "top", "ha": "left"}
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
    look: style.Keywords = {"fontsize": 11, "color": style.GREY, "ha": "center", "va": "center"}
    axes.text(0.5, 0.5, f"○ {reason}", transform=axes.transAxes, **look)
    return Figure(figure, absent=True)


Key = TypeVar("Key")


def draw_panels(
    panels: Iterable[Axes], titles: Mapping[Key, str], draw: Callable[[Axes, Key], pd.DataFrame]
) -> pd.DataFrame:
    """Draw a panel for each key under its title; what was not run says so, and further panels stay empty.

    Args:
        panels: Axes, at least as many as there are titles.
        titles: Titles of the panels in their order.
        draw: Function that draws what a key stands for and returns what was drawn; NotRunError if it was not run.

    Returns:
        What was drawn, one panel below the other.

    Raises:
        NotRunError: nothing was run.
    """
    drawn, missing, remaining = [], None, iter(panels)
    for (key, title), axes in zip(titles.items(), remaining):
        axes.set_title(title)
        try:
            drawn.append(draw(axes, key))
        except NotRunError as error:
            missing = missing or error
            not_run_panel(axes)
    for axes in remaining:
        axes.set_axis_off()
    if missing and not drawn:
        raise missing
    return pd.concat(drawn, ignore_index=True)


def not_run_words(titles: Iterable[str]) -> str:
    """The sentence, after a space, with which a caption names what was not run; empty if there is nothing."""
    return f" Not run: {missing}." if (missing := ", ".join(titles)) else ""


def benchmark_panels(
    frame: pd.DataFrame,
    titles: Mapping[str, str],
    names: Sequence[str],
    columns: int,
    draw: Callable[[Axes, str], pd.DataFrame],
    caption: str,
) -> Figure:
    """Draw the benchmarks `names` that are in the frame.

    Args:
        titles: Titles of the benchmarks.
        columns: Largest number of panels side by side.
        draw: Function that draws a benchmark into a panel and returns what was drawn.
        caption: Caption to which the benchmarks that were not run are added.

    Raises:
        NotRunError: none was run.
    """
    run = [name for name in names if name in benchmarks_run(frame)]
    if not run:
        raise NotRunError(", ".join(names))
    columns = min(columns, len(run))
    rows = ceil(len(run) / columns)
    figure, panels = style.subplots(rows, columns, height=0.5 + 2.2 * rows, squeeze=False)
    data = draw_panels(panels.flat, {name: titles[name] for name in run}, draw)
    for axes in panels[:, 1:].flat:
        axes.set_ylabel("")
    style.legend(figure, panels.flat, 5)
    return Figure(figure, caption + not_run_words(titles[name] for name in names if name not in run), data)


def tuning_panels(
    frame: pd.DataFrame, titles: Mapping[str, str], names: Sequence[str], methods: Sequence[str], caption: str
) -> Figure:
    """The validation RMSE of the incumbents on regression sets, three side by side; otherwise as `benchmark_panels`."""

    def draw(axes: Axes, name: str) -> pd.DataFrame:
        axes.set_yscale("log")
        drawn = draw_incumbents(axes, frame, "loss", name, methods)
        axes.set_ylabel("validation RMSE")
        return drawn

    return benchmark_panels(frame, titles, names, 3, draw, caption)


LABEL = "published"
OPEN: style.Keywords = {"linestyle": "none", "markerfacecolor": "white", "markeredgewidth": 1.2}
POINT, AT_THE_RIGHT, ABOVE = "D", "<", "v"


def mark_published(
    axes: Axes, x: float | None = None, y: float | None = None, color: str = style.INK, label: str = LABEL
) -> None:
    """Mark a published point, or the place of a published number on one axis.

    The legend has the label once, in ink, however many marks there are.

    Args:
        x, y: Coordinates in data units; at least one of them.

    Raises:
        ValueError: neither coordinate is given.
    """
    if x is None and y is None:
        raise ValueError("a published mark has x, y or both")
    marker = AT_THE_RIGHT if x is None else ABOVE if y is None else POINT
    if label not in axes.get_legend_handles_labels()[1]:
        axes.plot([], [], marker=marker, markeredgecolor=style.INK, label=label, **OPEN)
    place: style.Keywords = {} if x is not None and y is not None else {"clip_on": False}
    if x is None:
        place["transform"] = axes.get_yaxis_transform()
    elif y is None:
        place["transform"] = axes.get_xaxis_transform()
    where = [1.0 if x is None else x], [1.0 if y is None else y]
    axes.plot(*where, marker=marker, markeredgecolor=color, zorder=6, **OPEN, **place)
