"""LC-Net itself: its basis functions and its architecture (thesis Figs 5.1, 5.2, Table B.2), drawn from the code."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from core.experiment.results import Results
from core.report import Figure, Published
from core.report.figures import style
from core.report.figures.network_diagram import draw_network
from core.report.tables.compare import spec_table
from core.report.tables.table import ReportTable
from core.report.verdicts.names import published_names
from papers.lcnet.basis_draws import DRAWS, basis_draws, formulas

BOX = {"boxstyle": "round,pad=0.35", "facecolor": "white", "edgecolor": style.INK, "linewidth": 0.8}
ARROW = {"arrowstyle": "-|>", "color": style.GREY, "linewidth": 0.9, "shrinkA": 2, "shrinkB": 2}


def fig5_1(results: Results, published: Published | None) -> Figure:
    """Thesis Fig 5.1: the basis functions for random parameters."""
    t, draws = basis_draws()
    figure, panels = style.subplots(1, len(draws), width=7.2, height=2.0, sharex=True)
    parts = []
    for axes, (name, values) in zip(panels, draws.items(), strict=True):
        axes.plot(t, values.T, color=style.BLUE, linewidth=0.6, alpha=0.45)
        axes.set_title(name, fontsize=8.5)
        axes.set(xlim=(0, 1), xticks=(0, 0.5, 1))
        columns = {"draw": np.repeat(np.arange(DRAWS), len(t)), "t": np.tile(t, DRAWS), "value": values.ravel()}
        parts.append(pd.DataFrame(columns).assign(function=name))
    panels[0].set_ylabel("residual")
    figure.supxlabel("t, the share of the epochs", fontsize=8.5)
    caption = (
        f"{DRAWS} draws of each basis function, parameters uniform in [0, 1]; each panel has a scale of its own. A "
        "curve is its asymptote plus a weighted mean of these residuals, times the range of the curves."
    )
    return Figure(figure, caption, pd.concat(parts, ignore_index=True))


def fig5_2(results: Results, published: Published | None) -> Figure:
    """Thesis Fig 5.2: what the layers compute, with the sizes of the module."""
    from core.models.curves.basis import BASIS, PARAMETERS  # imports torch, which other drawings do without
    from core.models.curves.chains import AUTHORS

    figure, axes = style.subplots(width=7.2, height=2.9)
    hidden = [(f"{width} tanh", 6) for width in AUTHORS["widths"]]
    draw_network(axes, [("input x", 3), *hidden], "", markersize=7, regression=False)
    last = len(hidden)
    heads = (
        (0.85, "asymptote $\\mu_\\infty(x)$\n1 output, linear"),
        (0.0, f"weights w(x)\n{len(BASIS)} outputs, softmax"),
        (-0.85, f"parameters $\\theta(x)$\n{PARAMETERS} outputs, sigmoid"),
    )
    for height, text in heads:
        for unit in np.linspace(-1, 1, 6):
            axes.plot([last, last + 0.8], [unit, height], color="0.6", linewidth=0.5, zorder=1)
        axes.text(last + 1.45, height, text, ha="center", va="center", bbox=BOX, zorder=3)
    basis = f"{len(BASIS)} basis functions\n$\\phi_k(t; \\theta_k)$"
    axes.text(last + 3.35, -0.85, basis, ha="center", va="center", bbox=BOX, zorder=3)
    axes.text(last + 3.35, 0.85, "$g = \\mu_\\infty + A\\,\\sum_k w_k\\,\\phi_k$", ha="center", va="center", bbox=BOX)
    axes.text(last + 5.0, 0.85, "$y \\sim N(g, \\sigma^2)$", ha="center", va="center", bbox=BOX, zorder=3)
    axes.text(last + 5.0, 0.0, "noise $\\sigma^2$,\none for all x", ha="center", va="center", bbox=BOX, zorder=3)
    axes.text(last + 5.0, -0.85, "time t", ha="center", va="center", bbox=BOX, zorder=3)
    for start, end in (
        ((last + 2.2, 0.85), (last + 2.55, 0.85)),
        ((last + 2.25, 0.0), (last + 3.0, 0.64)),
        ((last + 2.3, -0.85), (last + 2.6, -0.85)),
        ((last + 3.35, -0.62), (last + 3.35, 0.64)),
        ((last + 4.6, -0.85), (last + 4.08, -0.85)),
        ((last + 4.15, 0.85), (last + 4.4, 0.85)),
        ((last + 5.0, 0.22), (last + 5.0, 0.68)),
    ):
        _arrow(axes, start, end)
    axes.set_xlim(-0.4, last + 5.7)
    caption = (
        "LC-Net as the code builds it: layers shared by all outputs; A, the range of the observed values, is negative "
        "if curves fall. The thesis draws the noise as a further output; here, as in the code of its authors, it is "
        "one number for each sampled network. Fewer units are drawn than there are."
    )
    return Figure(figure, caption)


@published_names(rows=formulas, columns=("formula",))
def tableB_2(results: Results, published: Published) -> ReportTable:
    """Thesis Table B.2: the formulas as printed and as coded."""
    ours = pd.DataFrame.from_dict(
        {name: {"formula": text} for name, text in formulas().items() if text}, orient="index"
    )
    return spec_table(
        ours,
        published,
        caption="The basis functions for a, b, c in [0, 1]. The thesis has five and prints three, none of which is a "
        "residual that vanishes at t = 1; ours are those of the authors' earlier code, made to vanish there.",
        row_header="Function",
        column_labels={"formula": "formula"},
    )


def _arrow(axes: Axes, start: tuple[float, float], end: tuple[float, float]) -> None:
    axes.annotate("", end, start, arrowprops=ARROW, zorder=2)
