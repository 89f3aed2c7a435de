"""Files written whole or not at all, and figures turned into bytes that depend on nothing but their content."""

from __future__ import annotations

import io
from pathlib import Path

from matplotlib import rcParams
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure as MatplotlibFigure
from matplotlib.transforms import Bbox

from core.files import write_whole
from core.report import style
from core.report.fonts import light_fonts
from core.report.ticks import thin_labels

MARGIN = 0.08  # inches around a cropped figure


def write_file(path: Path, content: bytes | str) -> Path:
    """Write under a temporary name in the same folder and rename.

    Raises:
        UserError: the disk is full or the folder cannot be written; nothing is left behind.
    """
    write_whole(path, lambda stream: stream.write(content.encode() if isinstance(content, str) else content))
    return path


def render(figure: MatplotlibFigure, title: str, crop: bool = True) -> dict[str, bytes]:
    """{"pdf": ..., "png": ...} of a figure, cropped (or grown) to what is drawn unless its size is right already."""
    rendered = {}
    # The date is left out rather than taken from SOURCE_DATE_EPOCH: the same content is the same bytes on any day.
    metadata = {"pdf": {"Title": title, "CreationDate": None, "ModDate": None}, "png": {"Title": title}}
    with style.context(), light_fonts():
        thin_labels(figure)
        box = _lay_out(figure, crop)
        for suffix, information in metadata.items():
            stream = io.BytesIO()
            figure.savefig(stream, format=suffix, metadata=information, bbox_inches=box)
            rendered[suffix] = stream.getvalue()
    return rendered


def _lay_out(figure: MatplotlibFigure, crop: bool) -> Bbox | None:
    """Place everything, once for all formats, at the resolution of the image; returns what to save, in inches.

    Left to `savefig`, the layout of a figure with many panels takes longer than the drawing, and is made anew for each
    format, each time followed by a draw of nothing and a search for the tight box.
    """
    figure.dpi = rcParams["savefig.dpi"]
    renderer = FigureCanvasAgg(figure).get_renderer()
    if (engine := figure.get_layout_engine()) is not None:
        engine.execute(figure)
        figure.set_layout_engine("none")
    return figure.get_tightbbox(renderer).padded(MARGIN) if crop else None
