"""Figures of stochastic counting ones."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes

from core.experiment.results import Results
from core.report import Figure, Published, frame_of
from core.report.figures import style
from core.report.figures.panels import draw_panels
from papers.bohb.artifacts.curves import curves_of, draw
from papers.bohb.artifacts.panels import runs_of, shown_set
from papers.bohb.names import COUNTING_ONES, COUNTING_ONES_SMAC, DIMENSIONS

EXPERIMENTS = (COUNTING_ONES, COUNTING_ONES_SMAC, "counting_ones_text")
METHODS = ["random", "tpe", "smac", "hyperband", "bohb", "bohb_all_kernels"]
LEGEND_COLUMNS = 4


def fig6_2(results: Results, published: Published | None) -> Figure:
    """Thesis Fig 6.2: 8 categorical and 8 continuous hyperparameters."""
    frame = frame_of(results, *EXPERIMENTS)
    name = shown_set(frame, "d16")
    half = int(name[1:]) // 2
    figure, axes = style.subplots(height=3.4, width=4.8)
    drawn = draw(axes, curves_of(frame, name, METHODS))
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
    halves = {name: int(name[1:]) // 2 for name in DIMENSIONS}

    def draw_one(axes: Axes, name: str) -> pd.DataFrame:
        axes.set_xlabel("full evaluations")
        return draw(axes, curves_of(frame, name, METHODS, median=median))

    data = draw_panels(panels.flat, {name: f"{half} + {half} dimensions" for name, half in halves.items()}, draw_one)
    for axes in panels[:, 0]:
        axes.set_ylabel("normalized regret")
    style.legend(figure, panels.flat, LEGEND_COLUMNS)
    what = "Median and quartiles" if median else "Mean and standard error"
    caption = (
        f"{what} over {runs_of(frame, *DIMENSIONS)} of the regret without noise, half of the hyperparameters "
        "categorical. Dotted: BOHB by the text, above all with its bandwidth factor on categorical kernels as well (8 "
        "and 16 dimensions)."
    )
    return Figure(figure, caption, data)
