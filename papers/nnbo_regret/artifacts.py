"""Figures and the table of Brofos et al.: raw runs in, Figure or Table out. Fig 3 and the theorem are in a file of
their own."""

from __future__ import annotations

from dataclasses import replace
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
from papers.nnbo_regret.artifacts_theorem import fig3a, fig3b, theorem
from papers.nnbo_regret.authors_timings import EVALUATION_SECONDS, authors_seconds
from papers.nnbo_regret.claims import SHOWN, queries

__all__ = ["fig1", "fig2a", "fig2b", "fig2c", "fig3a", "fig3b", "theorem", "timing"]

LAYERS = (4, 5, 5, 5, 1)
LABELS = {
    "gaussian_mixture": "Gaussian mixture, 2-d",
    "hartmann4_rescaled": "Hartmann, 4-d",
    "ratio": "Hartmann / mixture",
}
MODES = {
    "sequential": ("sequential", style.BLACK, "-"),
    "parallel_2": ("two evaluators", style.ORANGE, "-."),
    "parallel_6": ("six evaluators", style.BLUE, "-"),
}
AUTHORS = {
    "sequential": ("sequential, authors", style.GREY, "--"),
    "parallel": ("parallel, authors", style.SKY, "--"),
}


def fig1(results: Results, published: Published | None) -> Figure:
    """Brofos Fig 1: the interpolation, the criteria for the next query, and the architecture scaled down."""
    frame = results.frame("illustration")
    if frame.empty:
        raise NotRunError("illustration")
    shown = frame[frame["run"] == 0].reset_index(drop=True)
    grid, data, query = (shown[shown["part"] == part] for part in ("grid", "data", "query"))
    figure, (left, middle, right) = style.subplots(1, 3, width=7.8, height=2.9)
    left.plot(grid["x"], grid["value"], color="0.35", linestyle="--", linewidth=1, label="f")
    left.plot(grid["x"], grid["mean"], color=style.BLUE, label="least squares")
    low, high = (grid["mean"] + sign * 1.96 * grid["sd"] for sign in (-1, 1))
    left.fill_between(grid["x"], low, high, color=style.BLUE, alpha=0.2, lw=0, label="95% envelope")
    left.plot(data["x"], data["value"], "k.", markersize=4, label="observations")
    span = data["value"].max() - data["value"].min()
    left.set_ylim(data["value"].min() - 0.1 * span, data["value"].max() + 0.2 * span)
    left.set_title("(a) interpolation")
    criteria = (
        ("expected improvement", grid["ei"], style.GREEN, "-"),
        ("variance", grid["sd"] ** 2, style.VERMILION, "--"),
    )
    for label, values, color, dash in criteria:
        middle.plot(grid["x"], values / values.max(), color=color, linestyle=dash, label=label)
    middle.plot(query["x"], np.zeros(len(query)), "^", color=style.PURPLE, clip_on=False, label="next queries")
    middle.set_title("(b) criteria, scaled")
    for axes in (left, middle):
        axes.set_xlabel("x")
    _architecture(right)
    handles, labels = [], []
    for axes in (left, middle):
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            handles.append(handle)
            labels.append(label)
    figure.legend(handles, labels, loc="outside upper center", ncols=4)
    caption = (
        f"A draw of a Gaussian process after {len(data)} observations (first repetition), 50 of them uniform. The "
        "envelope is for a new observation. (c): five of 50 units a layer; the dashed weights are the regression's."
    )
    return Figure(figure, caption, shown)


def fig2a(results: Results, published: Published | None) -> Figure:
    """Brofos Fig 2a: evaluations finished against wall-clock in units of one evaluation's duration; authors' dashed."""
    frame = results.frame("wall_clock")
    if frame.empty:
        raise NotRunError("wall_clock")
    figure, axes = style.subplots(height=3.0)
    parts = []
    for mode, (label, color, dash) in MODES.items():
        rows = frame[frame["method"] == mode]
        if rows.empty:
            continue
        units = (rows["finished"] / rows["evaluation_seconds"]).groupby(rows["evaluation"]).mean()
        axes.plot(units, units.index, color=color, linestyle=dash, label=label)
        parts.append(pd.DataFrame({"series": label, "evaluation": units.index, "units": units.to_numpy()}))
    authors = authors_seconds()
    for mode, seconds in authors.items():
        label, color, dash = AUTHORS[mode]
        units = seconds.mean(axis=1) / EVALUATION_SECONDS
        axes.plot(units, units.index, color=color, linestyle=dash, label=label)
        parts.append(pd.DataFrame({"series": label, "evaluation": units.index, "units": units.to_numpy()}))
    axes.set_xlabel("wall-clock, in durations of one evaluation")
    axes.set_ylabel("evaluations finished")
    figure.legend(*axes.get_legend_handles_labels(), loc="outside upper center", ncols=3)
    duration = frame["evaluation_seconds"].iloc[0]
    caption = (
        f"Means over runs, 2-d Gaussian mixture, evaluations of {duration:g} s by real processes. Of the paper's four "
        "processes two evaluate. "
    )
    caption += (
        "Dashed: the authors' published timings, evaluations of 2 s, time at which results arrive; their parallel mode "
        "was faster than two evaluators can be."
        if authors
        else "The authors' published timings are drawn where their file is among the data."
    )
    return Figure(figure, caption, pd.concat(parts, ignore_index=True))


