"""Files written whole or not at all, and figures turned into bytes that depend on nothing but their content."""

from __future__ import annotations

import io
from pathlib import Path

from matplotlib.figure import Figure as MatplotlibFigure

from core.files import write_whole
from core.report import style
from core.report.ticks import thin_labels


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
    box = "tight" if crop else None
    # The date is left out rather than taken from SOURCE_DATE_EPOCH: the same content is the same bytes on any day.
    metadata = {"pdf": {"Title": title, "CreationDate": None, "ModDate": None}, "png": {"Title": title}}
    with style.context():
        thin_labels(figure)
        for suffix, information in metadata.items():
            stream = io.BytesIO()
            figure.savefig(stream, format=suffix, metadata=information, bbox_inches=box, pad_inches=0.08)
            rendered[suffix] = stream.getvalue()
    return rendered
