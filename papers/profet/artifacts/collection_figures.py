"""What the collections recorded and what the meta-model makes of them: thesis Figs E.1, E.4 and E.5."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from core.experiment.results import Results
from core.report import Figure, Published, frame_of
from core.report.figures import style
from core.report.figures.panels import draw_panels
from core.report.statistics.distributions import ecdf

COLLECTIONS = {"svm": "SVM", "fcnet": "FC-Net", "bohamiann/xgboost_tables": "XGBoost"}
COLUMNS = 4  # of panels with samples
BOUND = 10.0  # of the logarithms of C and gamma, which the unit square stands for


def figE_1(results: Results, published: Published | None) -> Figure:
    """Empirical distribution functions of all observed values, one curve per data set."""
    figure, panels = style.subplots(1, 3, width=7.0, height=2.6)
    words = []

    def draw(axes: Axes, experiment: str) -> pd.DataFrame:
        frame, label, parts = frame_of(results, experiment), COLLECTIONS[experiment], []
        medians = frame.groupby("benchmark")["loss"].median().sort_values()
        colors = dict(zip(medians.index, style.sequential(len(medians)), strict=True))
        for name, rows in frame.groupby("benchmark"):
            values, share = ecdf(rows["loss"].to_numpy())
            axes.step(values, share, where="post", color=colors[name], linewidth=1)
            parts.append(pd.DataFrame({"collection": label, "task": name, "value": values}))
        axes.set(xlabel="error", ylim=(0, 1.02))
        if label == "XGBoost":
            axes.set(xlabel="root mean squared error", xscale="log")
        words.append(f"{label}: {frame['benchmark'].nunique()} data sets, {rows['number'].nunique()} configurations")
        return pd.concat(parts)

    data = draw_panels(panels, COLLECTIONS, draw)
    panels[0].set_ylabel("share of configurations")
    caption = (
        "Distribution of the values on the Sobol grid, one curve for each data set, darker the smaller its median. "
        f"{'; '.join(words)}. A jump is what many configurations have in common, such as predicting the most frequent "
        "class."
    )
    return Figure(figure, caption, data)


def figE_4(results: Results, published: Published | None) -> Figure:
    """Generated tasks of support vector machines with noise."""
    return _samples(results, "observed", "with noise")


def figE_5(results: Results, published: Published | None) -> Figure:
    """The same tasks without noise."""
    return _samples(results, "value", "without noise")


def _samples(results: Results, column: str, words: str) -> Figure:
    frame = frame_of(results, "svm_samples")
    tasks = sorted(frame["task"].unique())
    rows = -(-len(tasks) // COLUMNS)
    figure, panels = style.subplots(
        rows, COLUMNS, width=7.0, height=1.9 * rows, sharex=True, sharey=True, squeeze=False
    )
    for axes, task in zip(panels.flat, tasks, strict=False):
        table = frame[frame["task"] == task].pivot(index="x1", columns="x0", values=column)
        logarithms = (BOUND * (2 * np.asarray(axis, float) - 1) for axis in (table.columns, table.index))
        image = axes.pcolormesh(*logarithms, table.to_numpy(), cmap="viridis", vmin=0, vmax=1)
        axes.set_title(f"task {task + 1}")
        axes.grid(visible=False)
    for axes in panels.flat[len(tasks) :]:
        axes.set_axis_off()
    for axes in panels[-1]:
        axes.set_xlabel("ln C")
    for axes in panels[:, 0]:
        axes.set_ylabel("ln gamma")
    figure.colorbar(image, ax=panels, label="error", shrink=0.8)
    caption = f"Errors of {len(tasks)} tasks of support vector machines over the logarithms of C and gamma, {words}."
    return Figure(figure, caption, frame[["task", "x0", "x1", column]])
