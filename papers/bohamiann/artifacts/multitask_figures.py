"""The figures of searches that start from other data sets."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from core.experiment.results import Results
from core.report import Figure, Published
from core.report.figures import style
from core.report.figures.bands import draw_evaluations
from core.report.figures.panels import benchmark_panels, tuning_panels
from core.report.figures.published_marks import mark_published
from core.report.runs.frames import methods_run
from core.report.verdicts.names import published_names
from core.report.verdicts.published import published_in
from papers.bohamiann.multitask_runs import METHODS, OPENML, PROBLEMS, SETS, SHOWN, TARGET, points_of_regret


def fig3_4(results: Results, published: Published | None) -> Figure:
    """Thesis Fig 3.4: XGBoost on three sets. The text names none of them but wine."""
    return _sets(results, SHOWN)


def figA_2(results: Results, published: Published | None) -> Figure:
    """Thesis Fig A.2: the same on all sets."""
    return _sets(results, tuple(SETS))


@published_names(columns=("percent_faster",))
def multitask(results: Results, published: Published | None) -> Figure:
    """NIPS section 6.2: immediate regret in the tables of four groups of sets, for both algorithms."""
    caption = (
        "Multi-task methods know 30 random cells of the tables of the group's other sets. Marks: where GP-BO's mean "
        "reaches that, less the 12% (MT-BOHAMIANN) and 5% (MT-BO) by which the paper's are faster on average."
    )
    return _regrets(results.frame("multitask"), PROBLEMS, caption, marked=True)


def multitask_openml(results: Results, published: Published | None) -> Figure:
    """The same on surrogates of stored evaluations, each run on a task of its own (ours)."""
    caption = (
        "Each run has a task of its own, a forest grown on its 250 stored evaluations; multi-task methods know 30 "
        "random ones of each of four other tasks."
    )
    return _regrets(results.frame("multitask_openml"), OPENML, caption, marked=False)


def _regrets(frame: pd.DataFrame, titles: Mapping[str, str], caption: str, marked: bool) -> Figure:
    def draw(axes: Axes, name: str) -> pd.DataFrame:
        axes.set_yscale("log")
        run = methods_run(frame, name)
        shown = {method: points_of_regret(frame, name, method) for method in METHODS if method in run}
        drawn = [draw_evaluations(axes, regret, method) for method, regret in shown.items()]
        axes.axhline(TARGET, color=style.GREY, linewidth=0.8, linestyle=":")
        if marked and "gp" in run:
            _mark_faster(axes, points_of_regret(frame, name, "gp").mean(0))
        axes.set(xlabel="evaluations", ylabel="regret (percentage points)")
        return pd.concat(drawn).assign(benchmark=name)

    shown = (
        "Mean and standard error of the immediate regret of validation error. Dotted: the regret to be reached, "
        f"{TARGET:g} percentage points."
    )
    return benchmark_panels(frame, titles, tuple(titles), 2, draw, f"{shown} {caption}")


def _mark_faster(axes: Axes, gp: np.ndarray) -> None:
    """Mark when the multi-task methods should reach the target, given GP-BO's mean regret (n,), if that does."""
    reached = np.flatnonzero(gp <= TARGET)
    if len(reached):
        for (method, _), cell in published_in("bohamiann/multitask").cells.items():
            at = (reached[0] + 1) * (1 - cell.value / 100)
            mark_published(axes, at, TARGET, style.method(method).color, "published")


def _sets(results: Results, names: tuple[str, ...]) -> Figure:
    frame = results.frame("xgboost")
    caption = (
        "Mean and standard error of the incumbent's validation RMSE. Multi-task methods start from 10 random "
        "configurations of another set, drawn anew in each run."
    )
    return tuning_panels(frame, SETS, names, METHODS, caption)
