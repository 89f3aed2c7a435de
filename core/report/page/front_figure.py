"""The README's figure: whether the papers' headline claims hold, how large their effects are here, and why some fail.

Left, a row for each headline claim with its effect on the common scale of `headlines.py`; right, a bar for each paper
with the outcomes of all its claims, those of our own runs above those of the authors' data.
"""

from __future__ import annotations

import math
import textwrap
from collections import Counter
from collections.abc import Mapping
from itertools import groupby

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from core.report import style
from core.report.page.headlines import Answer, Headline
from core.report.page.summary import Summary
from core.report.style import LOOKS

WIDTH = 8.3  # inches, which are 830 pixels on GitHub
ROW, GAP, TOP, BOTTOM = 0.172, 0.1, 0.74, 0.42  # inches: a claim, between papers, above and below the rows
LEFT, WORDS, AXIS, SHOWN, CAUSE, BARS = 0.06, 1.06, 3.76, 5.44, 6.06, 7.14  # inches: where columns begin
RIGHT = WIDTH - LEFT
SMALLEST, LARGEST = 0.045, 12.0  # of the axis; what is beyond has an arrow
TICKS = (0.1, 0.3, 1, 3, 10)
LEAST = 3  # rows that a paper's two bars need
SIZE, SMALL = 7.4, 6.6
OPEN, ABSENT = LOOKS["inconclusive"].accent, "#c9ccd1"
COLORS = {
    "holds": LOOKS["holds"].accent, "inconclusive": OPEN, "fails": "#c8500a", "outside": "#8b9099", "not run": ABSENT,
}  # fmt: skip
NAMES = {"holds": "holds", "inconclusive": "open", "fails": "fails", "outside": "outside", "not run": "not run"}
BAND = "#dce9f8"  # where a claim is true
NARROW = 1.13  # factor to each side of a share that a band of shares extends, so that all parts lie inside
TITLE = "Do the headline claims hold when they are rerun?"


def front_figure(summary: Summary, names: Mapping[str, str]) -> Figure:
    """Draw the figure; the caller's style context must be active.

    Args:
        summary: Counts, and the headline claims, those of a paper one after the other.
        names: Names of the papers.
    """
    groups = [(paper, list(group)) for paper, group in groupby(summary.headlines, key=lambda headline: headline.paper)]
    rows = sum(max(LEAST, len(group)) for _, group in groups) or 1
    height = TOP + ROW * rows + GAP * len(groups) + BOTTOM
    figure = Figure(figsize=(WIDTH, height))
    page = figure.add_axes((0, 0, 1, 1), xlim=(0, WIDTH), ylim=(height, 0))
    page.set_axis_off()
    effects = _axis(figure, height)
    _legend(page, effects)
    y = TOP
    for number, (paper, group) in enumerate(groups):
        low, counts = y + GAP / 2, summary.papers[paper]
        if number:
            page.plot([LEFT, RIGHT], [y, y], color="#d9dde3", linewidth=0.7)
        for line, words in enumerate(textwrap.wrap(names[paper], 15)):
            page.text(LEFT, low + ROW / 2 + 0.8 * ROW * line, words, **_look(SIZE, weight="bold"))
        for headline in group:
            _row(page, effects, headline, low + ROW / 2)
            low += ROW
        low = max(low, y + GAP / 2 + LEAST * ROW)
        _bars(page, counts.claims, counts.reproduced, y + GAP / 2, low)
        y = low + GAP / 2
    return figure


def _axis(figure: Figure, height: float) -> Axes:
    """The axis of effects, in whose coordinates y is inches from the top as on the page."""
    place = (AXIS / WIDTH, BOTTOM / height, (SHOWN - AXIS - 0.14) / WIDTH, 1 - (TOP + BOTTOM) / height)
    look: style.Keywords = {
        "xscale": "log",
        "facecolor": "none",
        "xlim": (SMALLEST, LARGEST),
        "ylim": (height - BOTTOM, TOP),
    }
    axes: Axes = figure.add_axes(place, **look)
    axes.xaxis.set_major_locator(FixedLocator(TICKS))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.tick_params(axis="x", labelsize=SMALL, length=2)
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    axes.axvline(1.0, color=style.INK, linewidth=0.8, zorder=1)
    axes.set_xlabel("ours / published, or the share of parts that hold", fontsize=SMALL, labelpad=2)
    return axes


def _row(page: Axes, effects: Axes, headline: Headline, y: float) -> None:
    page.text(WORDS, y, headline.words, **_look(SIZE))
    outcome = headline.ours.holds
    shown = headline.ours.shown or NAMES[outcome]
    page.text(SHOWN, y, shown, **_look(SMALL, COLORS[outcome] if outcome in ("holds", "fails") else style.GREY))
    color = COLORS["fails"] if headline.cause else style.GREY
    page.text(CAUSE, y, headline.cause or _remark(headline.ours), **_look(SMALL, color))
    if headline.ours.effect is not None:
        lower, upper = (min(max(end, SMALLEST), LARGEST) for end in _region(headline.ours))
        effects.fill_between([lower, upper], y - 0.4 * ROW, y + 0.4 * ROW, color=BAND, linewidth=0, zorder=0)
    if headline.authors is not None:
        _mark(effects, headline.authors, "s", y + 0.2 * ROW, filled=True, size=3.6)
        y -= 0.14 * ROW
    _mark(effects, headline.ours, "o", y, headline.full, size=5.2)


