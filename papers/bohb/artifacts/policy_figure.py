"""Thesis Fig 6.6: hyperparameters of proximal policy optimization on cart-pole."""

from __future__ import annotations

from core.experiment.results import Results
from core.report import Figure, Published, frame_of
from core.report.figures import style
from papers.bohb.artifacts.curves import draw
from papers.bohb.artifacts.panels import runs_of
from papers.bohb.names import POLICY_METHODS


def fig6_6(results: Results, published: Published | None) -> Figure:
    """Thesis Fig 6.6: the expected number of episodes until the incumbent converges."""
    frame = frame_of(results, "ppo")
    figure, axes = style.subplots(height=3.4, width=4.8)
    drawn = draw(axes, frame, frame["benchmark"].iloc[0], list(POLICY_METHODS), metric="episodes")
    axes.set(xlabel="full evaluations of nine trials", ylabel="episodes until convergence")
    style.legend(figure, [axes], 4)
    caption = (
        f"Mean and standard error over {runs_of(frame)} of the expected number of episodes until 20 in a row have the "
        "highest reward, at most 3,000, for the incumbent. Searches run on a random forest over "
        f"{frame['configurations'].iloc[0]} configurations of Table C.4 whose agents were trained, the thesis' trained "
        "agents themselves. Budgets are added up, in multiples of nine trials."
    )
    return Figure(figure, caption, drawn)
