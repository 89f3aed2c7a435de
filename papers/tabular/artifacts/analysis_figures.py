"""Rank correlations and functional ANOVA of the tables (thesis Figs 7.2 to 7.4 and D.5 to D.9)."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes

from core.experiment.results import Results
from core.report.figures import style
from core.report.figures.figure import Figure
from core.report.verdicts.checks import NotRunError
from core.report.verdicts.published import Published
from core.tabular.importance import best_positions, table_importances
from core.tabular.ranks import SHARES, budget_correlations, dataset_correlations
from core.tabular.table import Table
from papers.tabular.trained_tables import (
    IMPORTANCE_SHARES,
    describe,
    grid_table,
    grid_tables,
    label,
    numbers_of_best,
    short_label,
)

PAIRS = 10  # "the ten most important pairs"
DARK = 0.6  # correlations above are drawn on a dark ground
SHARE_COLORS = dict(zip(SHARES, style.sequential(len(SHARES)), strict=True))
SHORT = {
    "init_lr": "LR",
    "batch_size": "batch",
    "lr_schedule": "schedule",
    "activation_fn_1": "act. 1",
    "activation_fn_2": "act. 2",
    "n_units_1": "units 1",
    "n_units_2": "units 2",
    "dropout_1": "drop. 1",
    "dropout_2": "drop. 2",
}


def fig7_2(results: Results, published: Published | None) -> Figure:
    """Thesis Fig 7.2: rank correlation of fewer epochs with all, on protein."""
    tables = grid_tables(results)
    name = "protein" if "protein" in tables else next(iter(tables))
    return _budgets({name: tables[name]})


def figD_5(results: Results, published: Published | None) -> Figure:
    """Thesis Fig D.5: the same on all sets."""
    return _budgets(grid_tables(results))


def fig7_3(results: Results, published: Published | None) -> Figure:
    """Thesis Fig 7.3: functional ANOVA on protein, the same as Fig D.8."""
    return _importance(results, "protein")


def figD_6(results: Results, published: Published | None) -> Figure:
    """Thesis Fig D.6: functional ANOVA on naval."""
    return _importance(results, "naval")


def figD_7(results: Results, published: Published | None) -> Figure:
    """Thesis Fig D.7: functional ANOVA on parkinsons."""
    return _importance(results, "parkinsons")


def figD_8(results: Results, published: Published | None) -> Figure:
    """Thesis Fig D.8: functional ANOVA on protein."""
    return _importance(results, "protein")


def figD_9(results: Results, published: Published | None) -> Figure:
    """Thesis Fig D.9: functional ANOVA on slice localization."""
    return _importance(results, "slice_localization")


def fig7_4(results: Results, published: Published | None) -> Figure:
    """Thesis Fig 7.4: rank correlation of the test errors across data sets."""
    tables = grid_tables(results)
    if len(tables) < 2:
        raise NotRunError("grid on a second data set")
    frame = dataset_correlations(list(tables.values()), IMPORTANCE_SHARES)
    figure, panels = style.subplots(1, 3, width=7.2, height=2.9)
    for axes, share in zip(panels, IMPORTANCE_SHARES, strict=True):
        rows = frame[frame["share"] == share]
        matrix = rows.pivot(index="first", columns="second", values="correlation").loc[list(tables), list(tables)]
        image = axes.imshow(matrix, vmin=-1, vmax=1, cmap="RdBu")
        names = [short_label(name) for name in tables]
        axes.set_xticks(range(len(names)), names, rotation=45, ha="right")
        axes.set_yticks(range(len(names)), names)
        axes.grid(False)
        axes.set_title(_words(share, rows["configurations"].iloc[0]))
        for i, row in enumerate(matrix.to_numpy()):
            for j, value in enumerate(row):
                ink = "white" if abs(value) > DARK else style.INK
                axes.text(j, i, f"{value:.2f}", ha="center", va="center", fontsize=7, color=ink)
    figure.colorbar(image, ax=list(panels), shrink=0.7, label="Spearman correlation")
    caption = (
        "Average test errors of the configurations that all tables share, in brackets their number; the best are those "
        "on the row's data set. "
        f"{describe(tables.values())}"
    )
    return Figure(figure, caption, frame)


def _budgets(tables: dict[str, Table]) -> Figure:
    width = 7.2 if len(tables) > 1 else 4.2
    figure, panels = style.subplots(1, len(tables), width=width, height=2.6, sharey=True, squeeze=False)
    parts = []
    for axes, (name, table) in zip(panels[0], tables.items(), strict=True):
        frame = budget_correlations(table)
        for share, rows in frame.groupby("share"):
            axes.plot(rows["epoch"], rows["correlation"], color=SHARE_COLORS[share], label=_words(share))
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


def _importance(results: Results, name: str) -> Figure:
    table = grid_table(results, name)
    figure, panels = style.subplots(2, 3, width=7.2, height=4.6)
    parts = []
    for column, share in enumerate(IMPORTANCE_SHARES):
        frame = table_importances(table, share)
        singles, pairs = frame[frame["order"] == 1], frame[frame["order"] == 2].head(PAIRS)
        panels[0, column].set_title(_words(share, len(best_positions(table.mean_test, share))))
        _bars(panels[0, column], singles, style.BLUE)
        _bars(panels[1, column], pairs, style.ORANGE)
        parts.append(frame.assign(share=share))
    for axes in panels[1]:
        axes.set_xlabel("importance")
    caption = (
        f"{label(name)}: share of the variance of the average test error that single hyperparameters (top) and the ten "
        f"strongest pairs (bottom, beyond their singles) explain, computed exactly; in "
        f"brackets the number of configurations. {describe([table])}"
    )
    return Figure(figure, caption, pd.concat(parts).assign(dataset=name))


def _bars(axes: Axes, frame: pd.DataFrame, color: str) -> None:
    names = [" x ".join(SHORT[part] for part in subset.split(" x ")) for subset in frame["hyperparameters"]]
    axes.barh(range(len(names)), frame["importance"], color=color)
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()


def _words(share: float, count: int | None = None) -> str:
    """A share of the best configurations, with their number where it is given."""
    words = "all" if share == 1 else f"top {share:.0%}"
    return words if count is None else f"{words} ({count:,})"
