"""Files written whole or not at all, and figures turned into bytes that depend only on their content."""

from __future__ import annotations

import io
from pathlib import Path

from matplotlib import rcParams
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure as MatplotlibFigure
from matplotlib.transforms import Bbox

from core.foundation.files import write_whole
from core.report.figures import style
from core.report.figures.ticks import simplify_ticks

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