def _mark(axes: Axes, answer: Answer, marker: str, y: float, filled: bool, size: float) -> None:
    """A dot with its interval; an arrow at the end of the axis if the dot is beyond."""
    if answer.effect is None:
        return
    color = COLORS[answer.holds]
    value, low, high = (
        min(max(each, SMALLEST), LARGEST) if not math.isnan(each) else math.nan
        for each in (answer.effect.value, answer.effect.low, answer.effect.high)
    )
    axes.plot([low, high], [y, y], color=color, linewidth=1.3, solid_capstyle="butt", zorder=3, clip_on=False)
    beyond = {SMALLEST: "<", LARGEST: ">"}.get(value, marker)
    axes.plot(
        [value], [y], beyond, color=color, markersize=size, markerfacecolor=color if filled else "white",
        markeredgewidth=1.2, zorder=4, clip_on=False,
    )  # fmt: skip


def _region(answer: Answer) -> tuple[float, float]:
    effect = answer.effect
    assert effect is not None
    if math.isnan(effect.lower):
        return math.nan, math.nan
    return (
        (effect.lower / NARROW, NARROW)
        if effect.upper == 1 and " of " in answer.shown
        else (effect.lower, effect.upper)
    )


def _remark(answer: Answer) -> str:
    """What stands in the place of a cause where a claim cannot be judged."""
    if answer.holds == "outside":
        return f"on our part {NAMES[answer.part]}" if answer.part else "outside"
    return "interval too wide" if answer.holds == "inconclusive" else ""


def _bars(page: Axes, claims: Counter[str], authors: Counter[str], top: float, bottom: float) -> None:
    """The outcomes of all claims of a paper as a stacked bar, and a thinner one on the authors' data."""
    thick = min(0.17, (bottom - top) * 0.42)
    y = top + 0.035
    _bar(page, claims, y, thick, SMALL)
    if authors:
        y += thick + 0.17
        page.text(BARS, y - 0.06, "authors' data", **_look(5.8, style.GREY))
        _bar(page, authors, y, 0.1, 5.6)


def _bar(page: Axes, counts: Counter[str], y: float, height: float, size: float) -> None:
    total, x, width = sum(counts.values()), BARS, RIGHT - BARS
    for outcome, color in COLORS.items():
        if not (number := counts[outcome]):
            continue
        length = width * number / total
        page.barh(y, length, height, x, color=color, align="edge", linewidth=0.6, edgecolor="white")
        if length > 0.075 * len(str(number)):
            ink = style.INK if outcome == "not run" else "white"
            look: style.Keywords = {"ha": "center", "va": "center_baseline", "fontsize": size, "color": ink}
            page.text(x + length / 2, y + height / 2, str(number), **look)
        x += length


def _legend(page: Axes, effects: Axes) -> None:
    heads = {
        LEFT: "paper",
        WORDS: "headline claim",
        AXIS: "effect",
        SHOWN: "ours",
        CAUSE: "cause",
        BARS: "all its claims",
    }
    for x, words in heads.items():
        page.text(x, TOP - 0.08, words, **_look(SIZE, weight="bold"))
    page.plot([LEFT, RIGHT], [TOP, TOP], color=style.INK, linewidth=0.9)
    page.text(LEFT, 0.14, TITLE, **_look(11, weight="bold"))
    patches = [Patch(color=color, label=NAMES[outcome]) for outcome, color in COLORS.items()]
    ring: style.Keywords = {
        "marker": "o",
        "linestyle": "",
        "color": style.INK,
        "markersize": 5.2,
        "markeredgewidth": 1.2,
    }
    marks = [
        Line2D([], [], label="full protocol", **ring),
        Line2D([], [], label="reduced", markerfacecolor="white", **ring),
        Line2D([], [], label="on the authors' data", **{**ring, "marker": "s", "markersize": 3.6}),
        Patch(color=BAND, label="claim is true here"),
    ]
    look: style.Keywords = {
        "fontsize": SMALL,
        "handlelength": 1.1,
        "handletextpad": 0.5,
        "columnspacing": 1.4,
        "borderpad": 0,
    }
    page.legend(
        handles=[*patches, *marks], loc="upper left", ncols=len(patches) + len(marks),
        bbox_to_anchor=(LEFT, 0.28), bbox_transform=page.transData, borderaxespad=0, **look,
    )  # fmt: skip


def _look(size: float, color: str = style.INK, weight: str = "normal") -> style.Keywords:
    return {"fontsize": size, "color": color, "fontweight": weight, "va": "center_baseline", "ha": "left"}
