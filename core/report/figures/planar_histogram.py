"""A planar histogram of scores over time: how many evaluations of a search fell into each cell (DNGO, Figs 4 and 5)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from core.report.figures import style

SHADES = "Blues"
LINE = {"color": style.BLACK, "linewidth": 1.1}


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
