"""Our training beside the authors': the errors of the same configurations, and their ratio by hyperparameter."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from core.experiment.results import Results
from core.report import style
from core.report.figures.figure import Figure
from core.report.runs.frames import NotRunError
from core.report.verdicts.published import Published
from core.tabular.values import VALUES
from papers.tabular.artifacts.analysis_figures import SHORT
from papers.tabular.beside_authors import QUARTILES, Beside, Pair, pairs_of, random_ones
from papers.tabular.trained_tables import describe, short_label

COLORS = (style.BLUE, style.GREEN)
RANDOM = "drawn from the whole grid"


def beside_authors(results: Results, published: Published | None) -> Figure:
    """Final validation errors of our trainings against the authors', and quartiles of their ratio (ours)."""
    if not (pairs := pairs_of(results)):
        raise NotRunError("grid and authors_beside on the same data set")
    drawn = {name: one for name, one in random_ones(results).items() if name in pairs}
    figure, panels = style.subplots(
        2, len(pairs), width=7.2, height=8.4, squeeze=False, gridspec_kw={"height_ratios": [1, 2.6]}
    )
    parts = []
    for (above, below), (name, pair) in zip(panels.T, pairs.items(), strict=True):
        above.set_title(f"{short_label(name)}, rank corr. {pair.rank_correlation:.3f}")
        both = {"our part of the grid": pair, **({RANDOM: drawn[name]} if name in drawn else {})}
        parts += [_scatter(above, both).assign(dataset=name), _ratios(below, both).assign(dataset=name)]
    panels[0, 0].set_ylabel("our error")
    panels[0, 0].legend(loc="upper left", fontsize=6, markerscale=2)
    words = " ".join(_in_words(name, pair, drawn.get(name)) for name, pair in pairs.items())
    caption = (
        "Average final validation errors of the same configurations; solid line: equal errors, dashed: the median "
        f"ratio on our part of the grid. Below: quartiles of our error over theirs by hyperparameter. {words} "
        f"{describe(pair.ours for pair in pairs.values())}"
    )
    return Figure(figure, caption, pd.concat(parts, ignore_index=True))


def _scatter(axes: Axes, both: Mapping[str, Beside]) -> pd.DataFrame:
    pair, parts = next(iter(both.values())), []
    for (name, one), color, size in zip(both.items(), COLORS, (2, 5), strict=False):
        axes.scatter(one.theirs, one.errors, s=size, alpha=0.4, color=color, linewidths=0, rasterized=True, label=name)
        columns = {"configuration": one.indices, "ours": one.errors, "authors": one.theirs}
        parts.append(pd.DataFrame({"part": "errors", "source": name, **columns}))
    ends = np.array([min(one.theirs.min() for one in both.values()), max(one.theirs.max() for one in both.values())])
    axes.plot(ends, ends, color=style.INK, linewidth=0.8)
    axes.plot(ends, ends * np.median(pair.ratios), "--", color=style.ORANGE, linewidth=1.2)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("authors' error")
    return pd.concat(parts, ignore_index=True)


def _ratios(axes: Axes, both: Mapping[str, Beside]) -> pd.DataFrame:
    frames = {name: one.ratios_by_value() for name, one in both.items()}
    rows = {name: list(zip(frame["hyperparameter"], frame["value"])) for name, frame in frames.items()}
    every = [(name, str(value)) for name, values in VALUES.items() for value in values]
    shown = [row for row in every if any(row in present for present in rows.values())]
    shifts = (0.0,) if len(frames) == 1 else (-0.17, 0.17)
    for (name, frame), color, shift in zip(frames.items(), COLORS, shifts, strict=False):
        places = np.array([shown.index(row) for row in rows[name]]) + shift
        axes.hlines(places, frame["low"], frame["high"], color=color, linewidth=1.3)
        axes.plot(frame["median"], places, "o", color=color, markersize=2.8)
    axes.axvline(1.0, color=style.INK, linewidth=0.8)
    axes.axvline(float(np.median(next(iter(both.values())).ratios)), color=style.ORANGE, linestyle="--", linewidth=1.2)
    axes.set_yticks(range(len(shown)), [f"{SHORT[name]} {value}" for name, value in shown], fontsize=6)
    axes.invert_yaxis()
    axes.set_xlabel("our error over the authors'")
    parts = [frame.assign(part="ratios", source=name) for name, frame in frames.items()]
    return pd.concat(parts, ignore_index=True)


def _in_words(name: str, pair: Pair, drawn: Beside | None) -> str:
    below, middle, above = pair.test_over_validation
    words = (
        f"{short_label(name)}: ratio {_ratio(pair)}; our best is their number "
        f"{pair.rank_of_our_best}; relative standard deviation over repetitions {pair.our_spread:.3f}, theirs "
        f"{pair.spread:.3f}; most frequent error of their whole table, that of a constant prediction, "
        f"{pair.constant:.3f}; our test error over our validation error {middle:.3f} [{below:.3f}, {above:.3f}]."
    )
    if drawn is None:
        return words
    return (
        f"{words} {len(drawn.indices)} configurations drawn at random from the whole grid: rank correlation "
        f"{drawn.rank_correlation:.3f}, ratio {_ratio(drawn)}."
    )


def _ratio(one: Beside) -> str:
    low, median, high = np.quantile(one.ratios, QUARTILES)
    return f"{median:.2f} [{low:.2f}, {high:.2f}]"
