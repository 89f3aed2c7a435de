"""LC-Net's basis functions and architecture (Figs 5.1, 5.2), and what the collections look like (5.3, B.1, B.2)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from core.experiment.results import Results
from core.report import Figure, NotRunError, Published, style
from core.report.figures.charts import draw_network
from core.report.figures.figure import draw_panels
from core.report.statistics.intervals import ecdf
from papers.lcnet.curves import (
    AUTHORS,
    BINS,
    DRAWS,
    METRICS,
    SETS,
    CurveSet,
    CurveSummary,
    authors_summary,
    basis_draws,
    curve_sets,
)

BOX = {"boxstyle": "round,pad=0.35", "facecolor": "white", "edgecolor": style.INK, "linewidth": 0.8}
ARROW = {"arrowstyle": "-|>", "color": style.GREY, "linewidth": 0.9, "shrinkA": 2, "shrinkB": 2}
SHOWN = 50  # curves per set
SEED = 3  # of the choice of curves
BANDS = ((5, 95), (25, 75))  # percents between which the authors' curves are shaded
Draw = tuple[Callable[[Axes, CurveSet], pd.DataFrame], Callable[[Axes, CurveSummary], pd.DataFrame]]
Made = dict[str, CurveSet | CurveSummary]


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
    from core.models.curves.basis_network import BASIS, PARAMETERS  # imports torch, which other drawings do without
    from core.models.curves.lcnet import AUTHORS

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
        axes.annotate("", end, start, arrowprops=ARROW, zorder=2)
    axes.set_xlim(-0.4, last + 5.7)
    caption = (
        "LC-Net as the code builds it: layers shared by all outputs; A, the range of the observed values, is negative "
        "if curves fall. The thesis draws the noise as a further output; here, as in the code of its authors, it is "
        "one number for each sampled network. Fewer units are drawn than there are."
    )
    return Figure(figure, caption)


def fig5_3(results: Results, published: Published | None) -> Figure:
    """Thesis Fig 5.3: random curves of each set."""
    sets = _sets(results)
    caption = (
        f"Up to {SHOWN} learning curves of each set of ours, drawn at random from those of networks that did not "
        "diverge. Of the authors' curves, which are not ours to publish, the median and the middle 50% and 90% at each "
        f"epoch. {_described(sets)}"
    )
    return _panels(sets, (_curves, _band), caption)


def figB_1(results: Results, published: Published | None) -> Figure:
    """Thesis Fig B.1: how long the configurations take."""
    sets = _sets(results)
    caption = (
        "Seconds that the configurations of each set take for all epochs, ours on one thread and with validation; "
        f"networks that diverged count as if they had gone on. The dotted line is the median. {_described(sets)}"
    )
    return _panels(sets, (_runtimes, _summarized_runtimes), caption)


def figB_2(results: Results, published: Published | None) -> Figure:
    """Thesis Fig B.2: the distribution of the last values."""
    sets = _sets(results)
    caption = (
        "Share of the configurations whose last value is at most that on the axis, of the authors' in steps of 1%; "
        f"networks that diverged have none, and so their share is missing at the right end. {_described(sets)}"
    )

    def of_ours(axes: Axes, made: CurveSet) -> pd.DataFrame:
        return _ecdf(axes, METRICS[made.name], *ecdf(made.curves[:, -1]))

    def of_theirs(axes: Axes, theirs: CurveSummary) -> pd.DataFrame:
        return _ecdf(axes, METRICS[AUTHORS], theirs.last.to_numpy(), theirs.last.index.to_numpy(dtype=float) / 100)

    return _panels(sets, (of_ours, of_theirs), caption)


def _sets(results: Results) -> Made:
    """The authors' set and our own, without those that are not at hand; NotRunError if there are none."""
    sets: Made = {}
    try:
        sets[AUTHORS] = authors_summary(results)
        return sets | curve_sets(results)
    except NotRunError:
        return sets or dict(curve_sets(results))


