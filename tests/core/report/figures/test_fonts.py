"""Parts of matplotlib's fonts: they measure and draw what the whole ones do."""

import io
import string
from pathlib import Path

import matplotlib
import pytest
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, findfont, get_font
from pypdfium2 import PdfDocument

from core.report import style

TEXTS = [string.printable[:95], "AVATAR To, We., first flow office", "naïve Łódź αβγμσ −±≥√∞ x² 10⁻³ ◇○▲▼✓ ⟨a⟩"]


def widths(text, **properties):
    style.font_settings()
    for family in (style.FAMILY, style.WHOLE):
        # Ligatures, which the parts leave out, are as wide as their letters here but for rounding.
        font = get_font(findfont(FontProperties(family=family, **properties), fallback_to_default=False))
        font.set_size(1000, 72)
        font.set_text(text, 0.0, features=("-liga",))
        yield font.get_width_height()[0]


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("properties", [{}, {"weight": "bold"}], ids=str)
def test_a_part_measures_text_as_the_whole_font_does(text, properties):
    part, whole = widths(text, **properties)
    assert part == pytest.approx(whole, rel=2e-3)


def test_a_user_s_own_characters_fall_back_on_the_whole_font():
    stream = io.BytesIO()
    with style.context():
        figure = Figure()
        figure.text(0.1, 0.5, "office first Ж")
        figure.text(0.1, 0.2, r"$\sqrt{x}$")
        figure.savefig(stream, format="pdf")
    with PdfDocument(stream.getvalue()) as document:
        text = document[0].get_textpage().get_text_range()
    assert "office first Ж" in text
    assert all(font in stream.getvalue() for font in (b"+DejaVuSansOfCharts", b"+DejaVuSans\n", b"+DejaVuSans-Oblique"))


def test_another_user_s_first_drawing_makes_the_parts(tmp_path, monkeypatch):
    monkeypatch.setattr(matplotlib, "get_cachedir", lambda: str(tmp_path))
    whole = Path(matplotlib.get_data_path(), "fonts", "ttf", "DejaVuSans.ttf")
    part = style._part(whole)
    made = part.read_bytes()
    assert tmp_path in part.parents and len(made) < whole.stat().st_size / 4
    assert get_font(part).family_name == style.FAMILY
    part.unlink()
    assert style._part(whole).read_bytes() == made
