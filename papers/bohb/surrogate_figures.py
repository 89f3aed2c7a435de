"""Figures of all methods on the surrogates of fully connected networks."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as MatplotlibFigure

from core.experiment.results import Results
from core.report import Figure, NotRunError, Published, style
from papers.bohb.authors import authors_gp
from papers.bohb.curves import draw, frame_of, times_of
from papers.bohb.panels import not_run, runs_of

LABELS = {
    "adult": "Adult",
    "higgs": "Higgs",
    "letter": "Letter",
    "mnist": "MNIST",
    "optdigits": "OptDigits",
    "poker": "Poker",
}
EXPERIMENTS = ("surrogates", "surrogates_gp")  # GP-BO is an experiment of its own
METHODS = ["random", "tpe", "gp", "hyperband", "bohb"]
WORKERS = [f"workers_{n}" for n in (1, 2, 4, 8, 16, 32)]
LEGEND_COLUMNS = 6
BUDGET = "Time is in multiples of the largest budget"
AUTHORS = {"label": "GP-BO, the authors' runs", "color": style.GREY, "linestyle": "--", "linewidth": 1.2}


def fig6_1(results: Results, published: Published | None) -> Figure:
    """Thesis Fig 6.1: parallel speed-up on letter, with two standard errors."""
    frame = results.frame("workers")
    name = shown_set(frame, "letter")
    figure, axes = style.subplots(height=3.4, width=4.8)
    drawn = draw(axes, frame, name, WORKERS, errors=2)
    axes.set(xlabel=axis_label(frame, name), ylabel="immediate regret")
    style.legend(figure, [axes], 3)
    caption = (
        f"BOHB on the surrogate of {LABELS.get(name, name)} with 1 to 32 workers on the simulated clock: mean and "
        f"twice the standard error over {runs_of(frame, name)}. {BUDGET}."
    )
    return Figure(figure, caption, drawn)


def fig6_4(results: Results, published: Published | None) -> Figure:
    """Thesis Fig 6.4, which does not name its data set: Adult.

    The text says of the set shown that BOHB ends below the other methods of Bayesian optimization, and C.4 of letter
    that they end below BOHB: letter it cannot be, and of the rest nothing decides.
    """
    frame = frame_of(results, *EXPERIMENTS)
    name = shown_set(frame, "adult")
    figure, axes = style.subplots(height=3.4, width=4.8)
    drawn = _methods(axes, frame, name)
    axes.set(xlabel=axis_label(frame, name), ylabel="immediate regret")
    style.legend(figure, [axes], 3)
    words = f"{LABELS.get(name, name)} (the thesis does not name its data set)"
    return Figure(figure, _caption(frame[frame["benchmark"] == name], words), drawn)


def figC_2(results: Results, published: Published | None) -> Figure:
    """Thesis Fig C.2: all data sets."""
    frame = frame_of(results, *EXPERIMENTS)
    figure, drawn = panels_of(frame, _methods)
    return Figure(figure, _caption(frame, "All data sets"), drawn)


def shown_set(frame: pd.DataFrame, wanted: str) -> str:
    """The data set of a figure that shows one: the wanted one, or another where only that was run.

    Raises:
        NotRunError: there is none.
    """
    if frame.empty:
        raise NotRunError(wanted)
    names = list(frame["benchmark"].unique())
    return wanted if wanted in names else names[0]


def axis_label(frame: pd.DataFrame, benchmark: str) -> str:
    """Of time, with the length of the unit."""
    seconds = frame.loc[frame["benchmark"] == benchmark, "largest_budget"].iloc[0]
    return f"time / largest budget ({seconds:.3g} s)"


def panels_of(
    frame: pd.DataFrame, draw_one: Callable[[Axes, pd.DataFrame, str], pd.DataFrame]
) -> tuple[MatplotlibFigure, pd.DataFrame]:
    """Six panels, one a data set of the thesis; sets without runs say so, other sets that were run take their places.

    Returns:
        The figure, and what was drawn.
    """
    ran = list(frame["benchmark"].unique())
    names = list(LABELS) if set(ran) & set(LABELS) else [*ran, *LABELS][: len(LABELS)]
    figure, panels = style.subplots(2, 3, width=7.2, height=4.8)
    parts = []
    for axes, name in zip(panels.flat, names, strict=True):
        axes.set_title(LABELS.get(name, name))
        try:
            parts.append(draw_one(axes, frame, name))
            axes.set_xlabel(axis_label(frame, name))
        except NotRunError:
            not_run(axes)
    for axes in panels[:, 0]:
        axes.set_ylabel("immediate regret")
    style.legend(figure, panels.flat, LEGEND_COLUMNS)
    return figure, pd.concat(parts, ignore_index=True)


def _methods(axes: Axes, frame: pd.DataFrame, benchmark: str) -> pd.DataFrame:
    """Our runs, and the authors' GP-BO runs where the data set has them."""
    drawn = draw(axes, frame, benchmark, METHODS)
    if benchmark not in LABELS:
        return drawn
    times = times_of(frame, benchmark, METHODS)
    times = times[times >= 1]
    theirs = authors_gp(benchmark, times)
    if theirs is None:
        return drawn
    axes.plot(times, theirs, **AUTHORS)
    added = {"method": "gp, authors' runs", "time": times, "value": theirs, "benchmark": benchmark}
    return pd.concat([drawn, pd.DataFrame(added)], ignore_index=True)


def _caption(frame: pd.DataFrame, what: str) -> str:
    curves = frame.groupby("benchmark")["configurations"].first()
    made = ", ".join(f"{LABELS.get(name, name)} {int(count):,}" for name, count in curves.items())
    return (
        f"{what}: mean and standard error of the incumbent's regret at the largest budget, over {runs_of(frame)}. "
        f"{BUDGET}. Learning curves behind the surrogates: {made}. Dashed where shown: the authors' GP-BO runs on "
        "their own surrogates, regret above the best of them."
    )
