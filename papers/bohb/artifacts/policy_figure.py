"""Thesis Fig 6.6: hyperparameters of proximal policy optimization on cart-pole."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes

from core.experiment.results import Results
from core.report import Figure, NotRunError, Published, frame_of
from core.report.figures import style
from core.report.figures.panels import draw_panels, not_run_words
from core.report.runs.frames import count_runs
from papers.bohb.artifacts.curves import curves_of, draw
from papers.bohb.names import POLICY_EXPERIMENTS, POLICY_METHODS

TITLES = ("on a forest over trained agents", "agents trained live")


def fig6_6(results: Results, published: Published | None) -> Figure:
    """Thesis Fig 6.6: the number of episodes in which the incumbent converges."""
    run = {name: title for name, title in zip(POLICY_EXPERIMENTS, TITLES, strict=True) if len(results.frame(name))}
    if not run:
        raise NotRunError("ppo")
    figure, panels = style.subplots(1, len(run), width=3.0 + 2.1 * len(run), height=3.4, sharey=True, squeeze=False)
    captions = []

    def draw_one(axes: Axes, name: str) -> pd.DataFrame:
        frame = frame_of(results, name)
        axes.set_xlabel("full evaluations of nine trials")
        captions.append(_described(frame))
        rows = draw(axes, curves_of(frame, frame["benchmark"].iloc[0], list(POLICY_METHODS), metric="episodes"))
        return rows.assign(experiment=name)

    data = draw_panels(panels.flat, run, draw_one)
    panels[0, 0].set_ylabel("episodes until convergence")
    style.legend(figure, panels.flat, len(POLICY_METHODS))
    missing = (title for name, title in zip(POLICY_EXPERIMENTS, TITLES, strict=True) if name not in run)
    caption = (
        "Mean and standard error of the number of episodes until 20 in a row have the highest reward, at most 3,000, "
        f"for the incumbent: {'; '.join(captions)}. Budgets are added up, in multiples of nine trials."
    )
    return Figure(figure, caption + not_run_words(missing), data)


def _described(frame: pd.DataFrame) -> str:
    """What the runs of an experiment are, in words."""
    if "configurations" not in frame:
        return f"over {count_runs(frame)} with agents that are trained live, in nine further trials of the incumbent"
    trained = frame["configurations"].iloc[0]
    return f"over {count_runs(frame)} on a random forest over agents of {trained} configurations, as it expects"
