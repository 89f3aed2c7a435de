"""Thesis Fig 6.6: hyperparameters of proximal policy optimization on cart-pole."""

from __future__ import annotations

import pandas as pd

from core.experiment.results import Results
from core.report import Figure, NotRunError, Published
from core.report.figures import style
from core.report.figures.figure import not_run_panel
from core.report.runs.frames import count_runs
from papers.bohb.artifacts.curves import draw
from papers.bohb.names import POLICY_EXPERIMENTS, POLICY_METHODS


def fig6_6(results: Results, published: Published | None) -> Figure:
    """Thesis Fig 6.6: the number of episodes in which the incumbent converges."""
    frames = {name: results.frame(name) for name in POLICY_EXPERIMENTS}
    if all(frame.empty for frame in frames.values()):
        raise NotRunError(POLICY_EXPERIMENTS[0])
    figure, panels = style.subplots(1, 2, width=7.2, height=3.4, sharey=True)
    titles = ("on a forest over trained agents", "agents trained live")
    drawn, captions = [], []
    for axes, title, (name, frame) in zip(panels, titles, frames.items(), strict=True):
        axes.set_title(title)
        if frame.empty:
            not_run_panel(axes)
            continue
        axes.set_xlabel("full evaluations of nine trials")
        rows = draw(axes, frame, frame["benchmark"].iloc[0], list(POLICY_METHODS), metric="episodes")
        drawn.append(rows.assign(experiment=name))
        captions.append(_described(frame))
    panels[0].set_ylabel("episodes until convergence")
    style.legend(figure, panels, len(POLICY_METHODS))
    caption = (
        "Mean and standard error of the number of episodes until 20 in a row have the highest reward, at most 3,000, "
        f"for the incumbent: {'; '.join(captions)}. Budgets are added up, in multiples of nine trials."
    )
    return Figure(figure, caption, pd.concat(drawn, ignore_index=True))


def _described(frame: pd.DataFrame) -> str:
    """What the runs of an experiment are, in words."""
    if "configurations" not in frame:
        return f"over {count_runs(frame)} with agents that are trained live, in nine further trials of the incumbent"
    trained = frame["configurations"].iloc[0]
    return f"over {count_runs(frame)} on a random forest over agents of {trained} configurations, as it expects"
