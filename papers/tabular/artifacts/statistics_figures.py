"""Empirical distributions of the tables' contents (thesis Fig 7.1 and Figs D.1 to D.4)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from core.experiment.results import Results
from core.report import style
from core.report.figures.figure import Figure
from core.report.statistics.intervals import ecdf
from core.report.verdicts.published import Published
from core.tabular.table import Table
from papers.tabular.authors_records import distributions, in_words
from papers.tabular.trained_tables import describe, grid_tables, grid_tables_or, in_order, label, noise_of, short_label

Curves = dict[str, np.ndarray]
COLORS = {"train": style.BLUE, "validation": style.ORANGE, "test": style.GREEN}
DASHES = {"test": "--"}  # on the tables validation and test errors are nearly the same


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


def figD_1(results: Results, published: Published | None) -> Figure:
    """Thesis Fig D.1: errors after all epochs."""
    return _by_set(results, "Errors", "averages over the repetitions")


def figD_2(results: Results, published: Published | None) -> Figure:
    """Thesis Fig D.2: numbers of parameters."""
    return _by_set(results, "Parameters", "trainable parameters of each network")


def figD_3(results: Results, published: Published | None) -> Figure:
    """Thesis Fig D.3: training times."""
    return _by_set(results, "Training time", "averages over the repetitions")


def figD_4(results: Results, published: Published | None) -> Figure:
    """Thesis Fig D.4: noise after each of the stored epochs."""
    return _by_set(results, "Noise", NOISE)


NOISE = "standard deviation of the validation error over the repetitions, after several numbers of epochs"


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


THEIRS = "authors' data"
AUTHORS = {"Errors": ("error", f"validation, {THEIRS}"), "Noise": ("noise", f"100 epochs, {THEIRS}")}
"""What is recorded of the authors' tables for a panel, and the name of its curve."""


def _by_set(results: Results, title: str, words: str) -> Figure:
    values_of, unit = PANELS[title]
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
