"""Figures of several panels, each of what one key stands for: what was not run is said in its panel, or in the caption.

`draw_panels` keeps a panel for what was not run, as figures do whose panels are the paper's. `benchmark_panels` has
panels for what was run alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import ceil
from typing import TypeVar

import pandas as pd
from matplotlib.axes import Axes

from core.report.figures import style
from core.report.figures.bands import draw_incumbents
from core.report.figures.figure import Figure, not_run_panel
from core.report.runs.frames import benchmarks_run
from core.report.verdicts.checks import NotRunError

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
