"""Thesis Figs 3.1 and 3.2: models on sinc, samplers on a posterior with two modes."""

from __future__ import annotations

import numpy as np
import pandas as pd

from core.experiment.results import Results
from core.report.figures import style
from core.report.figures.bands import draw_prediction, draw_truth
from core.report.figures.figure import Figure
from core.report.runs.frames import frame_of
from core.report.verdicts.published import Published
from papers.bohamiann.mixture_modes import VISIT, smaller_mode_share

TRAJECTORIES = {
    "sghmc": "SGHMC, notebook",
    "adaptive_sghmc": "adaptive SGHMC, notebook",
    "sghmc_text": "SGHMC, text",
    "adaptive_sghmc_text": "adaptive SGHMC, text",
}


def fig3_1(results: Results, published: Published | None) -> Figure:
    """Thesis Fig 3.1: predictive mean and two standard deviations of four models, first repetition."""
    frame = frame_of(results, "sinc")
    names = ["bayes_by_backprop", "mc_dropout", "pbp", "sghmc"]
    figure, panels = style.subplots(2, 2, height=4.4, sharex=True, sharey=True)
    for axes, name in zip(panels.flat, names, strict=True):
        axes.set_title(style.label(name))
        shown = frame[(frame["method"] == name) & (frame["run"] == 0)]
        grid, data = shown[shown["part"] == "grid"], shown[shown["part"] == "data"]
        draw_truth(axes, grid["x"], np.sinc(10 * grid["x"] - 5), "sinc")
        draw_prediction(axes, grid, deviations=(2,), opacity=0.25)
        axes.plot(data["x"], data["mean"], "k.", markersize=4, label="observations")
    panels.flat[0].set_ylim(-2, 2)
    for axes in panels[1]:
        axes.set_xlabel("x")
    for axes in panels[:, 0]:
        axes.set_ylabel("y")
    style.legend(figure, [panels.flat[-1]], 4)
    caption = (
        "Four fits of the same 20 noise-free observations of sinc (first repetition); networks of three layers of "
        "50 units, tanh except for PBP, whose moments are those of rectifiers."
    )
    return Figure(figure, caption, frame[frame["run"] == 0].reset_index(drop=True))


def fig3_2(results: Results, published: Published | None) -> Figure:
    """Thesis Fig 3.2: trajectories of both samplers, first repetition; above the authors' notebook, below the text."""
    frame = frame_of(results, "mixture")
    shown = frame[frame["run"] == 0]
    figure, panels = style.subplots(2, 2, height=5.6, sharex=True, sharey=True)
    for axes, (name, title) in zip(panels.flat, TRAJECTORIES.items(), strict=True):
        axes.set_title(title)
        for burn_in, color, size, text in ((False, "k", 1.5, "sampling"), (True, style.VERMILION, 3, "burn-in")):
            part = shown[(shown["method"] == name) & (shown["burn_in"] == burn_in)]
            axes.plot(part["theta_0"], part["theta_1"], ".", color=color, markersize=size, alpha=0.6, label=text)
        axes.plot([0, 1], [1, -1], "+", color=style.SKY, markersize=9, mew=2, label="(0, 1) and (1, -1)")
    for axes in panels[1]:
        axes.set_xlabel(r"$\theta_0$")
    for axes in panels[:, 0]:
        axes.set_ylabel(r"$\theta_1$")
    style.legend(figure, [panels[0, 1]], 3)
    caption = (
        "Positions of one chain (first repetition) at every tenth step, with the same step length of 0.01 for all. "
        "Above: updates, start (0, 0) and flat priors of the authors' notebook; below: Eqs. 7 and 10, from (0, 1), "
        "with Welling and Teh's priors. Share of all chains that spend at least 1% of the sampling phase in each mode: "
        + ", ".join(f"{title} {_visits_both(frame, name)}" for name, title in TRAJECTORIES.items())
        + "."
    )
    return Figure(figure, caption, shown.reset_index(drop=True))


def _visits_both(frame: pd.DataFrame, name: str) -> str:
    return f"{(smaller_mode_share(frame, name) >= VISIT).mean():.0%}"
