"""What the tables contain (thesis Figs 7.1 and D.1 to D.4), and our trainings beside the authors' of the same."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from core.experiment.results import Results
from core.report import style
from core.report.figures.figure import Figure
from core.report.runs.frames import NotRunError
from core.report.statistics.intervals import ecdf
from core.report.verdicts.published import Published
from core.tabular.table import Table
from core.tabular.values import VALUES
from papers.tabular.authors_tables import (
    QUARTILES,
    THEIRS,
    Beside,
    Pair,
    distributions,
    in_words,
    pairs_of,
    random_ones,
)
from papers.tabular.trained_tables import (
    SHORT,
    describe,
    grid_tables,
    grid_tables_or,
    in_order,
    label,
    noise_of,
    short_label,
)

Curves = dict[str, np.ndarray]
COLORS = {"train": style.BLUE, "validation": style.ORANGE, "test": style.GREEN}
NOISE = "standard deviation of the validation error over the repetitions, after several numbers of epochs"
DASHES = {"test": "--"}  # on the tables validation and test errors are nearly the same

AUTHORS = {"Errors": ("error", f"validation, {THEIRS}"), "Noise": ("noise", f"100 epochs, {THEIRS}")}
"""What is recorded of the authors' tables for a panel, and the name of its curve."""
SOURCES = (style.BLUE, style.GREEN)  # our part of the grid, and what is drawn from the whole
RANDOM = "drawn from the whole grid"


def fig7_1(results: Results, published: Published | None) -> Figure:
    """Thesis Fig 7.1: errors, numbers of parameters, training times and noise on protein."""
    tables = grid_tables(results)
    name = "protein" if "protein" in tables else next(iter(tables))
    shown = []
    figure, panels = style.subplots(2, 2, height=4.6, sharey=True)
    parts = []
    for axes, (title, (values_of, unit)) in zip(panels.flat, PANELS.items(), strict=True):
        axes.set_title(title)
        theirs = _of_authors(results, title).get(name, {})
        shown += theirs
        parts.append(_panel(axes, values_of(tables[name]) | theirs, unit).assign(panel=title))
        if len(axes.get_legend_handles_labels()[1]) > 1:
            axes.legend(loc="lower right")
    for axes in panels[:, 0]:
        axes.set_ylabel("share of configurations")
    caption = f"{label(name)}: averages over the repetitions; noise is the {NOISE}. {describe([tables[name]])}"
    if shown:
        caption += f" {in_words([name])}"
    return Figure(figure, caption, pd.concat(parts).assign(dataset=name))


def _errors(table: Table) -> Curves:
    return {"train": table.mean_train[:, -1], "validation": table.mean_valid[:, -1], "test": table.mean_test}


def _noise(table: Table) -> Curves:
    return {f"{epoch} epochs": noise for epoch, noise in zip(table.epochs, noise_of(table).T, strict=True)}


PANELS: dict[str, tuple[Callable[[Table], Curves], str]] = {
    "Errors": (_errors, "mean squared error"),
    "Parameters": (lambda table: {"": table.parameters.astype(float)}, "number of parameters"),
    "Training time": (lambda table: {"": table.mean_seconds}, "seconds"),
    "Noise": (_noise, "standard deviation"),
}
WORDS = {
    "Errors": "averages over the repetitions",
    "Parameters": "trainable parameters of each network",
    "Training time": "averages over the repetitions",
    "Noise": NOISE,
}


def by_set(results: Results, published: Published | None, title: str) -> Figure:
    """Thesis Figs D.1 to D.4: one of these panels for each data set."""
    (values_of, unit), words = PANELS[title], WORDS[title]
    theirs = _of_authors(results, title)
    tables = grid_tables_or(results, theirs)
    names = list(in_order({**tables, **theirs}))
    figure, panels = style.subplots(1, len(names), width=7.2, height=2.4, sharey=True, squeeze=False)
    parts = []
    for axes, name in zip(panels[0], names, strict=True):
        axes.set_title(short_label(name))
        curves = (values_of(tables[name]) if name in tables else {}) | theirs.get(name, {})
        parts.append(_panel(axes, curves, unit).assign(dataset=name))
    panels[0, 0].set_ylabel("share of configurations")
    if len(panels[0, 0].get_legend_handles_labels()[1]) > 1:
        style.legend(figure, panels.flat, 5)
    caption = f"{words.capitalize()}. {describe(tables.values())}" if tables else f"{words.capitalize()}."
    if theirs:
        caption += f" {in_words(theirs)}"
    return Figure(figure, caption, pd.concat(parts))


def _of_authors(results: Results, title: str) -> dict[str, Curves]:
    """What a panel shows of the authors' tables, which have final validation errors alone, by data set."""
    if title not in AUTHORS:
        return {}
    quantity, curve = AUTHORS[title]
    return {name: {curve: values} for name, values in distributions(results, quantity).items()}


def _panel(axes: Axes, curves: Curves, unit: str) -> pd.DataFrame:
    """Draw distributions as steps on a log axis; the share that diverged is missing at the right end.

    Returns:
        curve, value, share: what was drawn.
    """
    parts = []
    own = [name for name in curves if THEIRS not in name]
    ordered = dict(zip(own, style.sequential(len(own)), strict=True)) if len(own) > len(COLORS) else COLORS
    for name, values in curves.items():
        shown, share = ecdf(values)
        look = {"color": ordered.get(name, style.BLUE), "linestyle": DASHES.get(name, "-")}
        if name not in own:
            look = {"color": style.INK, "linestyle": ":"}
        axes.step(shown, share, where="post", label=name, **look)
        parts.append(pd.DataFrame({"curve": name, "value": shown, "share": share}))
    axes.set_xscale("log")
    axes.set_xlabel(unit)
    axes.set_ylim(0, 1.02)
    return pd.concat(parts)


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
    for (name, one), color, size in zip(both.items(), SOURCES, (2, 5), strict=False):
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
    for (name, frame), color, shift in zip(frames.items(), SOURCES, shifts, strict=False):
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
