"""Rank correlations and functional ANOVA of the tables (thesis Figs 7.2 to 7.4 and D.5 to D.9)."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.image import AxesImage
from matplotlib.ticker import MaxNLocator

from core.experiment.results import Results
from core.report import style
from core.report.figures.figure import Figure
from core.report.runs.frames import NotRunError
from core.report.verdicts.published import Published
from core.tabular.analysis import SHARES, best_positions, budget_correlations, dataset_correlations, table_importances
from core.tabular.table import Table
from papers.tabular.authors_tables import THEIRS, agreements, importances, in_words
from papers.tabular.trained_tables import (
    IMPORTANCE_SHARES,
    SHORT,
    describe,
    grid_tables,
    grid_tables_or,
    in_order,
    label,
    numbers_of_best,
    short_label,
)

PAIRS = 10  # "the ten most important pairs"
COLORS = {"ours": style.BLUE, THEIRS: style.ORANGE}
DARK = 0.6  # correlations above are drawn on a dark ground
SHARE_COLORS = dict(zip(SHARES, style.sequential(len(SHARES)), strict=True))


def fig7_2(results: Results, published: Published | None) -> Figure:
    """Thesis Fig 7.2: rank correlation of fewer epochs with all, on protein."""
    tables = grid_tables(results)
    name = "protein" if "protein" in tables else next(iter(tables))
    return _budgets({name: tables[name]})


def figD_5(results: Results, published: Published | None) -> Figure:
    """Thesis Fig D.5: the same on all sets."""
    return _budgets(grid_tables(results))


def fig7_4(results: Results, published: Published | None) -> Figure:
    """Thesis Fig 7.4: rank correlation of the errors across data sets, on our tables and on the authors'."""
    theirs = agreements(results, IMPORTANCE_SHARES)
    tables = grid_tables_or(results, theirs)
    frames = {}
    if len(tables) > 1:
        frames["ours"] = dataset_correlations(list(tables.values()), IMPORTANCE_SHARES)
    if len(theirs):
        frames[THEIRS] = theirs
    if not frames:
        raise NotRunError("grid on a second data set")
    figure, panels = style.subplots(len(frames), 3, width=7.2, height=2.7 * len(frames), squeeze=False)
    for row, (source, frame) in zip(panels, frames.items(), strict=True):
        for axes, (share, rows) in zip(row, frame.groupby("share"), strict=True):
            image = _matrix(axes, rows, list(in_order(dict.fromkeys(frame["first"]))))
            axes.set_title(f"{source},\n{_words(share, rows['configurations'].iloc[0])}")
    figure.colorbar(image, ax=panels.ravel().tolist(), shrink=0.7, label="Spearman correlation")
    caption = (
        "Average errors, our test errors and the authors' validation errors, of the configurations that all tables "
        "share, in brackets their number; the best are those on the row's data set. "
        f"{_described(tables if 'ours' in frames else {}, in_order(dict.fromkeys(theirs.get('first', ()))))}"
    )
    return Figure(figure, caption, pd.concat(frame.assign(source=source) for source, frame in frames.items()))


def _matrix(axes: Axes, rows: pd.DataFrame, order: list[str]) -> AxesImage:
    matrix = rows.pivot(index="first", columns="second", values="correlation").loc[order, order]
    image = axes.imshow(matrix, vmin=-1, vmax=1, cmap="RdBu")
    names = [short_label(name) for name in order]
    axes.set_xticks(range(len(names)), names, rotation=45, ha="right")
    axes.set_yticks(range(len(names)), names)
    axes.grid(False)
    for i, row in enumerate(matrix.to_numpy()):
        for j, value in enumerate(row):
            ink = "white" if abs(value) > DARK else style.INK
            axes.text(j, i, f"{value:.2f}", ha="center", va="center", fontsize=7, color=ink)
    return image


def _described(ours: dict[str, Table], theirs: Collection[str]) -> str:
    """The sizes of our tables, and of the authors' of these sets, in words."""
    words = [describe(ours.values())] if ours else []
    return " ".join([*words, *([in_words(theirs)] if theirs else [])])


