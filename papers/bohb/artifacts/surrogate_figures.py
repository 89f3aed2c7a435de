"""Figures of all methods on the surrogates of fully connected networks, and the printed numbers as marks in them."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes

from core.experiment.results import Results
from core.report import Figure, Published, frame_of
from core.report.figures import style
from core.report.figures.published_marks import mark_published
from core.report.runs.time_curves import times_of
from core.report.verdicts.names import published_names
from core.report.verdicts.published import published_in
from papers.bohb.artifacts.authors_gp_runs import LARGEST_BUDGET, authors_gp
from papers.bohb.artifacts.curves import POINTS, curves_of, draw, line_of
from papers.bohb.artifacts.panels import BUDGET, axis_label, data_set_panels, missing_sets, runs_of, shown_set
from papers.bohb.names import BY_TEXT, DATA_SETS, SHOWN, SURROGATES, WORKERS

METHODS = ["random", "tpe", "gp", "hyperband", "hyperband_text", "hyperband_lcnet", "bohb", "bohb_text"]
PRINTED_REGRET = 0.01  # to which Fig 6.1 prints two times on letter
SOONER = "published: BOHB {:g} times sooner"
PRINTED_TIMES = (
    "Marks: the printed times of one worker and of 32 to a regret of 0.01, 2000 s and 130 s of the authors' 81 s."
)
AUTHORS = {"label": "GP-BO, the authors' runs", "color": style.GREY, "linestyle": "--", "linewidth": 1.2}


@published_names(columns=("seconds",))
def fig6_1(results: Results, published: Published | None) -> Figure:
    """Thesis Fig 6.1: parallel speed-up on letter, with two standard errors."""
    frame = results.frame("workers")
    name = shown_set(frame, "letter")
    figure, axes = style.subplots(height=3.4, width=4.8)
    drawn = draw(axes, curves_of(frame, name, WORKERS, errors=2))
    mark_printed_times(axes, name)
    axes.set(xlabel=axis_label(frame, name), ylabel="immediate regret")
    style.legend(figure, [axes], 3)
    caption = (
        f"BOHB on the surrogate of {DATA_SETS.get(name, name)} with 1 to 32 workers on the simulated clock: mean and "
        f"twice the standard error over {runs_of(frame, name)}. {BUDGET}. {PRINTED_TIMES} Times to "
        "a regret of 0.01 are judged on shorter runs, of which there are more."
    )
    return Figure(figure, caption, drawn)


@published_names(rows=("bohb",), columns=("times_faster",))
def fig6_4(results: Results, published: Published | None) -> Figure:
    """Thesis Fig 6.4: one data set, which the thesis does not name; ours is OptDigits (see the paper's README)."""
    frame = frame_of(results, *SURROGATES, BY_TEXT)
    name = shown_set(frame, SHOWN)
    figure, axes = style.subplots(height=3.4, width=4.8)
    drawn = _methods(axes, frame, name)
    axes.set(xlabel=axis_label(frame, name), ylabel="immediate regret")
    style.legend(figure, [axes], 3)
    words = f"{DATA_SETS.get(name, name)} (the thesis does not name its data set)"
    return Figure(figure, _caption(frame[frame["benchmark"] == name], words), drawn)


def figC_2(results: Results, published: Published | None) -> Figure:
    """Thesis Fig C.2: all data sets."""
    frame = frame_of(results, *SURROGATES, BY_TEXT)
    figure, drawn = data_set_panels(frame, _methods)
    return Figure(figure, _caption(frame, "All data sets at hand") + missing_sets(frame), drawn)


def mark_printed_times(axes: Axes, benchmark: str) -> None:
    """Mark the times that Fig 6.1 prints, on its own data set, in multiples of the largest budget of the authors'."""
    if benchmark == "letter":
        for (method, _), cell in published_in("bohb/fig6_1").cells.items():
            time = cell.value / LARGEST_BUDGET[benchmark]
            mark_published(axes, time, PRINTED_REGRET, str(line_of(method)["color"]))


def _methods(axes: Axes, frame: pd.DataFrame, benchmark: str) -> pd.DataFrame:
    """Draw our runs, when BOHB should be where Hyperband ends, and the authors' GP-BO runs where there are any."""
    drawn = draw(axes, curves_of(frame, benchmark, METHODS))
    ends = drawn[drawn["method"] == "hyperband"].tail(1)
    if len(ends):
        sooner = published_in("bohb/fig6_4")["bohb", "times_faster"].value
        at, regret = float(ends["time"].iloc[0]) / sooner, float(ends["value"].iloc[0])
        mark_published(axes, at, regret, style.method("bohb").color, SOONER.format(sooner))
    if benchmark not in DATA_SETS:
        return drawn
    times = times_of(frame, benchmark, METHODS, POINTS)
    times = times[times >= 1]
    theirs = authors_gp(benchmark, times)
    axes.plot(times, theirs, **AUTHORS)
    added = {"method": "gp, authors' runs", "time": times, "value": theirs, "benchmark": benchmark}
    return pd.concat([drawn, pd.DataFrame(added)], ignore_index=True)


def _caption(frame: pd.DataFrame, what: str) -> str:
    curves = frame.groupby("benchmark")["configurations"].first()
    made = ", ".join(f"{DATA_SETS.get(name, name)} {int(count):,}" for name, count in curves.items())
    return (
        f"{what}: mean and standard error of the incumbent's regret at the largest budget, over {runs_of(frame)}. "
        f"{BUDGET}. Learning curves behind the surrogates: {made}. Dotted: by the rules of the text, on its own "
        "space; all others follow the authors' code. Marks: the regret with which Hyperband ends, at the time when "
        "BOHB has it by the text. Dashed where shown: the authors' GP-BO runs on their own surrogates, with the regret "
        "relative to the best of them."
    )
