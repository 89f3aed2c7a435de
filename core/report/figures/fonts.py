"""The fonts embedded in a PDF, subset from an alphabet instead of from whole font files.

For each font of each figure, matplotlib reads a file of 6,000 glyphs and cuts it down to those of the figure. Here
each file is read once per process and cut down to an alphabet, from which figures cut theirs. What concerns
only typesetting (ligatures, kerning, marks) is dropped as well: text in a PDF is placed glyph by glyph.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fontTools.ttLib import TTFont

TYPESETTING = ("GDEF", "GPOS", "GSUB", "kern")
TIMESTAMP = "FFTM"  # tables of the program that the fonts were made with
BLOCKS = (  # Unicode blocks, first and last code point
    (0x20, 0xFF),  # Latin
    (0x391, 0x3C9),  # Greek
    (0x2010, 0x2026),  # punctuation
    (0x2070, 0x2089),  # superscripts and subscripts
    (0x2190, 0x2193),  # arrows
    (0x2200, 0x2265),  # mathematical operators
    (0x25A0, 0x25CF),  # geometric shapes
    (0x27E8, 0x27E9),  # angle brackets
    (0x2713, 0x2713),  # check mark
    (0xFB00, 0xFB04),  # ligatures of f
)


@contextmanager
def light_fonts() -> Iterator[None]:
    """Within this context, embedded fonts are cut from an alphabet and have none of the TYPESETTING tables.

    matplotlib has no setting for this, so the function that its PDF backend calls is replaced, and restored.
    """
    from matplotlib.backends import _backend_pdf_ps

    original = _backend_pdf_ps.get_glyphs_subset
    _backend_pdf_ps.get_glyphs_subset = _cut_for_a_figure
    try:
        yield
    finally:
        _backend_pdf_ps.get_glyphs_subset = original


def _cut_for_a_figure(fontfile: Any, glyphs: Iterable[int]) -> AbstractContextManager[Any]:
    """In place of matplotlib's `get_glyphs_subset`: from indices of glyphs in a file to a font of these glyphs alone.

    A figure with a glyph outside the alphabet has its font cut from the file, so that what is embedded depends on the
    figure and not on figures drawn before it.
    """
    from matplotlib.backends._backend_pdf_ps import SubsetResults

    wanted = set(glyphs)
    alphabet, places = _alphabet(str(fontfile), fontfile.face_index)
    if wanted <= places.keys():
        font, found = _cut(io.BytesIO(alphabet), gids={places[glyph] for glyph in wanted})
        found = {glyph: found[places[glyph]] for glyph in wanted}
    else:
        font, found = _cut(str(fontfile), fontfile.face_index, gids=wanted)
    return SubsetResults(font, found)._as_cm()


@lru_cache(maxsize=16)
def _alphabet(file: str, face: int) -> tuple[bytes, dict[int, int]]:
    """A font file cut down to BLOCKS, and the map from glyph indices in the file to those in the subset."""
    characters = [code for first, last in BLOCKS for code in range(first, last + 1)]
    font, places = _cut(file, face, unicodes=characters)
    stream = io.BytesIO()
    font.save(stream, reorderTables=False)
    return stream.getvalue(), places


def _cut(file: str | io.BytesIO, face: int = 0, **kept: Iterable[int]) -> tuple[TTFont, dict[int, int]]:
    """A font with the `kept` glyphs (`gids` or `unicodes`), and the map from their old indices to the new ones."""
    from fontTools import subset

    options = subset.Options(glyph_names=True, recommended_glyphs=True, font_number=face)
    options.drop_tables += [*TYPESETTING, TIMESTAMP]
    font = subset.load_font(file, options)
    subsetter = subset.Subsetter(options=options)
    subsetter.populate(**kept)
    subsetter.subset(font)
    return font, subsetter.glyph_index_map
