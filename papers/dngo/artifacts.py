"""DNGO's Figs 1 and 2 and Table 1; the figures of sections 3.1.1 and 3.1.2 are in `artifacts_design`."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from core.experiment.results import Results
from core.report import style
from core.report.checks import NotRunError
from core.report.figure import Figure
from core.report.names import published_names
from core.report.published import Published
from core.report.table import Table, compare_table
from core.report.trajectories import incumbent, per_run
from papers.dngo.artifacts_design import architecture, evidence
from papers.dngo.claims_speed import HPOLIB, hpolib_runs, times

__all__ = ["architecture", "evidence", "fig1", "fig2", "table1"]

PANELS = {"tanh": "(a) tanh", "relu_tanh": "(b) ReLU, last layer tanh", "relu": "(c) ReLU"}
COLORS = {"tanh": style.BLUE, "relu_tanh": style.GREEN, "relu": style.VERMILION}
LAYERS = ("x", "50", "50", "50", "y")
PROBLEMS = {
    "branin": "Branin",
    "hartmann6": "Hartmann6",
    "logistic_regression": "Logistic regression (50k images)",
    "logistic_regression_10k": "Logistic regression (10k images)",
    "lda_on_grid": "LDA on grid",
    "svm_on_grid": "SVM on grid",
}
METHODS = {"smac": "SMAC", "rf": "RF-BO (ours only)", "tpe": "TPE", "gp": "GP, input-warped", "dngo": "DNGO"}
PERCENT = ("logistic_regression", "svm_on_grid")


def fig1(results: Results, published: Published | None) -> Figure:
    """DNGO Fig 1: seconds per suggestion against the number of observations, mean and standard deviation."""
    figure, (linear, logarithmic) = style.subplots(1, 2, width=7.2, height=3.0)
    data = []
    for name, label in (("gp", "Gaussian process, input-warped"), ("dngo", "DNGO")):
        try:
            sizes, seconds = times(results, name)
        except NotRunError:
            continue
        mean, sd = seconds.mean(0), seconds.std(0, ddof=1) if len(seconds) > 1 else np.zeros(len(sizes))
        look = {"color": style.method(name).color, "marker": style.method(name).marker, "capsize": 2, "label": label}
        for axes in (linear, logarithmic):
            axes.errorbar(sizes, mean, sd, **look)
        data.append(pd.DataFrame({"method": name, "observations": sizes, "seconds": mean, "sd": sd}))
    if not data:
        raise NotRunError("suggestion_time")
    shown = pd.concat(data, ignore_index=True)
    longest = shown.loc[shown["method"] == "gp", "observations"].max()
    linear.set_xlim(0, 2.5 * longest if longest > 0 else None)
    linear.set_ylabel("seconds of one core per suggestion")
    linear.set_title("(a) as in the paper")
    logarithmic.set(xscale="log", yscale="log", title="(b) logarithmic axes")
    for axes in (linear, logarithmic):
        axes.set_xlabel("observations")
    figure.legend(*logarithmic.get_legend_handles_labels(), loc="outside upper center", ncols=2)
    caption = (
        "Hartmann6, uniform observations, one thread; mean and standard deviation. A suggestion fits the model and "
        "maximises expected improvement integrated over sampled hyperparameters. A repetition ends with the first "
        "suggestion that takes longer than the scale allows."
    )
    return Figure(figure, caption, shown)


@published_names(rows=PROBLEMS, columns=METHODS)
def table1(results: Results, published: Published) -> Table:
    """DNGO Table 1: the smallest loss found, problems by methods."""
    samples = _smallest_losses(hpolib_runs(results), published)
    rows = [row for row in PROBLEMS if row in published.rows or row in set(samples["row"])]
    return compare_table(
        samples,
        published,
        direction="lower",
        reduced=[_row(problem) for name, own in HPOLIB.items() if results.is_reduced(name) for problem in own],
        rows=rows,
        columns=list(METHODS),
        quoted_rows=("logistic_regression",),
        metric="smallest loss found: function values, validation error in percent, perplexity",
        format=".3f",
        row_header="Problem",
        row_labels=PROBLEMS,
        column_labels=METHODS,
        caption=(
            "Our losses are rounded run by run to the decimals that are published, which round the optima too. "
            "Logistic regression is ours on the 10,000 test images of MNIST, so the published row is only quoted. Our "
            "forest is not SMAC."
        ),
    )


def _smallest_losses(frame: pd.DataFrame, published: Published) -> pd.DataFrame:
    """The samples of `compare_table`: row, column, run, value, status."""
    parts = [pd.DataFrame(columns=["row", "column", "run", "value", "status"])]
    for problem, method in frame[["benchmark", "method"]].drop_duplicates().itertuples(index=False):
        best = incumbent(per_run(frame, "loss", problem, method))[:, -1] * (100 if problem in PERCENT else 1)
        row = _row(problem)
        cell = published.get((row, method))
        if cell is not None:
            best = best.round(len(cell.text.partition(".")[2]))
        part = {"row": row, "column": method, "run": np.arange(len(best)), "value": best, "status": "ok"}
        parts.append(pd.DataFrame(part))
    return pd.concat(parts[1:] or parts, ignore_index=True)


def _row(problem: str) -> str:
    """Ours is not the published logistic regression."""
    return "logistic_regression_10k" if problem == "logistic_regression" else problem


def fig2(results: Results, published: Published | None) -> Figure:
    """DNGO Fig 2: the prediction of the first repetition for three kinds of units, and the architecture."""
    frame = results.frame("activations")
    if frame.empty:
        raise NotRunError("activations")
    shown = frame[frame["run"] == 0].reset_index(drop=True)
    figure, panels = style.subplots(2, 2, width=7.2, height=4.6)
    for axes, (name, title) in zip(panels.flat, PANELS.items(), strict=False):
        rows = shown[shown["method"] == name]
        grid, data = rows[rows["part"] == "grid"], rows[rows["part"] == "data"]
        truth = np.sinc(10 * grid["x"] - 5)
        axes.plot(grid["x"], truth, color="0.35", linestyle="--", linewidth=1, label="sinc")
        axes.plot(grid["x"], grid["mean"], color=COLORS[name], label="predictive mean")
        for deviations in (1, 2, 3):
            low, high = (grid["mean"] + sign * deviations * grid["sd"] for sign in (-1, 1))
            label = "1, 2, 3 standard deviations" if deviations == 1 else None
            axes.fill_between(grid["x"], low, high, color=COLORS[name], alpha=0.18, lw=0, label=label)
        axes.plot(data["x"], data["mean"], "k.", markersize=5, label="observations")
        axes.set_ylim(-4, 4)
        axes.set_title(title)
        axes.set_xlabel("x")
    _architecture(panels[1, 1])
    handles, labels = panels[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=4)
    caption = (
        "20 noise-free observations of sinc (first repetition), networks of three layers of 50 units. (d): solid "
        "weights are trained, dashed ones marginalised."
    )
    return Figure(figure, caption, shown)


def _architecture(axes: Axes) -> None:
    """The network as layers of nodes: all weights are trained but those of the output, which are integrated out."""
    axes.set_axis_off()
    axes.set_title("(d) architecture")
    places = [np.linspace(-1, 1, 5) if size == "50" else np.zeros(1) for size in LAYERS]
    for layer, (left, right) in enumerate(pairwise(places)):
        last = layer == len(places) - 2
        for a in left:
            for b in right:
                look = {"linestyle": "--" if last else "-", "color": style.VERMILION if last else "0.6"}
                axes.plot([layer, layer + 1], [a, b], linewidth=0.8, zorder=1, **look)
    for layer, (nodes, size) in enumerate(zip(places, LAYERS, strict=True)):
        axes.plot([layer] * len(nodes), nodes, "o", color="white", markeredgecolor="k", markersize=9, zorder=2)
        axes.text(layer, -1.35, size if size in "xy" else f"{size} units", ha="center", va="top")
    axes.set_ylim(-1.8, 1.2)
