"""A model's fit in one dimension, with the function and the points that it is fitted to."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from numpy.typing import ArrayLike


def draw_fit(axes: Axes, grid: pd.DataFrame, truth: ArrayLike, function: str, color: str) -> None:
    """The function and the predictive mean with two standard deviations: columns `x`, `mean` and `sd` of `grid`.

    Args:
        truth: Values of the function on the grid.
        function: Name of the function in the legend.
    """
    x, mean, sd = (grid[column].to_numpy() for column in ("x", "mean", "sd"))
    axes.plot(x, truth, color="0.35", linestyle="--", linewidth=1, label=function)
    axes.plot(x, mean, color=color, label="predictive mean")
    axes.fill_between(x, mean - 2 * sd, mean + 2 * sd, color=color, alpha=0.25, lw=0, label="2 standard deviations")
