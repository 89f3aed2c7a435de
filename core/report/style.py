"""How everything looks: one matplotlib style for all papers, with a colour, marker and label for each method, the same
in every figure; a symbol and colours for each verdict; the printed names of data sets; the fonts.

Colours are safe for colour-blind readers (Okabe and Ito 2008; Tol's muted scheme for the rest); markers and dashes
carry the same information without colour. Text is vector text (TrueType, fonttype 42) in fonts shipped with matplotlib.
Nothing here touches pyplot or the global settings: draw inside `with style.context():`, make figures with `subplots`.

Tints and accents of verdicts stay apart for colour-blind readers: blue agrees, green and orange differ in lightness and
symbol, and colours never carry the meaning alone.

**Fonts** are matplotlib's DejaVu Sans with the characters of charts alone, made once for each user. A PDF embeds the
part of a font that its text uses. To find that part, matplotlib reads the whole font, 6,253 glyphs and all rules of
layout, for every weight in every file, which takes a sixth of the time that drawing takes. These parts have no
ligatures, which have no character code and would take a second font in each file."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib
import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex
from matplotlib.figure import Figure as MatplotlibFigure
from matplotlib.font_manager import fontManager

from core.foundation.files import write_whole
from core.report.runs.frames import split_variant, with_change

if TYPE_CHECKING:
    from fontTools.ttLib import TTFont


Keywords = dict[str, Any]
"""Keyword arguments for a function of matplotlib."""
TEXT_WIDTH = 6.3  # inches, the width of a page's text
INK, GREY, RULE = "#1a1a1a", "#5c5c5c", "#8a8a8a"

RC: dict[str, Any] = {
    "font.size": 8.5,
    "axes.titlesize": 9.5,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.titley": 1.0,  # no panel has ticks above: otherwise their absence is measured again at each draw
    "axes.labelsize": 8.5,
    "axes.labelcolor": INK,
    "axes.edgecolor": RULE,
    "axes.linewidth": 0.7,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.grid": True,
    "axes.unicode_minus": True,
    "grid.color": "#e6e6e6",
    "grid.linewidth": 0.6,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.labelsize": 7.5,
    "ytick.labelsize": 7.5,
    "xtick.major.width": 0.7,
    "ytick.major.width": 0.7,
    "xtick.major.size": 3,
    "ytick.major.size": 3,
    "lines.linewidth": 1.5,
    "lines.markersize": 4.5,
    "legend.fontsize": 7.5,
    "legend.frameon": False,
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
    "savefig.dpi": 200,
    "text.hinting": "none",  # a PDF has no hints, so that layouts with them are off, and hinting takes time
    "text.hinting_factor": 1,
    "pdf.fonttype": 42,
    "ps.fonttype": 42,
    "pdf.compression": 6,
    "svg.fonttype": "none",
    "svg.hashsalt": "hpo-replications",
    "path.simplify": True,
}

BLACK, ORANGE, SKY, GREEN, YELLOW, BLUE, VERMILION, PURPLE = (
    "#000000", "#e69f00", "#56b4e9", "#009e73", "#d8c417", "#0072b2", "#d55e00", "#cc79a7",
)  # fmt: skip
INDIGO, TEAL, OLIVE, WINE, SAND, BROWN, SLATE = (
    "#332288", "#44aa99", "#8a8a23", "#882255", "#b7a455", "#7a4f2a", "#6b7a8f",
)  # fmt: skip
SPARE = (INDIGO, TEAL, OLIVE, WINE, SAND, BROWN, SLATE)
LIGHTEST = 0.82  # of the map of sequential colours
MARKERS, DASHES = "osD^vPX<>hp*", ("-", "--", "-.", ":")


@dataclass(frozen=True)
class Method:
    """How a method looks: its label in text, colour, marker and dash pattern."""

    label: str
    color: str
    marker: str
    dash: str = "-"

    @property
    def line(self) -> Keywords:
        """Keyword arguments for `Axes.plot`."""
        return {"label": self.label, "color": self.color, "linestyle": self.dash}


METHODS: dict[str, Method] = {
    # samplers
    "adaptive_sghmc": Method("adaptive SGHMC", BLUE, "o"),
    "sghmc": Method("SGHMC", ORANGE, "s"),
    "sghmc_1e-6": Method("SGHMC, step 1e-6", YELLOW, "v", ":"),
    "sghmc_1e-5": Method("SGHMC, step 1e-5", SAND, "<", "-."),
    "sghmc_1e-4": Method("SGHMC, step 1e-4", VERMILION, "^", "--"),
    "sghmc_1e-3": Method("SGHMC, step 1e-3", WINE, ">", "-"),
    "sghmc_best_average": Method("SGHMC (best average)", ORANGE, "s", "--"),
    "sghmc_tuned": Method("SGHMC (tuned per dataset)", VERMILION, "D", "-."),
    "sgld": Method("SGLD", TEAL, "P"),
    # approximate inference
    "bayes_by_backprop": Method("Bayes by Backprop", PURPLE, "D"),
    "mc_dropout": Method("MC dropout", GREEN, "^"),
    "pbp": Method("PBP", VERMILION, "v"),
    "vi": Method("VI", SLATE, "P"),
    # Bayesian optimization
    "random": Method("random search", BLACK, "x", ":"),
    "gp": Method("GP-BO", VERMILION, "s"),
    "rf": Method("RF-BO", GREEN, "^"),
    "smac": Method("SMAC", GREEN, "^", "--"),
    "tpe": Method("TPE", ORANGE, "v"),
    "entropy_search": Method("entropy search", TEAL, "P"),
    "cmaes": Method("CMA-ES", SLATE, "<", "--"),
    "differential_evolution": Method("DE", INDIGO, ">", "-."),
    "dngo": Method("DNGO", PURPLE, "D"),
    "dngo_50": Method("DNGO (50-50-50)", PURPLE, "D"),
    "dngo_10": Method("DNGO (10-10-10)", WINE, "d", "--"),
    "dngo_50_pybnn": Method("DNGO of pybnn (50-50-50)", BROWN, "D", "-."),
    "dngo_10_pybnn": Method("DNGO of pybnn (10-10-10)", OLIVE, "d", ":"),
    "bohamiann": Method("BOHAMIANN", BLUE, "o"),
    "bohamiann_50": Method("BOHAMIANN (50-50-50)", BLUE, "o"),
    "bohamiann_50_nips": Method("BOHAMIANN, NIPS text", INDIGO, "D", ":"),
    "bohamiann_10": Method("BOHAMIANN (10-10-10)", SKY, "p", "--"),
    "mt_gp": Method("MT-BO", YELLOW, "h", "--"),
    "mt_bohamiann": Method("MT-BOHAMIANN", SKY, "h", "-."),
    # several fidelities and tasks
    "mtbo": Method("MTBO", YELLOW, "h"),
    "fabolas": Method("Fabolas", INDIGO, "*"),
    "hyperband": Method("Hyperband", SKY, "P"),
    "hyperband_lcnet": Method("Hyperband + LC-Net", TEAL, "X", "--"),
    "bohb": Method("BOHB", WINE, "X"),
    "regularized_evolution": Method("RE", BROWN, "<"),
    "reinforce": Method("RL", OLIVE, ">"),
    # learning curves
    "lcnet": Method("LC-Net", BLUE, "o"),
    "bnn": Method("BNN", SKY, "s", "--"),
    "lc_extrapolation": Method("LC extrapolation", PURPLE, "D"),
    "lcnet_ours": Method("LC-Net, our defaults", INDIGO, "p", "-."),
    "forest": Method("random forest", GREEN, "^"),
    "decaying_gp": Method("GP of each curve", ORANGE, "v"),
    "freeze_thaw": Method("Freeze-Thaw GP", VERMILION, "P", "--"),
    "last_seen_value": Method("last seen value", BLACK, "x", ":"),
    # transfer
    "gp_transfer": Method("GP transfer", WINE, "s", "--"),
    "ablr": Method("ABLR plain", SKY, "o", ":"),
    "ablr_nn": Method("ABLR NN", BLUE, "o"),
    "ablr_nn_context": Method("ABLR NN, context", INDIGO, "^", "--"),
    "ablr_rks": Method("ABLR RKS", TEAL, "D"),
    "ablr_rks_context": Method("ABLR RKS, context", OLIVE, "v", "--"),
    "ablr_signals": Method("ABLR, side signals", BLUE, "D"),
}  # fmt: skip


def method(name: str) -> Method:
    """The look of a method; an unregistered name gets one derived from its letters, always the same.

    An ablation, `method, setting=value`, is labelled as its method with the change.
    """
    if name in METHODS:
        return METHODS[name]
    base, change = split_variant(name)
    label = with_change(method(base).label, change) if change else name.replace("_", " ")
    code = zlib.crc32(name.encode())
    color = SPARE[code % len(SPARE)]
    marker = MARKERS[code // len(SPARE) % len(MARKERS)]
    dash = DASHES[code // (len(SPARE) * len(MARKERS)) % len(DASHES)]
    return Method(label, color, marker, dash)


def sequential(count: int) -> list[str]:
    """Colours of ordered settings, from the first (dark) to the last (light, but still visible on white)."""
    colors = matplotlib.colormaps["viridis"](np.linspace(0, LIGHTEST, count))
    return [to_hex(color) for color in colors]


def label(name: str) -> str:
    return method(name).label


@contextmanager
def context() -> Iterator[None]:
    """A context in which matplotlib has our style; the caller's settings are restored afterwards."""
    with matplotlib.rc_context(), matplotlib.rc_context(_from_defaults()):
        yield


