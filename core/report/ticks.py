"""Ticks of logarithmic axes: powers of ten as plain text, few labels between, unlabelled ticks as one line."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import Formatter, LogFormatterSciNotation, LogLocator, NullLocator

SHORT, LONG = 0.5, 1.4  # decades: on shorter axes, every digit has room; longer ones have at least two powers of ten
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
FORMULA, POWER = re.compile(r"\$\\mathdefault\{(.*)\}\$"), re.compile(r"\^\{(-?\d+)\}")


class PlainPowers(Formatter):
    """Writes what a formatter of powers writes as a formula in characters of the font: 10⁻² and 3×10⁻².

    Each formula takes about 20 ms to parse and place, and a page of panels has dozens.
    """

    def __init__(self, formatter: Formatter) -> None:
        self._formatter = formatter

    def __call__(self, x: float, pos: int | None = None) -> str:
        text = self._formatter(x, pos)
        if (formula := FORMULA.fullmatch(text)) is None:
            return text
        text = POWER.sub(lambda power: power[1].translate(SUPERSCRIPTS), formula[1])
        return text.replace(r"\times", "×").replace("-", "−")

    def set_locs(self, locs: Sequence[float]) -> None:
        """Set the locations of the ticks, on which the labels of a short axis depend."""
        self._formatter.set_locs(locs)


def simplify_ticks(figure: Figure) -> None:
    """Write the powers of logarithmic axes as plain text, and thin the labels between them on short ones.

    An axis of SHORT to LONG decades has labels only at 2 and 5, since those of matplotlib overlap; minor ticks
    that a figure set itself stay. Call this just before saving: afterwards, ticks no longer follow the limits.
    """
    both = [axis for axes in figure.axes for axis in (axes.xaxis, axes.yaxis)]
    logarithmic = [axis for axis in both if axis.get_scale() in ("log", "symlog")]
    for axis in logarithmic:
        if axis.get_scale() == "log" and axis.isDefault_minfmt and SHORT < _decades(axis) <= LONG:
            axis.set_minor_locator(LogLocator(subs=(2, 5)))
            axis.set_minor_formatter(LogFormatterSciNotation(minor_thresholds=(math.inf, math.inf)))
        if isinstance(axis.get_major_formatter(), LogFormatterSciNotation):
            axis.set_major_formatter(PlainPowers(axis.get_major_formatter()))
        if isinstance(axis.get_minor_formatter(), LogFormatterSciNotation):
            axis.set_minor_formatter(PlainPowers(axis.get_minor_formatter()))
    # Axes that share their ticks lose them together, so collect those of all axes first.
    lines = [(axis, line) for axis in logarithmic if (line := _unlabelled(axis)) is not None]
    for axis, line in lines:
        axis.axes.add_artist(line).set(clip_on=False, in_layout=False)
        axis.set_minor_locator(NullLocator())


def _unlabelled(axis: Axis) -> Line2D | None:
    """Draw the unlabelled minor ticks of an axis as one line of markers, which looks the same.

    matplotlib makes three lines and two texts for each tick, and updates all of them in each layout and drawing.
    """
    (tick,) = axis.get_minor_ticks(1)
    locations = axis.get_minorticklocs()
    shown = axis.get_visible() and tick.tick1line.get_visible() and not tick.tick2line.get_visible()
    if not shown or tick.gridline.get_visible() or any(axis.get_minor_formatter().format_ticks(locations)):
        return None
    low, high = sorted(axis.get_view_interval())
    inside = [place for place in locations if low <= place <= high]
    horizontal = axis.axis_name == "x"
    x, y = (inside, [0] * len(inside)) if horizontal else ([0] * len(inside), inside)
    transform = axis.axes.get_xaxis_transform("tick1") if horizontal else axis.axes.get_yaxis_transform("tick1")
    line = Line2D(x, y, transform=transform)
    line.update_from(tick.tick1line)
    line.set(transform=transform, zorder=axis.get_zorder())
    return line


def _decades(axis: Axis) -> float:
    low, high = sorted(axis.get_view_interval())
    return math.log10(high / low)
