"""Brofos Fig 1: the model, its criteria, and the network."""

from __future__ import annotations

import numpy as np
import pandas as pd

from core.experiment.results import Results
from core.report import Figure, Published, frame_of
from core.report.figures import style
from core.report.figures.bands import draw_truth
from core.report.figures.network_diagram import draw_network

LAYERS = (("x", 4), *[("tanh", 5)] * 3, (r"$\mu$(x)", 1))


def fig1(results: Results, published: Published | None) -> Figure:
    """Brofos Fig 1: the interpolation, the criteria for the next query, and the architecture scaled down."""
    frame = frame_of(results, "illustration")
    run = least_certain(frame)
    shown = frame[frame["run"] == run].reset_index(drop=True)
    grid, data, query = (shown[shown["part"] == part] for part in ("grid", "data", "query"))
    figure, (left, middle, right) = style.subplots(1, 3, width=7.8, height=2.9)
    draw_truth(left, grid["x"], grid["value"], "f")
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
    draw_network(right, LAYERS, "(c) architecture", markersize=8)
    style.legend(figure, [left, middle], 4)
    caption = (
        f"A draw of a Gaussian process after {len(data)} observations, 50 of them uniform. The envelope is for a new "
        f"observation. Of the repetitions the one with the widest envelope (number {run}). (c): five of 50 units per "
        "layer; the dashed weights are the regression's."
    )
    return Figure(figure, caption, shown)


def least_certain(frame: pd.DataFrame) -> int:
    """The run of Fig 1 whose widest envelope is the largest share of the range of f; the first of ties."""
    grid = frame[frame["part"] == "grid"].groupby("run")
    return int((grid["sd"].max() / (grid["value"].max() - grid["value"].min())).idxmax())