def _panels(sets: Made, draw: Draw, caption: str) -> Figure:
    """A panel for each set, the authors' and our own; sets that were not collected say so."""
    figure, panels = style.subplots(2, 3, height=4.4)
    draw_ours, draw_theirs = draw

    def draw_one(axes: Axes, name: str) -> pd.DataFrame:
        if name not in sets:
            raise NotRunError(name)
        made = sets[name]
        drawn = draw_ours(axes, made) if isinstance(made, CurveSet) else draw_theirs(axes, made)
        return drawn.assign(set=name)

    return Figure(figure, caption, draw_panels(panels.flat, SETS, draw_one))


def _curves(axes: Axes, made: CurveSet) -> pd.DataFrame:
    finished = made.finished().curves
    chosen = np.sort(np.random.default_rng(SEED).permutation(len(finished))[:SHOWN])
    epochs = np.arange(1, made.epochs + 1)
    colors = np.resize([style.BLUE, style.SKY, style.TEAL, style.ORANGE, style.VERMILION, style.PURPLE], len(chosen))
    for place, color in zip(chosen, colors, strict=True):
        axes.plot(epochs, finished[place], color=color, linewidth=0.7, alpha=0.7)
    axes.set(xlabel="epoch", ylabel=METRICS[made.name], xlim=(1, made.epochs))
    return pd.DataFrame(
        {
            "curve": np.repeat(chosen, made.epochs),
            "epoch": np.tile(epochs, len(chosen)),
            "value": finished[chosen].ravel(),
        }
    )


def _band(axes: Axes, theirs: CurveSummary) -> pd.DataFrame:
    epochs = theirs.band.index.to_numpy(dtype=int)
    for low, high in BANDS:
        axes.fill_between(epochs, theirs.band[low], theirs.band[high], color=style.BLUE, alpha=0.25, linewidth=0)
    axes.plot(epochs, theirs.band[50], color=style.BLUE)
    axes.set(xlabel="epoch", ylabel=METRICS[AUTHORS], xlim=(1, theirs.epochs))
    return theirs.band.rename_axis(columns="percent").stack().rename("value").reset_index()


def _runtimes(axes: Axes, made: CurveSet) -> pd.DataFrame:
    axes.hist(made.runtimes, BINS, color=style.BLUE)
    _label_runtimes(axes, float(np.median(made.runtimes)))
    return pd.DataFrame({"seconds": np.sort(made.runtimes)})


def _summarized_runtimes(axes: Axes, theirs: CurveSummary) -> pd.DataFrame:
    edges = np.linspace(theirs.seconds[0], theirs.seconds[100], BINS + 1)
    axes.stairs(theirs.counts, edges, fill=True, color=style.BLUE)
    _label_runtimes(axes, theirs.seconds[50])
    return pd.DataFrame({"from": edges[:-1], "to": edges[1:], "configurations": theirs.counts})


def _label_runtimes(axes: Axes, middle: float) -> None:
    axes.axvline(middle, color=style.INK, linestyle=":", linewidth=1)
    axes.set(xlabel="seconds for all epochs", ylabel="configurations", xlim=(0, None))


def _ecdf(axes: Axes, metric: str, value: np.ndarray, share: np.ndarray) -> pd.DataFrame:
    axes.step(value, share, where="post", color=style.BLUE)
    axes.set(xlabel=metric, ylabel="share of configurations", ylim=(0, 1.02))
    return pd.DataFrame({"value": value, "share": share})


def _described(sets: Made) -> str:
    """Sizes of the sets in words, the authors' first."""
    parts = []
    if isinstance(theirs := sets.get(AUTHORS), CurveSummary):
        size = f"{len(theirs.falls)} configurations, {theirs.epochs} epochs"
        parts.append(f"The authors': {SETS[AUTHORS]} {size}.")
    sizes = [
        f"{SETS[name]} {len(made.curves)} configurations ({made.diverged.sum()} diverged), {made.epochs} epochs"
        for name, made in sets.items()
        if isinstance(made, CurveSet)
    ]
    return " ".join([*parts, f"Made here: {'; '.join(sizes)}."] if sizes else parts)
