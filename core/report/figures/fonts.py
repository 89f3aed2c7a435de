"""matplotlib's DejaVu Sans with the characters of charts alone, made once for each user.

A PDF embeds the part of a font that its text uses. To find that part, matplotlib reads the whole font, 6,253 glyphs and
all rules of layout, for every weight in every file, which takes a sixth of the time that drawing takes. These parts
have no ligatures, which have no character code and would take a second font in each file.
"""

from __future__ import annotations

import zlib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import matplotlib
from matplotlib.font_manager import fontManager

from core.foundation.files import write_whole

if TYPE_CHECKING:
    from fontTools.ttLib import TTFont

FAMILY = "DejaVu Sans of charts"
WHOLE = "DejaVu Sans"
FILES = ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf")
RANGES = (
    (0x20, 0x17F),  # Latin
    (0x370, 0x3FF),  # Greek
    (0x2010, 0x20AC),  # punctuation, superscripts and subscripts, currencies
    (0x2190, 0x22FF),  # arrows and operators
    (0x25A0, 0x25FF),  # shapes
    (0x2713, 0x2717),  # ticks and crosses
    (0x27E8, 0x27E9),  # angle brackets
)
OPTIONS = {
    "drop_tables": ["GDEF", "GPOS", "GSUB", "MATH", "FFTM"],  # rules of layout beyond kerning
    "legacy_kern": True,
    "hinting": False,
    "notdef_outline": True,
    "name_IDs": ["*"],
    "recalc_timestamp": False,
}
# As OpenType numbers them: family, whole name, typographic family, PostScript's name.
NAMES = {1: FAMILY, 4: FAMILY, 16: FAMILY, 6: "DejaVuSansOfCharts"}


@cache
def settings() -> dict[str, object]:
    """Settings of matplotlib: the fonts of charts, then the whole ones, which formulas use."""
    for name in FILES:  # by path, since matplotlib's list of fonts is the user's and may have another environment's
        fontManager.addfont(_part(Path(matplotlib.get_data_path(), "fonts", "ttf", name)))
    return {"font.family": [FAMILY, WHOLE], "mathtext.fontset": "dejavusans"}


def _part(whole: Path) -> Path:
    """The file with the part of a font, in matplotlib's folder of caches."""
    kind = f"{matplotlib.__version__}-{zlib.crc32(repr((RANGES, OPTIONS, NAMES)).encode()):08x}"
    path = Path(matplotlib.get_cachedir()) / "hpo-replications" / f"{kind}-{whole.name}"
    if not path.exists():
        write_whole(path, lambda stream: _subset(whole).save(stream))
    return path


def _subset(whole: Path) -> TTFont:
    """The part of a font under a name of its own, which its licence asks for."""
    from fontTools import subset

    options = subset.Options(**OPTIONS)
    font = subset.load_font(str(whole), options)
    keeper = subset.Subsetter(options)
    keeper.populate(unicodes=[code for low, high in RANGES for code in range(low, high + 1)])
    keeper.subset(font)
    for record in font["name"].names:
        if record.nameID in NAMES:
            record.string = NAMES[record.nameID]
    return font
