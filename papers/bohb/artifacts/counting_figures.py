"""Figures of stochastic counting ones."""

from __future__ import annotations

import pandas as pd

from core.experiment.results import Results
from core.report import Figure, NotRunError, Published, frame_of
from core.report.figures import style
from core.report.figures.figure import not_run_panel
from papers.bohb.artifacts.curves import draw
from papers.bohb.artifacts.panels import runs_of
from papers.bohb.names import COUNTING_ONES, DIMENSIONS

EXPERIMENTS = (*COUNTING_ONES, "counting_ones_text")
METHODS = ["random", "tpe", "smac", "hyperband", "bohb", "bohb_all_kernels"]
LEGEND_COLUMNS = 4


def fig6_2(results: Results, published: Published | None) -> Figure:
    """Thesis Fig 6.2: 8 categorical and 8 continuous hyperparameters."""
    frame = frame_of(results, *EXPERIMENTS)
    name = "d16" if "d16" in set(frame["benchmark"]) else frame["benchmark"].iloc[0]
    half = int(name[1:]) // 2
    figure, axes = style.subplots(height=3.4, width=4.8)
    drawn = draw(axes, frame, name, METHODS)
    axes.set(xlabel="full evaluations", ylabel="normalized immediate regret")
    style.legend(figure, [axes], 3)
    caption = (
        f"{half} categorical and {half} continuous hyperparameters: mean and standard error over "
        f"{runs_of(frame, name)} of the incumbent's regret without noise. Budgets are added up, in multiples of the "
        "largest. Dotted: BOHB by the text, above all with its bandwidth factor on categorical kernels as well, which "
        "the authors' code leaves as they are."
    )
    return Figure(figure, caption, drawn)


def figC_8(results: Results, published: Published | None) -> Figure:
    """Thesis Fig C.8: means in 8 to 64 dimensions."""
    return _panels(results, median=False)


def figC_9(results: Results, published: Published | None) -> Figure:
    """Thesis Fig C.9: medians in 8 to 64 dimensions."""
    return _panels(results, median=True)


def _panels(results: Results, median: bool) -> Figure:
    frame = frame_of(results, *EXPERIMENTS)
    figure, panels = style.subplots(2, 2, height=5.0)
    drawn = []
    for axes, name in zip(panels.flat, DIMENSIONS, strict=True):
        half = int(name[1:]) // 2
        axes.set_title(f"{half} + {half} dimensions")
        try:
            drawn.append(draw(axes, frame, name, METHODS, median=median))
            axes.set_xlabel("full evaluations")
        except NotRunError:
            not_run_panel(axes)
    for axes in panels[:, 0]:
        axes.set_ylabel("normalized regret")
    style.legend(figure, panels.flat, LEGEND_COLUMNS)
    what = "Median and quartiles" if median else "Mean and standard error"
    caption = (
        f"{what} over {runs_of(frame, *DIMENSIONS)} of the regret without noise, half of the hyperparameters "
        "categorical. Dotted: BOHB by the text, above all with its bandwidth factor on categorical kernels as well (8 "
        "and 16 dimensions)."
    )
    return Figure(figure, caption, pd.concat(drawn, ignore_index=True))
