"""Figures as bytes: laid out once, cropped as matplotlib does it, with text that can be searched."""

import io
import re
import zlib

import numpy as np
import pytest
from fontTools.ttLib import TTFont
from matplotlib.layout_engine import ConstrainedLayoutEngine
from PIL import Image
from pypdfium2 import PdfDocument

from core.report import style
from core.report.figures.figure import add_caption
from core.report.figures.files import render

STREAM = re.compile(rb"stream\r?\n(.*?)\r?\nendstream", re.DOTALL)


@pytest.fixture
def figure():
    with style.context():
        figure, panels = style.subplots(2, 2)
        for axes, power in zip(panels.flat, (1, 2, 3, 4), strict=True):
            axes.plot(np.geomspace(1, 100, 20), np.geomspace(0.1, 10, 20) ** power, label=f"power {power}")
            axes.set(xscale="log", yscale="log", xlabel=r"$t$ first affinity", title="Title")
        style.legend(figure, panels.flat, 2)
        return add_caption(figure, "A caption that is longer than the figure is wide, so that it takes two lines. " * 2)


def _fonts(pdf: bytes) -> list[TTFont]:
    streams = [zlib.decompressobj().decompress(found) for found in STREAM.findall(pdf) if found[:1] == b"\x78"]
    return [TTFont(io.BytesIO(stream)) for stream in streams if stream[:4] == b"\0\1\0\0"]


def test_text_is_embedded_as_truetype_and_can_be_searched(figure):
    pdf = render(figure, "title")["pdf"]
    assert len(_fonts(pdf)) >= 2  # regular and bold
    assert all("glyf" in font for font in _fonts(pdf))
    with PdfDocument(pdf) as document:
        assert "t first affinity" in document[0].get_textpage().get_text_bounded()


def test_a_figure_is_laid_out_once_and_drawn_once(figure, monkeypatch):
    calls, execute, draw = [], ConstrainedLayoutEngine.execute, figure.draw

    def counted(self, drawn):
        calls.append("laid out")
        return execute(self, drawn)

    monkeypatch.setattr(ConstrainedLayoutEngine, "execute", counted)
    monkeypatch.setattr(figure, "draw", lambda renderer: calls.append("drawn") or draw(renderer))
    render(figure, "title")
    assert calls == ["laid out", "drawn"]


@pytest.mark.parametrize("crop", [True, False])
def test_images_have_the_size_that_matplotlib_gives_them(figure, crop):
    rendered = render(figure, "title", crop)
    stream = io.BytesIO()
    with style.context():
        figure.savefig(stream, format="png", bbox_inches="tight" if crop else None, pad_inches=0.08)
    ours, theirs = Image.open(io.BytesIO(rendered["png"])), Image.open(stream)
    assert ours.size == pytest.approx(theirs.size, abs=2)
    box = re.search(rb"/MediaBox \[ ?([\d. ]+?) ?\]", rendered["pdf"]).group(1).split()
    assert [float(number) / 72 * 200 for number in box[2:]] == pytest.approx(ours.size, abs=2)
