"""Figures of chapter 2: raw runs in, Figure out. Each shows one repetition; the checks cover all of them."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes

from core.experiment.results import Results
from core.report import style
from core.report.figures.curves import draw_prediction, draw_truth
from core.report.figures.figure import Figure
from core.report.runs.frames import frame_of
from core.report.verdicts.published import Published


def fig2_1(results: Results, published: Published | None) -> Figure:
    """Thesis Fig 2.1: the objective, the model with expected improvement, the model after one evaluation."""
    frame = frame_of(results, "step")
    run = most_informed(frame)
    shown = frame[frame["run"] == run].reset_index(drop=True)
    before, after = (shown[shown["stage"] == stage] for stage in ("before", "after"))
    figure, (top, bottom) = style.subplots(
        2, 3, width=7.2, height=3.4, sharex=True, gridspec_kw={"height_ratios": [3, 1]}
    )
    truth = shown.loc[shown["part"] == "grid", "value"]
    reach = 0.5 * (truth.max() - truth.min())
    for axes, rows, title in zip(
        top, (before, before, after), ("(a) objective", "(b) model", "(c) after evaluation"), strict=True
    ):
        axes.set_title(title)
        if title != "(a) objective":
            draw_prediction(axes, rows[rows["part"] == "grid"], opacity=0.15)
        _truth(axes, rows)
        axes.set_ylim(truth.min() - reach, truth.max() + reach)
    bottom[0].set_axis_off()
    for axes, rows in zip(bottom[1:], (before, after), strict=True):
        grid, candidate = rows[rows["part"] == "grid"], rows[rows["part"] == "candidate"]
        axes.plot(grid["x"], grid["ei"], color=style.GREEN, label="expected improvement")
        axes.axvline(candidate["x"].iloc[0], color=style.VERMILION, linestyle="--", label="its maximizer")
        axes.set_xlabel("x")
    for axes, rows in zip(top[1:], (before, after), strict=True):
        candidate = rows[rows["part"] == "candidate"]["x"].iloc[0]
        axes.axvline(candidate, color=style.VERMILION, linestyle="--")
    top[0].set_ylabel("f(x)")
    bottom[1].set_ylabel("EI")
    top[0].tick_params(labelbottom=True)
    top[0].set_xlabel("x")
    style.legend(figure, [top[1], bottom[1]], 3)
    caption = (
        "Forrester function, uniform observations. Shaded: one, two and three standard deviations of a noise-free "
        "Gaussian process with a Matern-5/2 kernel, whose hyperparameters maximize the marginal likelihood. Of the "
        f"repetitions the one whose new evaluation lowers the average standard deviation most (number {run})."
    )
    return Figure(figure, caption, shown)


def fig2_2(results: Results, published: Published | None) -> Figure:
    """Thesis Fig 2.2: both kernels, and draws of a Gaussian process with each."""
    shown = _first(results, "kernels")
    looks = {"rbf": ("RBF", style.BLUE), "matern52": ("Matern-5/2", style.VERMILION)}
    figure, axes = style.subplots(1, 3, width=7.2, height=2.5)
    axes[0].set_title("(a) kernels")
    for name, (label, color) in looks.items():
        profile = shown[(shown["method"] == name) & (shown["part"] == "kernel")]
        axes[0].plot(profile["x"], profile["value"], color=color, label=label)
    axes[0].legend()
    axes[0].set_xlabel("x (length scales)")
    axes[0].set_ylabel("k(x, 0)")
    for panel, (name, (label, color)), letter in zip(axes[1:], looks.items(), "bc", strict=True):
        rows = shown[shown["method"] == name]
        for _, draw in rows[rows["part"] == "draw"].groupby("draw"):
            panel.plot(draw["x"], draw["value"], color=color, alpha=0.8, linewidth=1)
        data = rows[rows["part"] == "data"]
        panel.plot(data["x"], data["value"], "k.", markersize=6)
        panel.set_title(f"({letter}) draws, {label}")
        panel.set_xlabel("x")
    axes[1].sharey(axes[2])
    caption = (
        "Draws given four noise-free observations (standardized) of the Forrester function; both kernels have a length "
        "scale of 0.15."
    )
    return Figure(figure, caption, shown)


def fig2_3(results: Results, published: Published | None) -> Figure:
    """Thesis Fig 2.3: a Gaussian process and a random forest on the same observations."""
    shown = _first(results, "models")
    figure, panels = style.subplots(1, 2, width=7.2, height=2.8, sharex=True, sharey=True)
    for axes, name, title in zip(panels, ("gp", "rf"), ("(a) Gaussian process", "(b) random forest"), strict=True):
        rows = shown[shown["method"] == name]
        draw_prediction(axes, rows[rows["part"] == "grid"], opacity=0.15)
        _truth(axes, rows)
        axes.set_title(title)
        axes.set_xlabel("x")
    panels[0].set_ylabel("f(x)")
    style.legend(figure, [panels[0]], 3)
    caption = (
        "Eight observations of the Forrester function from [0.25, 0.75]; one, two and three standard deviations. The "
        "forest has 100 trees; its variance is that of Eq. 2.7 with mu squared, as the law of total variance requires."
    )
    return Figure(figure, caption, shown)


def most_informed(frame: pd.DataFrame) -> int:
    """The run of Fig 2.1 whose evaluation lowers the average standard deviation most."""
    grid = frame[frame["part"] == "grid"]
    average = grid.groupby(["run", "stage"])["sd"].mean().unstack()
    return int((average["before"] - average["after"]).idxmax())


def _first(results: Results, experiment: str) -> pd.DataFrame:
    frame = frame_of(results, experiment)
    return frame[frame["run"] == 0].reset_index(drop=True)


def _truth(axes: Axes, rows: pd.DataFrame) -> None:
    grid, data = rows[rows["part"] == "grid"], rows[rows["part"] == "data"]
    draw_truth(axes, grid["x"], grid["value"], "objective")
    axes.plot(data["x"], data["value"], "k.", markersize=6, label="observations")
