"""Fonts embedded in a PDF without their tables for typesetting, which a finished page has no use for.

matplotlib embeds the glyphs that a figure uses with fontTools, and keeps of the font's ligatures, kerning and marks
(GSUB, GPOS, GDEF) what concerns them. Text in a PDF is placed glyph by glyph, so nothing reads these tables; cutting
them down takes four times as long as all the rest of a font.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

TYPESETTING = ("GDEF", "GPOS", "GSUB", "kern")


@contextmanager
def light_fonts() -> Iterator[None]:
    """Fonts embedded inside have none of the TYPESETTING tables.

    Neither matplotlib nor fontTools has a setting for it: what is changed, and changed back, are the tables that
    fontTools leaves out by default.
    """
    from fontTools.subset import Options

    default = Options._drop_tables_default
    Options._drop_tables_default = [*default, *(table for table in TYPESETTING if table not in default)]
    try:
        yield
    finally:
        Options._drop_tables_default = default
