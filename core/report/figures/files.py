"""Files written whole or not at all, and figures turned into bytes that depend only on their content.

Ticks of logarithmic axes are made plain: powers of ten as text, few labels between, unlabelled ticks as one line.
"""

from __future__ import annotations

import io
import math
import re
from collections.abc import Iterable
from pathlib import Path

from matplotlib import rcParams
from matplotlib.axis import Axis, XAxis
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.figure import Figure as MatplotlibFigure
from matplotlib.lines import Line2D
from matplotlib.scale import SymmetricalLogScale, SymmetricalLogTransform
from matplotlib.ticker import FixedLocator, Formatter, LogFormatterSciNotation, NullLocator
from matplotlib.transforms import Bbox

from core.foundation.files import write_whole
from core.report import style

MARGIN = 0.08  # inches around a cropped figure
POINTS = 72  # in an inch
PNG_LEVEL = 3  # of zlib: a third faster than the default 6, and charts become no larger


def write_file(path: Path, content: bytes | str) -> Path:
    """Write under a temporary name in the same folder and rename.

    Raises:
        UserError: the disk is full or the folder cannot be written; nothing is left behind.
    """
    write_whole(path, lambda stream: stream.write(content.encode() if isinstance(content, str) else content))
    return path


def render(figure: MatplotlibFigure, title: str, crop: bool = True) -> dict[str, bytes]:
    """{"pdf": ..., "png": ...} of a figure, cropped (or grown) to what is drawn unless its size is already right."""
    stream = io.BytesIO()
    # The date is left out rather than taken from SOURCE_DATE_EPOCH, so that equal content gives equal bytes on any day.
    metadata = {"Title": title, "CreationDate": None, "ModDate": None}
    with style.context():
        simplify_ticks(figure)
        figure.savefig(stream, format="pdf", metadata=metadata, bbox_inches=_lay_out(figure, crop))
    return {"pdf": stream.getvalue(), "png": _image(stream.getvalue(), title)}


def _image(pdf: bytes, title: str) -> bytes:
    """The page as PNG. Rasterising it takes a tenth of the time that matplotlib needs to draw the figure again."""
    from PIL.PngImagePlugin import PngInfo
    from pypdfium2 import PdfDocument

    information = PngInfo()
    information.add_text("Title", title)
    stream = io.BytesIO()
    with PdfDocument(pdf) as document:
        image = document[0].render(scale=style.RC["savefig.dpi"] / POINTS).to_pil()
        image.save(stream, "png", pnginfo=information, compress_level=PNG_LEVEL)
    return stream.getvalue()


def _lay_out(figure: MatplotlibFigure, crop: bool) -> Bbox | None:
    """Lay out everything once, at the resolution of the image; returns the box to save, in inches.

    In `savefig`, the layout of a figure with many panels takes longer than the drawing, and is followed by a draw
    of nothing and a search for the tight box. Any layout engine causes the draw of nothing, even one that does nothing,
    so none is left.
    """
    figure.dpi = rcParams["savefig.dpi"]
    renderer = FigureCanvasAgg(figure).get_renderer()
    if (engine := figure.get_layout_engine()) is not None:
        engine.execute(figure)
        figure.set_layout_engine(None)
    return figure.get_tightbbox(renderer).padded(MARGIN) if crop else None


ROOM = 3  # labels on an axis that has fewer than two of 1, 2 and 5
APART = {"x": 0.12, "y": 0.08}  # of an axis that is linear around 0, between its labels
LINEAR = 0.4  # decades that the part from 0 to the smallest value takes
PLAIN = (1e-3, 1e5)  # labels in this range are written without powers on an axis that needs others than these
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

    def set_locs(self, locs: list[float]) -> None:
        """Set the locations of the ticks, on which the labels of a short axis depend."""
        self._formatter.set_locs(locs)


def simplify_ticks(figure: Figure) -> None:
    """Write the powers of logarithmic axes as plain text, and thin the labels between them on short ones.

    An axis of up to a decade, or with fewer than two powers of ten, has labels only at 1, 2 and 5, or at a few digits
    where it does not reach two of these, since those of matplotlib overlap. An axis that is linear around 0 has 0 and
    what has room beside it. Ticks that a figure set itself stay. Call this just before saving: afterwards, ticks no
    longer follow the limits.
    """
    both = [axis for axes in figure.axes if axes.axison for axis in (axes.xaxis, axes.yaxis)]
    logarithmic = [axis for axis in both if axis.get_scale() in ("log", "symlog")]
    for axis in logarithmic:
        ours = axis.isDefault_minfmt and axis.isDefault_majloc
        if axis.get_scale() == "log" and ours and _is_short(axis):
            powers, others = _few(axis)
            axis.set_major_locator(FixedLocator(powers))
            axis.set_minor_locator(FixedLocator(others))
            axis.set_minor_formatter(LogFormatterSciNotation(minor_thresholds=(math.inf, math.inf)))
            if all(PLAIN[0] <= place < PLAIN[1] for place in (*powers, *others)):
                axis.set_major_formatter(plain)
                axis.set_minor_formatter(plain)
        elif axis.get_scale() == "symlog" and axis.isDefault_majloc:
            places = _around_zero(axis)
            axis.set_major_locator(FixedLocator(places))
            if not all(map(_is_power, places)):
                axis.set_major_formatter(plain)
        if isinstance(axis.get_major_formatter(), LogFormatterSciNotation):
            axis.set_major_formatter(PlainPowers(axis.get_major_formatter()))
        if isinstance(axis.get_minor_formatter(), LogFormatterSciNotation):
            axis.set_minor_formatter(PlainPowers(axis.get_minor_formatter()))
    # Axes that share their ticks lose them together, so collect those of all axes first.
    lines = [(axis, line) for axis in logarithmic if (line := _unlabelled(axis)) is not None]
    for axis, line in lines:
        axis.axes.add_artist(line).set(clip_on=False, in_layout=False)
        axis.set_minor_locator(NullLocator())


