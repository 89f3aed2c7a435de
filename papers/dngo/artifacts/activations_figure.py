"""DNGO Fig 2: predictions with three kinds of units, and the architecture."""

from __future__ import annotations

import numpy as np

from core.experiment.results import Results
from core.report import Figure, Published, frame_of
from core.report.figures import style
from core.report.figures.bands import draw_prediction, draw_truth
from core.report.figures.network_diagram import draw_network

PANELS = {"tanh": "(a) tanh", "relu_tanh": "(b) ReLU, last layer tanh", "relu": "(c) ReLU"}
LAYERS = (("x", 1), *[("50 units", 5)] * 3, ("y", 1))


def fig2(results: Results, published: Published | None) -> Figure:
    """DNGO Fig 2: the prediction of the first repetition for three kinds of units, and the architecture."""
    frame = frame_of(results, "activations")
    shown = frame[frame["run"] == 0].reset_index(drop=True)
    figure, panels = style.subplots(2, 2, width=7.2, height=4.6)
    for axes, (name, title) in zip(panels.flat, PANELS.items(), strict=False):
        rows = shown[shown["method"] == name]
        grid, data = rows[rows["part"] == "grid"], rows[rows["part"] == "data"]
        draw_truth(axes, grid["x"], np.sinc(10 * grid["x"] - 5), "sinc")
        draw_prediction(axes, grid)
        axes.plot(data["x"], data["mean"], "k.", markersize=5, label="observations")
        axes.set_ylim(-2, 2)
        axes.set_title(title)
        axes.set_xlabel("x")
    draw_network(panels[1, 1], LAYERS, "(d) architecture", markersize=9)
    style.legend(figure, [panels[0, 0]], 4)
    caption = (
        "20 noise-free observations of sinc (first repetition); networks of three layers of 50 units. (d): solid "
        "weights are trained, dashed ones marginalized."
    )
    return Figure(figure, caption, shown)
