"""A panel for each benchmark that was run, with one legend and the others named in the caption."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import ceil

import pandas as pd
from matplotlib.axes import Axes

from core.report.figures import style
from core.report.figures.figure import Figure
from core.report.runs.trajectories import draw_incumbents
from core.report.verdicts.checks import NotRunError


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
    present = set(frame["benchmark"])
    run = [name for name in names if name in present]
    if not run:
        raise NotRunError(", ".join(names))
    columns = min(columns, len(run))
    rows = ceil(len(run) / columns)
    figure, panels = style.subplots(rows, columns, height=0.5 + 2.2 * rows, squeeze=False)
    drawn = []
    for number, (axes, name) in enumerate(zip(panels.flat, run)):
        axes.set_title(titles[name])
        drawn.append(draw(axes, name))
        if number % columns:
            axes.set_ylabel("")
    for axes in list(panels.flat)[len(run) :]:
        axes.set_axis_off()
    style.legend(figure, panels.flat, 5)
    missing = ", ".join(titles[name] for name in names if name not in present)
    data = pd.concat(drawn, ignore_index=True)
    return Figure(figure, f"{caption} Not run: {missing}." if missing else caption, data)


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
