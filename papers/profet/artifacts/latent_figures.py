"""Latent vectors of tasks: thesis Fig 8.3."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Ellipse

from core.experiment.results import Results
from core.report import Figure, NotRunError, Published, frame_of
from core.report.figures import style
from core.report.figures.data_sets import data_set_name
from core.report.figures.figure import not_run_panel
from core.report.runs.frames import count_runs

MARKERS = ("o", "s")
PALETTE = (
    *style.SPARE,
    *(style.BLUE, style.ORANGE, style.GREEN, style.VERMILION, style.SKY, style.PURPLE, style.BLACK, style.YELLOW),
)
"""Colors of tasks, as many as can be told apart."""
DEVIATIONS = 4.0  # of the ellipses


def fig8_3(results: Results, published: Published | None) -> Figure:
    """Two halves of each data set (left), and subsets of one of several sizes (right)."""
    figure, panels = style.subplots(1, 2, width=7.0, height=3.2)
    parts, words = [], []
    for axes, draw in zip(panels, (_draw_halves, _draw_fractions), strict=True):
        try:
            data, said = draw(results, axes)
        except NotRunError:
            not_run_panel(axes)
            continue
        parts.append(data)
        words.append(said)
    if not parts:
        raise NotRunError("latent_halves")
    style.legend(figure, panels[:1], 6)
    caption = f"Means of latent vectors in their two most varied dimensions. {' '.join(words)}"
    return Figure(figure, caption, pd.concat(parts, ignore_index=True))


def vectors(frame: pd.DataFrame) -> tuple[list[str], np.ndarray]:
    """Names of the tasks of one run and the means of their latent vectors, (T, Q)."""
    table = frame.pivot(index="task", columns="dimension", values="mean")
    return list(table.index), table.to_numpy()


def draw_ellipses(
    axes: Axes, frame: pd.DataFrame, colors: Mapping[str, str], names: tuple[str, str], deviations: float = DEVIATIONS
) -> None:
    """Means and ellipses of the first two dimensions of one run's tasks; a color's next use has the other marker."""
    used: dict[str, int] = {}
    for task, rows in frame.groupby("task", sort=False):
        by = rows.set_index("dimension")
        center, extent = by["mean"], by["deviation"] * 2 * deviations
        color = colors[task]
        marker = MARKERS[used.get(color, 0) % len(MARKERS)]
        used[color] = used.get(color, 0) + 1
        axes.plot(center[0], center[1], marker, color=color, markersize=5)
        axes.add_patch(Ellipse((center[0], center[1]), extent[0], extent[1], color=color, alpha=0.25, linewidth=0))
    axes.set(xlabel=f"$h_{names[0]}$", ylabel=f"$h_{names[1]}$")


def _draw_halves(results: Results, axes: Axes) -> tuple[pd.DataFrame, str]:
    frame = frame_of(results, "latent_halves")
    sets = sorted({task.partition("/")[0] for task in frame["task"]})
    palette = dict(zip(sets, np.resize(PALETTE, len(sets)), strict=True))
    first = frame[frame["run"] == frame["run"].min()]
    for name in sets:
        axes.plot([], [], "o", color=palette[name], label=data_set_name(name), markersize=4)
    draw_ellipses(axes, first, {task: palette[task.partition("/")[0]] for task in first["task"]}, ("0", "1"))
    axes.set(title="halves of data sets")
    said = f"Left: {len(sets)} data sets, split into two halves of the same color; ellipses are {DEVIATIONS:g} sd."
    return first.assign(panel="halves"), said


def _draw_fractions(results: Results, axes: Axes) -> tuple[pd.DataFrame, str]:
    frame = frame_of(results, "latent_fractions")
    first = frame[frame["run"] == frame["run"].min()]
    shares = sorted(map(float, first["task"].unique()))
    shade = {f"{share:.12g}": color for share, color in zip(shares, style.sequential(len(shares)), strict=True)}
    for share, color in zip(shares, shade.values(), strict=True):
        text = "1" if share == 1 else f"1/{1 / share:.0f}"
        axes.plot([], [], "o", color=color, label=text, markersize=4)
    draw_ellipses(axes, first, shade, ("0", "1"))
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), fontsize=6.5, handletextpad=0.2)
    axes.set(title="subsets of MNIST")
    said = f"Right: support vector machines on shares of the data, one of {count_runs(frame)}."
    return first.assign(panel="fractions"), said
