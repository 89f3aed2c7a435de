"""Published numbers as marks beside our curves: open, in the colour of the curve that they belong to.

Where a paper prints both coordinates of a point, or a time to a level, the mark is a diamond in its place. A number
alone has a triangle that points to it at the end of its axis: an end value at the right, a time or a count above.
Curves that authors published are drawn dashed instead, see `core.report.verdicts.published_runs`.
"""

from __future__ import annotations

from matplotlib.axes import Axes

from core.report.figures import style

LABEL = "published"
OPEN = {"linestyle": "none", "markerfacecolor": "white", "markeredgewidth": 1.2}
POINT, AT_THE_RIGHT, ABOVE = "D", "<", "v"


def mark_published(
    axes: Axes, x: float | None = None, y: float | None = None, color: str = style.INK, label: str = LABEL
) -> None:
    """Mark a published point, or the place of a published number on one axis.

    The legend has the label once, in ink, however many marks there are.

    Args:
        x, y: Coordinates in data units; at least one of them.

    Raises:
        ValueError: neither coordinate is given.
    """
    if x is None and y is None:
        raise ValueError("a published mark has x, y or both")
    marker = AT_THE_RIGHT if x is None else ABOVE if y is None else POINT
    if label not in axes.get_legend_handles_labels()[1]:
        axes.plot([], [], marker=marker, markeredgecolor=style.INK, label=label, **OPEN)
    place = {} if x is not None and y is not None else {"clip_on": False}
    if x is None:
        place["transform"] = axes.get_yaxis_transform()
    elif y is None:
        place["transform"] = axes.get_xaxis_transform()
    where = [1.0 if x is None else x], [1.0 if y is None else y]
    axes.plot(*where, marker=marker, markeredgecolor=color, zorder=6, **OPEN, **place)
