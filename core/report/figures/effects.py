"""A figure of effects: what a change does in each of several cases, with its interval, in groups below each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from core.report.figures import style
from core.report.statistics.bootstrap import Interval

ROW, FRAME = 0.24, 1.4  # inches: of a row, of what surrounds them
COLORS = (style.BLUE, style.WINE, style.ORANGE, style.GREEN)


def effect(group: str, label: str, interval: Interval, **more: str) -> dict[str, Any]:
    """A row of `draw_effects`, with more columns for what was drawn."""
    ends = {"value": interval.estimate, "low": interval.low, "high": interval.high}
    return {"group": group, "label": label, **more, **ends}


def draw_effects(data: pd.DataFrame, neutral: float, quantity: str, ticks: Sequence[float] = ()) -> Figure:
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
