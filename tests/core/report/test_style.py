"""One look a method everywhere, colours that colour-blind readers tell apart, and no global state touched.

Parts of matplotlib's fonts: they measure and draw what the whole ones do.

Names of data sets as figures print them.
"""

from __future__ import annotations

import io
import string
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import matplotlib
import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure as MatplotlibFigure
from matplotlib.font_manager import FontProperties, findfont, get_font
from pypdfium2 import PdfDocument

from core.data.catalogue import entries
from core.report import style
from core.report.figures.figure import Figure, add_caption, placeholder
from core.report.style import LOOKS, data_set_name, data_set_names
from core.report.verdicts.cells import KINDS

# Figures of the papers and the methods drawn together in each.
TOGETHER = [
    ["sghmc_1e-6", "sghmc_1e-5", "sghmc_1e-4", "sghmc_1e-3", "adaptive_sghmc"],
    ["bayes_by_backprop", "mc_dropout", "pbp", "sghmc"],
    ["gp", "rf", "tpe", "dngo_50", "dngo_10", "bohamiann_50", "bohamiann_10", "random"],
    ["random", "hyperband", "bohb", "fabolas", "mtbo", "gp", "entropy_search"],
    ["random", "smac", "tpe", "bohamiann", "regularized_evolution", "reinforce", "hyperband", "bohb"],
    ["lcnet", "bnn", "lc_extrapolation", "rf", "gp", "last_seen_value"],
    ["bohamiann", "gp", "random", "mt_bohamiann", "mtbo"],
]


def linear(color):
    rgb = np.array(to_rgb(color))
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def lab(rgb):
    """CIE L*a*b* of linear sRGB."""
    xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]) @ rgb
    f = np.cbrt(np.maximum(xyz / [0.9505, 1.0, 1.089], 0.0))
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


# Machado, Oliveira and Fernandes (2009), severity 1.0, acting on linear RGB.
DEFICIENCIES = {
    "none": np.eye(3),
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
}


@pytest.mark.parametrize("deficiency", DEFICIENCIES)
@pytest.mark.parametrize("names", TOGETHER, ids=lambda names: names[0])
def test_methods_drawn_together_differ_for_every_reader(names, deficiency):
    """Each pair differs in colour (10 units of CIE Lab, four times just noticeable) or in both marker and dash."""
    matrix = np.array(DEFICIENCIES[deficiency])
    for i, one in enumerate(names):
        for other in names[:i]:
            a, b = style.method(one), style.method(other)
            apart = np.linalg.norm(lab(matrix @ linear(a.color)) - lab(matrix @ linear(b.color)))
            assert apart > 10 or (a.marker != b.marker and a.dash != b.dash), (one, other, apart)
            assert a.marker != b.marker or a.dash != b.dash or apart > 20


@pytest.mark.parametrize("name", [*KINDS, "holds", "fails", "quoted"])
def test_every_verdict_has_a_look_readable_on_its_tint(name):
    """Contrast of text on its tint at least 4.5 (WCAG AA)."""
    look = LOOKS[name]
    light, dark = (np.array([0.2126, 0.7152, 0.0722]) @ linear(c) for c in (look.tint, look.accent))
    assert (light + 0.05) / (dark + 0.05) >= 4.5


def test_verdicts_differ_by_symbol_alone():
    assert len({LOOKS[kind].symbol for kind in KINDS}) == len(KINDS)


def test_unknown_methods_have_a_look_of_their_own_always_the_same():
    assert style.method("my_new_method") == style.method("my_new_method")
    assert style.method("my_new_method").label == "my new method"
    assert style.method("my_new_method").color not in {m.color for n, m in style.METHODS.items() if n in TOGETHER[2]}
    looks = {style.method(f"method {i}") for i in range(40)}
    assert len({(look.color, look.marker, look.dash) for look in looks}) > 30


