"""The figures of searches that start from other data sets."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes

from core.experiment.results import Results
from core.report import Figure, Published
from core.report.figures import style
from core.report.figures.bands import draw_evaluations
from core.report.figures.panels import benchmark_panels, tuning_panels
from core.report.runs.frames import methods_run
from papers.bohamiann.multitask_runs import METHODS, PROBLEMS, SETS, SHOWN, TARGET, points_of_regret


def fig3_4(results: Results, published: Published | None) -> Figure:
    """Thesis Fig 3.4: XGBoost on three sets. The text names none of them but wine."""
    return _sets(results, SHOWN)


def figA_2(results: Results, published: Published | None) -> Figure:
    """Thesis Fig A.2: the same on all sets."""
    return _sets(results, tuple(SETS))


def multitask(results: Results, published: Published | None) -> Figure:
    """NIPS section 6.2: immediate regret in the tables of four groups of sets, for both algorithms."""
    frame = results.frame("multitask")

    def draw(axes: Axes, name: str) -> pd.DataFrame:
        axes.set_yscale("log")
        run = methods_run(frame, name)
        shown = {method: points_of_regret(frame, name, method) for method in METHODS if method in run}
        drawn = [draw_evaluations(axes, regret, method) for method, regret in shown.items()]
        axes.axhline(TARGET, color=style.GREY, linewidth=0.8, linestyle=":")
        axes.set(xlabel="evaluations", ylabel="regret (percentage points)")
        return pd.concat(drawn).assign(benchmark=name)

    caption = (
        "Mean and standard error of the immediate regret of validation error. Multi-task methods know 30 random cells "
        f"of the tables of the group's other sets. Dotted: the regret to be reached, {TARGET:g} percentage points."
    )
    return benchmark_panels(frame, PROBLEMS, tuple(PROBLEMS), 2, draw, caption)


def _sets(results: Results, names: tuple[str, ...]) -> Figure:
    frame = results.frame("xgboost")
    caption = (
        "Mean and standard error of the incumbent's validation RMSE. Multi-task methods start from 10 random "
        "configurations of another set, drawn anew in each run."
    )
    return tuning_panels(frame, SETS, names, METHODS, caption)
