"""Figures as bytes: laid out once, cropped as matplotlib does it, with fonts that hold glyphs alone."""

import contextlib
import io
import re
import zlib

import numpy as np
import pytest
from fontTools.ttLib import TTFont
from matplotlib.backends import _backend_pdf_ps
from matplotlib.layout_engine import ConstrainedLayoutEngine
from PIL import Image
from pypdfium2 import PdfDocument

from core.report.figures import style
from core.report.figures.figure import add_caption
from core.report.figures.files import render
from core.report.figures.fonts import TYPESETTING, light_fonts

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


def test_embedded_fonts_have_glyphs_and_nothing_for_typesetting(figure):
    fonts = _fonts(render(figure, "title")["pdf"])
    assert len(fonts) >= 2  # regular and bold
    for font in fonts:
        assert "glyf" in font and not set(TYPESETTING) & set(font.keys())


def test_fonts_are_embedded_as_before_afterwards():
    before = _backend_pdf_ps.get_glyphs_subset
    with pytest.raises(ZeroDivisionError), light_fonts():
        assert _backend_pdf_ps.get_glyphs_subset is not before
        raise ZeroDivisionError
    assert _backend_pdf_ps.get_glyphs_subset is before


@pytest.mark.parametrize("text", ["first affinity ⁻²", "Привет"])  # in the alphabet, and not
def test_a_page_looks_as_with_the_fonts_of_matplotlib(text):
    pages = []
    for fonts in (light_fonts, contextlib.nullcontext):
        with style.context(), fonts():
            figure, axes = style.subplots()
            axes.set_title(text)
            stream = io.BytesIO()
            figure.savefig(stream, format="pdf")
        with PdfDocument(stream.getvalue()) as document:
            assert text in document[0].get_textpage().get_text_bounded()
            pages.append(np.asarray(document[0].render(scale=2).to_pil()))
    assert np.array_equal(*pages)


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