def test_markers_and_dashes_are_matplotlibs():
    for method in style.METHODS.values():
        matplotlib.lines.Line2D([0], [0], color=method.color, marker=method.marker, linestyle=method.dash)


def test_context_is_ours_whatever_the_user_set_and_gone_afterwards():
    with matplotlib.rc_context({"font.size": 33, "axes.facecolor": "pink"}):
        with style.context():
            assert matplotlib.rcParams["font.size"] == style.RC["font.size"]
            assert matplotlib.rcParams["axes.facecolor"] == "white"
            assert matplotlib.rcParams["pdf.fonttype"] == 42
        assert matplotlib.rcParams["font.size"] == 33


@pytest.mark.parametrize(
    "imported, absent",
    [
        ("core.report, core.report.page.comparison", {"torch", "matplotlib.pyplot", "pyarrow.parquet"}),
        ("core.report.draw", {"torch", "matplotlib.pyplot"}),
        ("core.objectives.forrester_function", {"torch", "ConfigSpace"}),
    ],
)
def test_neither_pyplot_nor_torch_is_imported(imported, absent):
    code = f"import sys, {imported}; assert not {absent} & set(sys.modules), sorted(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_drawing_modules_import_nothing_that_only_runs_need():
    """Those of all papers in one process: an import of one is named by the artifact after which it is there."""
    code = (
        "import sys; from core.experiment.paper import Papers\n"
        "from core.report.verdicts.claim_tables import claims_about\n"
        "papers = Papers()\n"
        "for paper, spec in papers.valid.items():\n"
        "    for name in spec.artifacts:\n"
        "        papers.paper(paper).artifact(name).function, claims_about(papers.paper(paper).artifact(name))\n"
        "        bad = {'torch', 'scipy.stats', 'scipy.optimize', 'ConfigSpace', 'sklearn', 'numba'} & {*sys.modules}\n"
        "        assert not bad, (paper, name, bad)\n"
        "assert papers.artifacts"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_caption_is_wrapped_to_the_width_and_dollars_are_dollars():
    with style.context():
        figure = add_caption(style.subplots(width=3.0)[0], "word " * 40 + "costs $5 or $6")
        figure.draw_without_rendering()
        boxes = [line.get_window_extent() for line in figure.texts]
    assert all(box.width <= figure.bbox.width and box.y1 < 0 for box in boxes)
    assert all(below.y1 < above.y0 for above, below in pairwise(boxes)), "lines overlap"
    assert " ".join(line.get_text() for line in figure.texts).endswith("\\$5 or \\$6")


def test_placeholder_says_why():
    with style.context():
        made = placeholder("Fig 1", "not run: uci/boston")
    assert isinstance(made, Figure)
    assert made.figure.axes[0].texts[0].get_text() == "○ not run: uci/boston"


def test_sequential_colours_become_lighter_and_stay_visible_on_white():
    light = [matplotlib.colors.to_rgb(color) @ np.array([0.2126, 0.7152, 0.0722]) for color in style.sequential(6)]
    assert (np.diff(light) > 0.05).all() and light[-1] < 0.8
    assert len(set(style.sequential(4))) == 4 and style.sequential(1) == [style.sequential(5)[0]]


def test_a_legend_has_rows_of_equal_length():
    with style.context():
        figure, axes = style.subplots()
        for name in range(7):
            axes.plot([0, 1], label=str(name))
        style.legend(figure, [axes], 6)
    assert figure.legends[0]._ncols == 4


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
        figure = MatplotlibFigure()
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


def test_names_are_capitalised_without_underscores_unless_they_have_their_own():
    assert data_set_name("power_plant") == "Power plant" and data_set_name("hartmann6") == "Hartmann6"
    assert data_set_names(("wine_red", "mnist")) == {"wine_red": "Red wine", "mnist": "MNIST"}


def test_no_two_data_sets_have_the_same_name():
    names = list(data_set_names(entries()).values())
    assert len(set(names)) == len(names) and not any("_" in name for name in names)
