"""Labels between the powers of ten of short logarithmic axes: at 2 and 5 alone; those of matplotlib run together."""

from __future__ import annotations

import math

from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.ticker import LogFormatterSciNotation, LogLocator

SHORT, LONG = 0.5, 1.4  # decades: below, every digit has room; above, two powers of ten are on the axis


def thin_labels(figure: Figure) -> None:
    """Set the minor ticks of every logarithmic axis of SHORT to LONG decades; those that a figure chose itself stay."""
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            if axis.get_scale() == "log" and axis.isDefault_minfmt and SHORT < _decades(axis) <= LONG:
                axis.set_minor_locator(LogLocator(subs=(2, 5)))
                axis.set_minor_formatter(LogFormatterSciNotation(minor_thresholds=(math.inf, math.inf)))


def _decades(axis: Axis) -> float:
    low, high = sorted(axis.get_view_interval())
    return math.log10(high / low)
