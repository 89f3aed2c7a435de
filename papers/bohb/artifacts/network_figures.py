"""Figures of the Bayesian network's hyperparameters.

They show what the checks compare, the median: a good loss is near 3 and a bad one can reach a million, the loss of a
failure, so means would reflect only the worst runs. The thesis draws means.
"""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes

from core.experiment.results import Results
from core.report import Figure, Published, frame_of
from core.report.figures import style
from core.report.figures.data_sets import data_set_name
from core.report.figures.panels import draw_panels
from core.report.runs.frames import benchmarks_run
from papers.bohb.artifacts.curves import curves_of, draw
from papers.bohb.artifacts.panels import runs_of, shown_set

METHODS = ["random", "tpe", "hyperband", "bohb"]
TITLES = {f"bnn_{name}": data_set_name(name) for name in ("boston", "protein", "diabetes")}
HIGHEST = 100  # of the axis of Fig 6.5: first incumbents can be far above, and all of interest is below
STEPS = "MCMC steps / 10,000"


def fig6_5(results: Results, published: Published | None) -> Figure:
    """Thesis Fig 6.5: Boston housing."""
    frame = frame_of(results, "bayesian_network")
    name = shown_set(frame, "bnn_boston")
    figure, axes = style.subplots(height=3.4, width=4.8)
    drawn = draw(axes, curves_of(frame, name, METHODS, metric="loss", median=True))
    axes.set(xlabel=STEPS, ylabel="negative log-likelihood", ylim=(None, HIGHEST))
    style.legend(figure, [axes], 4)
    return Figure(figure, _caption(frame, f"On {TITLES[name]}", name), drawn)


def figC_10(results: Results, published: Published | None) -> Figure:
    """Thesis Fig C.10: both data sets."""
    frame = frame_of(results, "bayesian_network")
    ran = benchmarks_run(frame)
    names = [*ran, "bnn_boston", "bnn_protein"] if "bnn_diabetes" in ran else list(TITLES)
    figure, panels = style.subplots(1, 2, height=3.0)

    def draw_one(axes: Axes, name: str) -> pd.DataFrame:
        axes.set_xlabel(STEPS)
        return draw(axes, curves_of(frame, name, METHODS, metric="loss", median=True))

    data = draw_panels(panels, {name: TITLES[name] for name in names[:2]}, draw_one)
    panels[0].set_ylabel("negative log-likelihood")
    style.legend(figure, panels, 4)
    return Figure(figure, _caption(frame, "Both sets", *ran), data)


def _caption(frame: pd.DataFrame, what: str, *shown: str) -> str:
    return (
        f"{what}: median and quartiles over {runs_of(frame, *shown)} of the validation loss that the incumbent was "
        "observed with on any budget, a mean over points. The thesis draws means, which here would be "
        "those of failures."
    )
