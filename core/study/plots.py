"""Figures of a search: every configuration at once, one hyperparameter at a time, and which of them mattered.

Figures belong to pyplot: `plt.show()` shows them, `figure.savefig(path)` writes them. Darker points and lines are
better.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from ConfigSpace import ConfigurationSpace
from numpy.typing import NDArray

from core.foundation.errors import UserError
from core.foundation.installation import needed_for
from core.spaces import Column, CubeEncoding
from core.study.importance import importances_of
from core.study.record import Record, counts, why_none_counts

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TICKS = 5
BEHIND = {"facecolor": "white", "alpha": 0.8, "edgecolor": "none", "pad": 0.8}  # keeps numbers readable on lines
BARS = 12


def parallel(records: Sequence[Record], space: ConfigurationSpace, maximize: bool) -> Figure:
    """A line for each evaluation through its values of all hyperparameters; the last axis has the loss.

    Raises:
        UserError: no evaluation counts.
    """
    with needed_for("plot"):
        from matplotlib import pyplot

    used, losses, shades = _used(records, maximize)
    encoding = CubeEncoding(space)
    points = encoding.encode([record.configuration for record in used])
    points[~encoding.active(points)] = np.nan
    low, high = losses.min(), losses.max()
    heights = (losses - low) / (high - low) if high > low else np.full_like(losses, 0.5)
    lines = np.concatenate([points, heights[:, None]], 1)
    names = [column.name for column in encoding.columns]
    figure, axes = pyplot.subplots(figsize=(max(4.0, 1.2 * (len(names) + 1)), 3.4), layout="constrained")
    for place in np.argsort(-shades, kind="stable"):
        axes.plot(lines[place], color=str(shades[place]), linewidth=0.8, marker=".", markersize=2)
    for place, column in enumerate(encoding.columns):
        axes.axvline(place, color="0.8", linewidth=0.8, zorder=0)
        for coordinate, text in _ticks(column):
            axes.text(place, coordinate, text, bbox=BEHIND, fontsize=6, va="center", ha="center", zorder=3)
    for coordinate, text in ((0.0, f" {low:.3g}"), (1.0, f" {high:.3g}")):
        axes.text(len(names), coordinate, text, fontsize=6, va="center")
    axes.set_xticks(range(len(names) + 1), [*names, _outcome(maximize)])
    axes.set_yticks([])
    return figure


def slices(records: Sequence[Record], space: ConfigurationSpace, maximize: bool) -> Figure:
    """The losses over each hyperparameter, on the scale on which it was searched.

    Raises:
        UserError: no evaluation counts.
    """
    with needed_for("plot"):
        from matplotlib import pyplot

    used, losses, shades = _used(records, maximize)
    columns = CubeEncoding(space).columns
    size = (max(3.4, 2.1 * len(columns)), 2.6)
    figure, drawn = pyplot.subplots(1, len(columns), figsize=size, sharey=True, squeeze=False, layout="constrained")
    for axes, column in zip(drawn[0], columns, strict=True):
        here = [place for place, record in enumerate(used) if column.name in record.configuration]
        values = [used[place].configuration[column.name] for place in here]
        if column.choices:
            values = [column.code(value) for value in values]
            axes.set_xticks(range(len(column.choices)), list(map(str, column.choices)))
        elif column.log:
            axes.set_xscale("log")
        axes.scatter(values, losses[here], c=shades[here], cmap="gray", vmin=0, vmax=1, s=8)
        axes.set_xlabel(column.name)
    drawn[0, 0].set_ylabel(_outcome(maximize))
    return figure


def importance(records: Sequence[Record], space: ConfigurationSpace) -> Figure:
    """The importances of hyperparameters and pairs, at most twelve; raises as `importances_of`."""
    with needed_for("plot"):
        from matplotlib import pyplot

    frame = importances_of(records, space).head(BARS)
    figure, axes = pyplot.subplots(figsize=(4.6, 0.8 + 0.24 * len(frame)), layout="constrained")
    axes.barh(frame["hyperparameters"], frame["importance"], color="0.45")
    axes.invert_yaxis()
    axes.set(xlabel="share of the variance", xlim=(0, None))
    return figure


def _used(records: Sequence[Record], maximize: bool) -> tuple[list[Record], NDArray[np.float64], NDArray[np.float64]]:
    """The evaluations that count on the largest budget, their outcomes (n,), and shades of gray (n,), the best dark."""
    used = [record for record in records if counts(record)]
    if not used:
        raise UserError(f"{why_none_counts(records)}: there is nothing to draw")
    largest = max(record.budget or 0.0 for record in used)
    used = [record for record in used if (record.budget or 0.0) == largest]
    losses = np.array([record.loss for record in used])
    ranks = np.argsort(np.argsort(losses, kind="stable"), kind="stable")
    return used, -losses if maximize else losses, 0.8 * ranks / max(1, len(used) - 1)


def _ticks(column: Column) -> list[tuple[float, Any]]:
    """Coordinates and values to print on an axis."""
    if column.choices:
        return [(float(column.place(np.array([code]))[0]), str(each)) for code, each in enumerate(column.choices)]
    coordinates = np.linspace(0, 1, TICKS)
    return [(float(x), f"{value:.3g}") for x, value in zip(coordinates, column.read(coordinates).tolist())]


def _outcome(maximize: bool) -> str:
    return "value" if maximize else "loss"