def subplots(
    rows: int = 1, columns: int = 1, width: float = TEXT_WIDTH, height: float = 2.6, **keywords: Any
) -> tuple[MatplotlibFigure, Any]:
    """A figure (sizes in inches) and its axes, or an array of them, like `pyplot.subplots`, without its state."""
    figure = MatplotlibFigure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure, figure.subplots(rows, columns, **keywords)


def legend(figure: MatplotlibFigure, panels: Iterable[Axes], columns: int) -> None:
    """One legend above the panels with every label that occurs in any of them, in rows of equal length."""
    named: dict[str, Artist] = {}
    for axes in panels:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            named.setdefault(label, handle)
    rows = -(-len(named) // columns)
    figure.legend(list(named.values()), list(named), loc="outside upper center", ncols=-(-len(named) // max(rows, 1)))


def _from_defaults() -> dict[Any, Any]:
    """Our settings on top of matplotlib's own defaults, so that a user's matplotlibrc has no effect."""
    defaults: dict[Any, Any] = {
        k: v for k, v in matplotlib.rcParamsDefault.items() if k not in ("backend", "backend_fallback")
    }
    return {**defaults, **font_settings(), **RC}


@dataclass(frozen=True)
class Look:
    """symbol; tint: background of a cell on white paper; accent: bar and symbol; terminal: style for rich."""

    symbol: str
    tint: str
    accent: str
    terminal: str


AGREES = Look("✓", "#dceaf7", "#005f99", "blue")
EXCEEDS = Look("▲", "#d5f0e6", "#006848", "cyan")
FALLS_SHORT = Look("▼", "#fde3cd", "#a34000", "yellow")
OPEN = Look("?", "#efe8f5", "#6f468b", "magenta")
ABSENT = Look("○", "#f4f4f4", "#646464", "dim")

LOOKS: dict[str, Look] = {
    "reproduced": AGREES,
    "better": EXCEEDS,
    "better baseline": Look(EXCEEDS.symbol, ABSENT.tint, ABSENT.accent, "white"),
    "worse": FALLS_SHORT,
    "inconclusive": OPEN,
    "worse baseline": Look(FALLS_SHORT.symbol, ABSENT.tint, ABSENT.accent, "white"),
    "equal": Look("=", AGREES.tint, AGREES.accent, AGREES.terminal),
    "as configured": Look("≡", ABSENT.tint, ABSENT.accent, ABSENT.terminal),
    "differs": Look("≠", FALLS_SHORT.tint, FALLS_SHORT.accent, FALLS_SHORT.terminal),
    "outside": Look("◇", ABSENT.tint, ABSENT.accent, ABSENT.terminal),
    "not run": ABSENT,
    "not published": Look("–", ABSENT.tint, ABSENT.accent, ABSENT.terminal),
    "quoted": Look("“", "#ffffff", "#646464", "dim"),
    "holds": AGREES,
    "fails": FALLS_SHORT,
}


DATA_SETS = {
    # regression
    "boston": "Boston housing",
    "wine_red": "Red wine",
    "wine_white": "White wine",
    "naval": "Naval propulsion",
    "protein": "Protein structure",
    "parkinsons": "Parkinsons telemonitoring",
    # classification
    "mnist": "MNIST",
    "optdigits": "OptDigits",
    "magic_telescope": "MAGIC telescope",
    "kr_vs_kp": "King-rook vs. king-pawn",
    "mfeat_pixel": "Mfeat, pixels",
    "dna": "DNA",
    # functions
    "goldstein_price": "Goldstein-Price",
    "sin_one": "SinOne",
    "sin_two": "SinTwo",
}
"""Those whose printed name is not their own with a capital letter and spaces."""


def data_set_name(name: str) -> str:
    """The printed name of a data set or test function."""
    return DATA_SETS.get(name) or name.replace("_", " ").capitalize()


def data_set_names(names: Iterable[str]) -> dict[str, str]:
    """The printed name of each, in the given order."""
    return {name: data_set_name(name) for name in names}


FAMILY = "DejaVu Sans of charts"
WHOLE = "DejaVu Sans"
FONT_FILES = ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf")
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
FONT_NAMES = {1: FAMILY, 4: FAMILY, 16: FAMILY, 6: "DejaVuSansOfCharts"}


@cache
def font_settings() -> dict[str, object]:
    """Settings of matplotlib: the fonts of charts, then the whole ones, which formulas use."""
    for (
        name
    ) in FONT_FILES:  # by path, since matplotlib's list of fonts is the user's and may have another environment's
        fontManager.addfont(_part(Path(matplotlib.get_data_path(), "fonts", "ttf", name)))
    return {"font.family": [FAMILY, WHOLE], "mathtext.fontset": "dejavusans"}


def _part(whole: Path) -> Path:
    """The file with the part of a font, in matplotlib's folder of caches."""
    kind = f"{matplotlib.__version__}-{zlib.crc32(repr((RANGES, OPTIONS, FONT_NAMES)).encode()):08x}"
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
        if record.nameID in FONT_NAMES:
            record.string = FONT_NAMES[record.nameID]
    return font