def _budgets(tables: dict[str, Table]) -> Figure:
    width = 7.2 if len(tables) > 1 else 4.2
    figure, panels = style.subplots(1, len(tables), width=width, height=2.6, sharey=True, squeeze=False)
    parts = []
    for axes, (name, table) in zip(panels[0], tables.items(), strict=True):
        frame = budget_correlations(table)
        for share, rows in frame.groupby("share"):
            look = {
                "color": SHARE_COLORS[share],
                "linewidth": 0.7 if share == SHARES[0] else 1.5,
            }  # few have much noise
            axes.plot(rows["epoch"], rows["correlation"], label=_words(share), **look)
        axes.set_title(short_label(name))
        axes.set_xlabel("epochs")
        axes.set_xscale("log")
        parts.append(frame.assign(dataset=name))
    panels[0, 0].set_ylabel("Spearman correlation")
    handles, words = panels[0, 0].get_legend_handles_labels()
    figure.legend(handles, words, loc="outside upper center", ncols=len(words))
    caption = (
        "Average validation errors after fewer epochs against those after all, over all configurations and over "
        f"those with the best average test errors; the top {SHARES[0]:.0%} are "
        f"{numbers_of_best(tables.values(), SHARES[0])}. "
        f"{describe(tables.values())}"
    )
    return Figure(figure, caption, pd.concat(parts))


def importance(results: Results, published: Published | None, dataset: str) -> Figure:
    """Thesis Figs 7.3 and D.6 to D.9: functional ANOVA on a data set.

    Bars of our table and of the authors', those of the authors' largest first where there are both.
    """
    theirs = importances(results, dataset)
    table = grid_tables_or(results, theirs).get(dataset)
    if table is None and not len(theirs):
        raise NotRunError(f"grid/{dataset}")
    figure, panels = style.subplots(2, 3, width=7.2, height=5.0)
    parts = []
    for column, share in enumerate(IMPORTANCE_SHARES):
        frames = {} if table is None else {"ours": _importances(table, share)}
        if len(theirs):
            frames[THEIRS] = theirs[theirs["share"] == share]
        counts = [f"{frame['configurations'].iloc[0]:,}" for frame in frames.values()]
        panels[0, column].set_title(f"{_words(share)} ({', '.join(counts)})")
        for row, order in enumerate((1, 2)):
            _bars(panels[row, column], {source: frame[frame["order"] == order] for source, frame in frames.items()})
        parts += [frame.assign(source=source) for source, frame in frames.items()]
    for axes in panels[1]:
        axes.set_xlabel("importance")
    if len(theirs):  # their bars have a colour of their own, also where they are alone
        style.legend(figure, panels.flat, 2)
    words = _described({} if table is None else {dataset: table}, [dataset] if len(theirs) else [])
    caption = (
        f"{label(dataset)}: share of the variance of the average error (ours: test, authors': validation) "
        "that single hyperparameters (top) and the ten strongest pairs (bottom, beyond their singles) explain, "
        f"computed exactly; in brackets the number of configurations. {words}"
    )
    columns = ["hyperparameters", "order", "importance", "share", "source"]
    return Figure(figure, caption, pd.concat(parts)[columns].assign(dataset=dataset))


def _importances(table: Table, share: float) -> pd.DataFrame:
    """Importances in a table of ours, with the columns of the record `authors_importances`."""
    count = len(best_positions(table.mean_final, share))
    return table_importances(table, share).assign(share=share, configurations=count)


def _bars(axes: Axes, frames: dict[str, pd.DataFrame]) -> None:
    """Grouped bars; the last frame has the order, and hyperparameters that another lacks have no bar."""
    shown = next(reversed(frames.values())).head(PAIRS)["hyperparameters"]
    height = 0.8 / len(frames)
    for number, (source, frame) in enumerate(frames.items()):
        values = frame.set_index("hyperparameters")["importance"].reindex(shown)
        places = np.arange(len(shown)) + (number - (len(frames) - 1) / 2) * height
        axes.barh(places, values, height, color=COLORS[source], label=source)
    names = [" x ".join(SHORT[part] for part in subset.split(" x ")) for subset in shown]
    axes.set_yticks(range(len(names)), names)
    axes.xaxis.set_major_locator(MaxNLocator(4 if axes.get_xlim()[1] > 0.01 else 3))
    axes.xaxis.set_major_formatter("{x:g}")
    axes.invert_yaxis()


def _words(share: float, count: int | None = None) -> str:
    """A share of the best configurations, with their number where it is given."""
    words = "all" if share == 1 else f"top {share:.0%}"
    return words if count is None else f"{words} ({count:,})"
