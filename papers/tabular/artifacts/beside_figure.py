"""Our training beside the authors': the errors of the same configurations, and their ratio by hyperparameter."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from core.experiment.results import Results
from core.report.figures import style
from core.report.figures.figure import Figure
from core.report.verdicts.checks import NotRunError
from core.report.verdicts.published import Published
from papers.tabular.artifacts.analysis_figures import SHORT
from papers.tabular.beside_authors import QUARTILES, Pair, pairs_of
from papers.tabular.trained_tables import describe, short_label


def beside_authors(results: Results, published: Published | None) -> Figure:
    """Final validation errors of our trainings against the authors', and quartiles of their ratio (ours)."""
    if not (pairs := pairs_of(results)):
        raise NotRunError("grid and authors_beside on the same data set")
    figure, panels = style.subplots(
        2, len(pairs), width=7.2, height=6.4, squeeze=False, gridspec_kw={"height_ratios": [1, 1.7]}
    )
    parts = []
    for (above, below), (name, pair) in zip(panels.T, pairs.items(), strict=True):
        above.set_title(f"{short_label(name)}, rank corr. {pair.rank_correlation:.3f}")
        parts += [_scatter(above, pair).assign(dataset=name), _ratios(below, pair).assign(dataset=name)]
    panels[0, 0].set_ylabel("our error")
    words = " ".join(_in_words(name, pair) for name, pair in pairs.items())
    caption = (
        "Average final validation errors of the same configurations; solid line: equal errors, dashed: the median "
        f"ratio. Below: quartiles of our error over theirs by hyperparameter. {words} "
        f"{describe(pair.ours for pair in pairs.values())}"
    )
    return Figure(figure, caption, pd.concat(parts, ignore_index=True))


def _scatter(axes: Axes, pair: Pair) -> pd.DataFrame:
    ours, theirs = pair.errors, pair.theirs
    axes.scatter(theirs, ours, s=2, alpha=0.4, color=style.BLUE, linewidths=0, rasterized=True)
    ends = np.array([theirs.min(), theirs.max()])
    axes.plot(ends, ends, color=style.INK, linewidth=0.8)
    axes.plot(ends, ends * np.median(pair.ratios), "--", color=style.ORANGE, linewidth=1.2)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("authors' error")
    return pd.DataFrame({"part": "errors", "configuration": pair.ours.grid.indices, "ours": ours, "authors": theirs})


def _ratios(axes: Axes, pair: Pair) -> pd.DataFrame:
    frame = pair.ratios_by_value()
    places = np.arange(len(frame))
    axes.hlines(places, frame["low"], frame["high"], color=style.BLUE, linewidth=1.5)
    axes.plot(frame["median"], places, "o", color=style.BLUE, markersize=3.5)
    axes.axvline(1.0, color=style.INK, linewidth=0.8)
    axes.axvline(float(np.median(pair.ratios)), color=style.ORANGE, linestyle="--", linewidth=1.2)
    names = [f"{SHORT[row.hyperparameter]} {row.value}" for row in frame.itertuples()]
    axes.set_yticks(places, names, fontsize=7)
    axes.invert_yaxis()
    axes.set_xlabel("our error over the authors'")
    return frame.assign(part="ratios")


def _in_words(name: str, pair: Pair) -> str:
    low, median, high = np.quantile(pair.ratios, QUARTILES)
    below, middle, above = pair.test_over_validation
    return (
        f"{short_label(name)}: ratio {median:.2f} [{low:.2f}, {high:.2f}]; our best is their number "
        f"{pair.rank_of_our_best}; relative standard deviation over repetitions {pair.our_spread:.3f}, theirs "
        f"{pair.spread:.3f}; most frequent error of their whole table, that of a constant prediction, "
        f"{pair.constant:.3f}; our test error over our validation error {middle:.3f} [{below:.3f}, {above:.3f}]."
    )
