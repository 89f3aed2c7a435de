"""A network as layers of nodes, for figures that show the paper's architecture."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from matplotlib.axes import Axes

from core.report.figures import style


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
        look = {"linestyle": "--" if last else "-", "color": style.VERMILION if last else "0.6"}
        for a in left:
            for b in right:
                axes.plot([layer, layer + 1], [a, b], linewidth=0.8, zorder=1, **look)
    for layer, (nodes, (name, _)) in enumerate(zip(places, layers, strict=True)):
        axes.plot([layer] * len(nodes), nodes, "o", color="white", markeredgecolor="k", markersize=markersize, zorder=2)
        axes.text(layer, -1.35, name, ha="center", va="top")
    axes.set_ylim(-1.8, 1.2)