def fig2b(results: Results, published: Published | None) -> Figure:
    """Brofos Fig 2b: average and minimum regret on the Gaussian mixture."""
    return _regret(results, "mixture", "gaussian_mixture")


def fig2c(results: Results, published: Published | None) -> Figure:
    """Brofos Fig 2c: the same on the Hartmann function."""
    return _regret(results, "hartmann", "hartmann4_rescaled")


@published_names(rows=LABELS, columns=("seconds",))
def timing(results: Results, published: Published) -> Table:
    """Section 5: seconds for 100 queries, of which the ratio between the two benchmarks is compared."""
    frame = results.frame("seconds")
    columns = ["row", "column", "run", "value", "status"]
    samples, ours = pd.DataFrame(columns=columns), ""
    if not frame.empty:
        seconds = frame.pivot(index="run", columns="benchmark", values="seconds")
        if set(published.rows) - {"ratio"} <= set(seconds.columns):
            ours = "".join(f" {LABELS[name]}: ours {seconds[name].mean():.2f} s." for name in seconds)
            seconds = seconds.assign(ratio=seconds["hartmann4_rescaled"] / seconds["gaussian_mixture"])
        samples = seconds.reset_index().melt("run", var_name="row").assign(column="seconds", status="ok")[columns]
    table = compare_table(
        samples,
        published,
        direction="lower",
        reduced=results.reduced,
        title="Seconds for 100 queries",
        caption=(
            "Ours are processor seconds of the optimizer alone, one run at a time. Theirs are of four processes on a "
            "laptop of their time, so that only the ratio is compared." + ours
        ),
        metric="seconds, and their ratio",
        format=".3f",
        row_header="Benchmark",
        row_labels=LABELS,
    )
    cells = {key: cell if key[0] == "ratio" else replace(cell, verdict=None) for key, cell in table.cells.items()}
    return replace(table, cells=cells)


def _regret(results: Results, experiment: str, benchmark: str) -> Figure:
    """Mean over runs of R_m / m and Q_m with the middle 80% of the runs."""
    average, minimum, _ = queries(results, experiment, benchmark, SHOWN)
    figure, axes = style.subplots(height=3.0)
    parts = []
    curves = (("average regret", average, style.VERMILION), ("minimum regret", minimum, style.BLUE))
    for label, values, color in curves:
        n = np.arange(1, values.shape[1] + 1)
        low, high = np.quantile(values, [0.1, 0.9], axis=0)
        axes.plot(n, values.mean(0), color=color, label=label)
        axes.fill_between(n, low, high, color=color, alpha=0.18, lw=0)
        series = {"series": label, "query": n, "mean": values.mean(0), "quantile_10": low, "quantile_90": high}
        parts.append(pd.DataFrame(series))
    axes.axhline(0, color=style.RULE, linewidth=0.8)
    axes.set_xlabel("queries after 50 uniform points")
    axes.set_ylabel("regret")
    figure.legend(*axes.get_legend_handles_labels(), loc="outside upper center", ncols=2)
    caption = (
        f"{LABELS[benchmark]}; means and middle 80% of {len(average)} runs. The minimum is over the uniform points as "
        "well; it can reach zero only as far as the grid of candidates allows."
    )
    return Figure(figure, caption, pd.concat(parts, ignore_index=True))


def _architecture(axes: Axes) -> None:
    """Layers of nodes: the network's weights are trained, those of the last layer replaced by the regression's."""
    axes.set_axis_off()
    axes.set_title("(c) architecture")
    places = [np.linspace(-1, 1, size) if size > 1 else np.zeros(1) for size in LAYERS]
    for layer, (left, right) in enumerate(pairwise(places)):
        last = layer == len(places) - 2
        look = {"linestyle": "--" if last else "-", "color": style.VERMILION if last else "0.6"}
        for a in left:
            for b in right:
                axes.plot([layer, layer + 1], [a, b], linewidth=0.8, zorder=1, **look)
    names = ("x", *["tanh"] * (len(LAYERS) - 2), r"$\mu$(x)")
    for layer, (nodes, name) in enumerate(zip(places, names, strict=True)):
        axes.plot([layer] * len(nodes), nodes, "o", color="white", markeredgecolor="k", markersize=8, zorder=2)
        axes.text(layer, -1.35, name, ha="center", va="top")
    axes.set_ylim(-1.8, 1.2)