def plain(x: float, _: float | None = None) -> str:
    """A number without a power: 0.05, 2000."""
    return f"{x:g}".replace("-", "−")


def log_from_zero(axis: Axis, values: Iterable[float], smallest: float = 0.0) -> float:
    """Make an axis of values of at least 0 logarithmic, but linear from 0 to the smallest value above `smallest`.

    Returns:
        That value, at which the logarithmic part begins.
    """
    threshold = min((value for value in values if value > smallest), default=smallest or 1.0)
    scale = SymmetricalLogScale(axis, linthresh=threshold, linscale=LINEAR)
    set_scale = axis.axes.set_xscale if isinstance(axis, XAxis) else axis.axes.set_yscale
    set_scale(scale)
    return threshold


def _unlabelled(axis: Axis) -> Line2D | None:
    """Draw the unlabelled minor ticks of an axis as one line of markers, which looks the same.

    matplotlib makes three lines and two texts for each tick, and updates all of them in each layout and drawing.
    """
    (tick,) = axis.get_minor_ticks(1)
    locations = list(axis.get_minorticklocs())
    shown = axis.get_visible() and tick.tick1line.get_visible() and not tick.tick2line.get_visible()
    if not shown or tick.gridline.get_visible() or any(axis.get_minor_formatter().format_ticks(locations)):
        return None
    low, high = sorted(axis.get_view_interval())
    inside = [place for place in locations if low <= place <= high]
    horizontal = isinstance(axis, XAxis)
    x, y = (inside, [0] * len(inside)) if horizontal else ([0] * len(inside), inside)
    transform = axis.axes.get_xaxis_transform("tick1") if horizontal else axis.axes.get_yaxis_transform("tick1")
    line = Line2D(x, y, transform=transform)
    line.update_from(tick.tick1line)
    line.set(transform=transform, zorder=axis.get_zorder())
    return line


def _is_short(axis: Axis) -> bool:
    low, high = sorted(axis.get_view_interval())
    return high <= 10 * low or len(_multiples(axis, (1,))) < 2


def _few(axis: Axis) -> tuple[list[float], list[float]]:
    """Where a short axis has labels: at powers of ten, and at multiples of them."""
    places = _multiples(axis, (1, 2, 5))
    if len(places) < 2:
        every = _multiples(axis, range(1, 10))
        step = max(1, math.ceil(len(every) / ROOM))
        places = every[(step - 1) // 2 :: step]
    return [x for x, digit in places if digit == 1], [x for x, digit in places if digit != 1]


def _around_zero(axis: Axis) -> list[float]:
    """Where an axis that is linear around 0 has labels: 0, powers of ten, other multiples, as far as there is room."""
    low, high = sorted(axis.get_view_interval())
    reach = math.ceil(math.log10(max(-low, high)))
    transform = axis.get_transform()
    assert isinstance(transform, SymmetricalLogTransform)  # of such an axis
    first = math.floor(math.log10(transform.linthresh))
    powers = [10.0**power for power in range(reach, first - 1, -1)]
    places = [0.0]
    for digits in ((1,), (5, 2)):
        if len(places) > ROOM:
            break
        for x in (sign * digit * power for digit in digits for power in powers for sign in (1, -1)):
            if low <= x <= high and all(_apart(axis, x, other) for other in places):
                places.append(x)
    return sorted(places)


def _is_power(x: float) -> bool:
    """Whether it is 0 or a power of ten, of either sign."""
    return not x or math.isclose(math.log10(abs(x)), round(math.log10(abs(x))), abs_tol=1e-9)


def _apart(axis: Axis, x: float, other: float) -> bool:
    """Whether labels at two places have room beside each other."""
    ends = axis.get_transform().transform([*axis.get_view_interval(), x, other])
    return bool(abs(ends[2] - ends[3]) >= APART["x" if isinstance(axis, XAxis) else "y"] * abs(ends[1] - ends[0]))


def _multiples(axis: Axis, digits: Iterable[int]) -> list[tuple[float, int]]:
    """The multiples of powers of ten by these digits on an axis, ascending, and the digit of each."""
    low, high = sorted(axis.get_view_interval())
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    return [(x, digit) for power in powers for digit in digits if low <= (x := digit * 10.0**power) <= high]
