"""Tasks: what the collections recorded, latent vectors, and what meta-models generate (Figs 8.3, E.1, E.3 to E.5)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Ellipse

from core.experiment.results import Results
from core.objectives.forrester_function import LARGEST, forrester, random_parameters
from core.report import Figure, NotRunError, Published, cell_rows, frame_of, style
from core.report.figures.figure import draw_panels, not_run_panel
from core.report.runs.frames import count_runs
from core.report.statistics.intervals import ecdf
from core.report.style import data_set_name

COLLECTIONS = {"svm": "SVM", "fcnet": "FC-Net", "bohamiann/xgboost_tables": "XGBoost"}
COLUMNS = 4  # of panels with samples
BOUND = 10.0  # of the logarithms of C and gamma, which the unit square stands for
MARKERS = ("o", "s")
PALETTE = (
    *style.SPARE,
    *(style.BLUE, style.ORANGE, style.GREEN, style.VERMILION, style.SKY, style.PURPLE, style.BLACK, style.YELLOW),
)
"""Colors of tasks, as many as can be told apart."""
DEVIATIONS = 4.0  # of the ellipses
CLASSES = {"svm": "SVM", "fcnet": "FC-Net", "xgboost": "XGBoost", "forrester": "Forrester"}
QUANTITIES = {"value": ("values", style.BLUE, 0.14), "seconds": ("seconds", style.ORANGE, -0.14)}
"""Label, color and height above its line of each quantity that generated tasks are compared by."""
SMALLEST = 1e-4  # share that is drawn


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


def svm_samples(
    results: Results, published: Published | None, column: Literal["observed", "value"], words: str
) -> Figure:
    """Thesis Figs E.4 and E.5: generated tasks of support vector machines, with noise and without."""
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


def _draw_ellipses(axes: Axes, frame: pd.DataFrame, colors: Mapping[str, str], deviations: float = DEVIATIONS) -> None:
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
    axes.set(xlabel="$h_0$", ylabel="$h_1$")


def _draw_halves(results: Results, axes: Axes) -> tuple[pd.DataFrame, str]:
    frame = frame_of(results, "latent_halves")
    sets = sorted({task.partition("/")[0] for task in frame["task"]})
    palette = dict(zip(sets, np.resize(PALETTE, len(sets)), strict=True))
    first = frame[frame["run"] == frame["run"].min()]
    for name in sets:
        axes.plot([], [], "o", color=palette[name], label=data_set_name(name), markersize=4)
    _draw_ellipses(axes, first, {task: palette[task.partition("/")[0]] for task in first["task"]})
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
    _draw_ellipses(axes, first, shade)
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), fontsize=6.5, handletextpad=0.2)
    axes.set(title="subsets of MNIST")
    said = f"Right: support vector machines on shares of the data, one of {count_runs(frame)}."
    return first.assign(panel="fractions"), said


def figE_3(results: Results, published: Published | None) -> Figure:
    """Nine real tasks, their latent vectors, and generated tasks."""
    figure, panels = style.subplots(1, 3, width=7.0, height=2.5)
    latent, drawn = frame_of(results, "meta_forrester"), frame_of(results, "forrester_samples")
    tasks = sorted(latent["task"].unique(), key=int)
    x, colors = np.linspace(0, 1, 201), np.resize(PALETTE, len(tasks))
    for color, (a, b) in zip(colors, random_parameters(len(tasks)), strict=True):
        panels[0].plot(x, forrester(x, a, b), color=color)
    _draw_ellipses(panels[1], latent, dict(zip(tasks, colors, strict=True)), 2.0)
    for _, rows in drawn.groupby("task"):
        panels[2].plot(rows["x0"], rows["value"], "--", color=style.GREY, linewidth=1)
    panels[0].set(xlabel="x", ylabel="f(x)", title="real tasks")
    panels[1].set(title="latent vectors")
    panels[2].set(xlabel="x", ylabel="f(x)", title="generated tasks", ylim=panels[0].get_ylim())
    caption = (
        f"Left: {len(tasks)} Forrester functions (a x - 2)^2 sin(b x - 4), a up to {LARGEST[0]:g} and b up to "
        f"{LARGEST[1]:g}. Middle: means of their latent vectors with two standard deviations, in the same colors. "
        f"Right: {drawn['task'].nunique()} functions that the meta-model generates from these."
    )
    return Figure(figure, caption, drawn)


def resemblance(results: Results, published: Published | None) -> Figure:
    """The share of each real task's variance that a generated task leaves over, and that of the modelled noise."""
    frame = frame_of(results, "resemblance")
    words: list[str] = []

    def draw(axes: Axes, name: str) -> pd.DataFrame:
        rows = cell_rows(frame, name, "profet")
        words.append(f"{CLASSES[name]} {_explained(rows)}")
        return _draw_class(axes, rows).assign(collection=CLASSES[name])

    figure, panels = style.subplots(1, len(CLASSES), width=7.4, height=3.6)
    data = draw_panels(panels, CLASSES, draw)
    style.legend(figure, panels, 4)
    caption = (
        "Each real task and tasks that are generated from its own q(h_t): mean squared difference at the points where "
        "the real one is known, divided by the variance of its values there, median over "
        f"{frame['run'].nunique()} draws. Lines are the middle half of the draws, ticks the variance of the modelled "
        "noise. On the dashed line a generated task is as far away as the real one's mean. Errors and Forrester's "
        "values are compared as they are, the rest by logarithms. Share explained of all tasks together, of values and "
        f"of seconds: {'; '.join(words)}."
    )
    return Figure(figure, caption, data)


def _draw_class(axes: Axes, rows: pd.DataFrame) -> pd.DataFrame:
    rows = rows.assign(left=rows["squared_error"] / rows["variance"], noise=rows["noise"] / rows["variance"])
    order = rows[rows["quantity"] == "value"].groupby("task")["left"].median().sort_values(ascending=False).index
    parts = []
    for quantity, (label, color, above) in QUANTITIES.items():
        grouped = rows[rows["quantity"] == quantity].groupby("task")
        if not len(grouped):
            continue
        low, median, high = (grouped["left"].quantile(share).reindex(order) for share in (0.25, 0.5, 0.75))
        noise, places = grouped["noise"].median().reindex(order), np.arange(len(order)) + above
        axes.hlines(places, low.clip(SMALLEST), high.clip(SMALLEST), color=color, linewidth=1.5)
        axes.plot(median.clip(SMALLEST), places, "o", color=color, markersize=3, label=label)
        axes.plot(noise.clip(SMALLEST), places, "|", color=color, markersize=6)
        table = {"task": order, "quantity": label, "median": median, "low": low, "high": high, "noise": noise}
        parts.append(pd.DataFrame(table))
    axes.axvline(1.0, color=style.INK, linestyle="--", linewidth=0.8)
    axes.set_xscale("log")
    axes.set_xlabel("share left")
    axes.set_yticks(np.arange(len(order)), [data_set_name(name) for name in order], fontsize=5.5)
    return pd.concat(parts, ignore_index=True)


def _explained(rows: pd.DataFrame) -> str:
    """One minus the share that is left over by all tasks together, of values and of seconds, as a text."""
    shares = []
    for quantity in QUANTITIES:
        of_quantity = rows[rows["quantity"] == quantity]
        if len(of_quantity):
            draws = of_quantity.groupby("run")
            left = draws["squared_error"].sum() / draws["variance"].sum()
            shares.append(f"{1 - left.median():.3f}")
    return " and ".join(shares)
