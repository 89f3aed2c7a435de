"""Charts that several papers draw: effects with intervals, networks, planar histograms, times of suggestions, and
methods on many tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as MatplotlibFigure
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator, NullLocator
from numpy.typing import NDArray

from core.experiment.results import Results
from core.report import style
from core.report.figures.figure import Figure
from core.report.runs.frames import NotRunError
from core.report.statistics.comparisons import LEAST_REGRET, LEVEL, Runs, average_ranks, holm
from core.report.statistics.intervals import Interval
from core.report.verdicts.shapes.suggestion_times import times

ROW, FRAME = 0.24, 1.4  # inches: of a row, of what surrounds them
COLORS = (style.BLUE, style.WINE, style.ORANGE, style.GREEN)


def effect(group: str, label: str, interval: Interval, **more: str) -> dict[str, Any]:
    """A row of `draw_effects`, with more columns for what was drawn."""
    ends = {"value": interval.estimate, "low": interval.low, "high": interval.high}
    return {"group": group, "label": label, **more, **ends}


def draw_effects(data: pd.DataFrame, neutral: float, quantity: str, ticks: Sequence[float] = ()) -> MatplotlibFigure:
    """Points with their intervals, and a line at the value of no effect.

    Args:
        data: Rows made by `effect`, those of a group one below the other; at most four groups.
        neutral: The value that means no effect.
        quantity: The label of the axis.
        ticks: Ticks of a logarithmic axis; without any, the axis is linear.
    """
    data = data.reset_index(drop=True)
    figure, axes = style.subplots(height=FRAME + ROW * len(data), width=6.2)
    places = -(data.index + data["group"].ne(data["group"].shift()).cumsum())  # a gap before each group
    for (name, rows), color in zip(data.groupby("group", sort=False), COLORS, strict=False):
        errors = [rows["value"] - rows["low"], rows["high"] - rows["value"]]
        axes.errorbar(rows["value"], places[rows.index], xerr=errors, fmt="o", capsize=2, color=color, label=name)
    axes.axvline(neutral, color=style.GREY, linewidth=0.8)
    if ticks:
        axes.set_xscale("log")
        axes.xaxis.set_major_locator(FixedLocator(ticks))
        axes.xaxis.set_minor_locator(NullLocator())
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.set_yticks(places, data["label"])
    axes.set_xlabel(quantity)
    style.legend(figure, [axes], 3)
    return figure


def draw_network(
    axes: Axes, layers: Sequence[tuple[str, int]], title: str, markersize: float, regression: bool = True
) -> None:
    """Draw fully connected layers from left to right; the last weights, those of a regression, are dashed.

    Args:
        layers: Name and number of nodes of each layer.
        regression: Whether the last weights are those of the regression.
    """
    axes.set_axis_off()
    axes.set_title(title)
    places = [np.linspace(-1, 1, nodes) if nodes > 1 else np.zeros(1) for _, nodes in layers]
    for layer, (left, right) in enumerate(pairwise(places)):
        last = regression and layer == len(places) - 2
        look: style.Keywords = {"linestyle": "--" if last else "-", "color": style.VERMILION if last else "0.6"}
        for a in left:
            for b in right:
                axes.plot([layer, layer + 1], [a, b], linewidth=0.8, zorder=1, **look)
    for layer, (nodes, (name, _)) in enumerate(zip(places, layers, strict=True)):
        axes.plot([layer] * len(nodes), nodes, "o", color="white", markeredgecolor="k", markersize=markersize, zorder=2)
        axes.text(layer, -1.35, name, ha="center", va="top")
    axes.set_ylim(-1.8, 1.2)


SHADES = "Blues"
LINE: style.Keywords = {"color": style.BLACK, "linewidth": 1.1}


def planar_histogram(
    axes: Axes,
    scores: Sequence[NDArray[np.float64]],
    best: Sequence[NDArray[np.float64]],
    bins: tuple[int, int] = (20, 16),
    label: str = "best so far",
) -> NDArray[np.float64]:
    """Draw counts as shades, white where there are none, and the best score so far of each run as a black line.

    Args:
        scores: Scores of each run's evaluations in the order in which they finished, (n,) each.
        best: Best scores so far, (n,) each.
        bins: Numbers of cells along the evaluations and along the scores.

    Returns:
        The counts, (bins along the evaluations, bins along the scores).
    """
    longest = max(map(len, scores))
    along = [int(min(bins[0], longest)), bins[1]]
    places = np.concatenate([np.arange(1, len(each) + 1) for each in scores])
    values = np.concatenate(scores)
    span = [[0.5, longest + 0.5], [values.min(), max(values.max(), values.min() + 1e-9)]]
    counts, across, up = np.histogram2d(places, values, along, span)
    shown = np.ma.masked_equal(counts.T, 0)
    mesh = axes.pcolormesh(across, up, shown, cmap=SHADES, vmin=0, linewidth=0, rasterized=True)
    axes.figure.colorbar(mesh, ax=axes, label="count", pad=0.01, ticks=MaxNLocator(integer=True))
    for number, each in enumerate(best):
        axes.step(np.arange(1, len(each) + 1), each, where="post", label=label if not number else None, **LINE)
    axes.grid(False)
    return counts


def times_figure(results: Results, labels: Mapping[str, str], first: str, xlabel: str, caption: str) -> Figure:
    """Mean and standard deviation of the times on linear axes, up to 2.5 times the GP's data, and on logarithmic axes.

    Args:
        labels: Labels of the methods in the legend; methods that were not run are left out.
        first: Title of the linear axes.

    Raises:
        NotRunError: none of the methods was run.
    """
    figure, (linear, logarithmic) = style.subplots(1, 2, width=7.2, height=3.0)
    shown = _draw_times((linear, logarithmic), results, labels)
    longest = shown.loc[shown["method"] == "gp", "observations"].max()
    linear.set_xlim(0, 2.5 * longest if longest > 0 else None)
    linear.set(title=f"(a) {first}", ylabel="seconds of one core per suggestion")
    logarithmic.set(xscale="log", yscale="log", title="(b) logarithmic axes")
    for axes in (linear, logarithmic):
        axes.set_xlabel(xlabel)
    style.legend(figure, [logarithmic], len(labels))
    return Figure(figure, caption, shown)


def _draw_times(panels: Sequence[Axes], results: Results, labels: Mapping[str, str]) -> pd.DataFrame:
    """Draw the same in every panel, and return what was drawn: method, observations, seconds, sd."""
    data = []
    for name, label in labels.items():
        try:
            sizes, seconds = times(results, name)
        except NotRunError:
            continue
        mean, sd = seconds.mean(0), seconds.std(0, ddof=1) if len(seconds) > 1 else np.zeros(len(sizes))
        own = style.method(name)
        look: style.Keywords = {"color": own.color, "marker": own.marker, "capsize": 2, "label": label}
        for axes in panels:
            axes.errorbar(sizes, mean, sd, **look)
        data.append(pd.DataFrame({"method": name, "observations": sizes, "seconds": mean, "sd": sd}))
    if not data:
        raise NotRunError("suggestion_time")
    return pd.concat(data, ignore_index=True)


def draw_solved(axes: Axes, solved: Runs) -> pd.DataFrame:
    """Draw the empirical distribution of runtimes: the share of pairs of target and task reached at each evaluation.

    Args:
        solved: Shares of targets that runs have reached by each evaluation, by method (tasks, runs, n).

    Returns:
        method, evaluation, solved.
    """
    axes.set(xlabel="evaluations", ylabel="solved targets", xscale="log", ylim=(0, 1.02))
    return _draw(axes, {method: shares.mean((0, 1)) for method, shares in solved.items()}, "solved")


def draw_ranks(axes: Axes, losses: Runs) -> pd.DataFrame:
    """Draw average ranks at each evaluation, 1 the best.

    Args:
        losses: Losses of the incumbents, by method (tasks, runs, n).

    Returns:
        method, evaluation, rank.
    """
    axes.set(xlabel="evaluations", ylabel="average rank", xscale="log")
    return _draw(axes, {method: ranks.mean(0) for method, ranks in average_ranks(losses).items()}, "rank")


def draw_losses(axes: Axes, losses: Runs, optimum: float | None = None) -> None:
    """Draw medians and quartiles over the runs of one task: of regrets on a logarithmic axis, or else of losses.

    Args:
        losses: Losses of the incumbents, by method (1, runs, n); what is not finite is not drawn.
        optimum: The smallest loss, if it is known.
    """
    for method, values in losses.items():
        shown = values[0] if optimum is None else np.maximum(values[0] - optimum, LEAST_REGRET)
        with np.errstate(invalid="ignore"):  # between a finite and an infinite loss
            low, middle, high = np.quantile(shown, (0.25, 0.5, 0.75), axis=0)
        look, at = style.method(method), np.arange(1, shown.shape[1] + 1)
        axes.fill_between(at, low, high, where=np.isfinite(high), color=look.color, alpha=0.15, linewidth=0)
        axes.plot(at, np.where(np.isfinite(middle), middle, np.nan), **look.line)
    axes.set(xlabel="evaluations", ylabel="loss")
    if optimum is not None:
        axes.set(yscale="log", ylabel="regret")


def _draw(axes: Axes, curves: dict[str, np.ndarray], value: str) -> pd.DataFrame:
    parts = []
    for method, curve in curves.items():
        at = np.arange(1, len(curve) + 1)
        axes.plot(at, curve, **style.method(method).line)
        parts.append(pd.DataFrame({"method": method, "evaluation": at, value: curve}))
    return pd.concat(parts, ignore_index=True)


def draw_p_values(axes: Axes, p: pd.DataFrame) -> None:
    """Draw p-values as a heat map with their numbers, bold where Holm's procedure rejects."""
    axes.imshow(p.to_numpy(), cmap="Blues_r", vmin=0, vmax=2 * LEVEL, interpolation="nearest")
    sure, labels = holm(p), [style.label(method) for method in map(str, p)]
    for (row, column), value in np.ndenumerate(p.to_numpy()):
        if np.isfinite(value):
            weight = "bold" if sure.iloc[row, column] else "normal"
            ink = "white" if value < LEVEL else style.INK
            text, size = (f"{value:.2f}", 6) if value >= 0.005 else ("<.005", 5)  # what fits into a cell
            axes.text(column, row, text, ha="center", va="center", fontsize=size, color=ink, weight=weight)
    axes.set_xticks(range(len(p)), labels, rotation=45, ha="right")
    axes.set_yticks(range(len(p)), labels)
    axes.grid(visible=False)
