"""Searches on the surrogate of the grid (Fig 4.5, 4.5.1) and with live training (4.6, 4.7), and the authors' clocks."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from core.experiment.results import Results
from core.report import Figure, NotRunError, Published, frame_of, style
from core.report.figures.curves import draw_authors, draw_errors
from core.report.figures.figure import draw_panels, mark_published, not_run_panel
from core.report.runs.frames import count_runs, shown_set
from core.report.runs.trajectories import continued
from core.report.style import data_set_name
from core.report.verdicts.names import published_names
from core.report.verdicts.published import published_in, published_runs
from papers.fabolas.search_runs import (
    AUTHORS,
    AUTHORS_SHARES,
    BY_TEXT,
    SETS,
    SHARES,
    SURROGATE,
    TASKS,
    good_error,
    proposal_seconds,
    with_authors_overhead,
)

SOONER = (
    "Marks: the time at which GP-BO's mean is at most {good} above the smallest, divided by the factors by which the "
    "thesis has Fabolas find good configurations faster."
)
SHADES = style.sequential(len(SHARES))
SIZES = {name: {"label": label, "color": color} for (name, label), color in zip(SHARES.items(), SHADES, strict=True)}
COUNTS = {name: {"label": label, "color": color} for (name, label), color in zip(TASKS.items(), SHADES, strict=False)}


@published_names(columns=("seconds", "error"))
def fig4_5(results: Results, published: Published | None) -> Figure:
    """Thesis Fig 4.5: MTBO with four sizes of its auxiliary task, all methods, and the authors' runs of four."""
    searches, both = frame_of(results, "surrogate"), frame_of(results, "surrogate", "auxiliary")
    tasks = both[both["method"].isin(SHARES)]
    figure, panels = style.subplots(2, 2, width=7.2, height=6.0, sharex=True, sharey=True)
    looks = {name: style.method(name).line for name in SURROGATE}
    of_text = {"label": "Fabolas, the text's first evaluations", "linestyle": ":"}
    looks[BY_TEXT["fabolas"]] = style.method("fabolas").line | of_text
    parts = [
        _panel(panels[0, 0], "(a) MTBO, auxiliary task", tasks, SIZES),
        _panel(panels[0, 1], "(b) all methods", searches, looks),
        draw_authors(panels[1, 1], SURROGATE).assign(panel="(d)"),
        _panel(panels[1, 0], "(c) with the authors' overhead", with_authors_overhead(searches), looks),
    ]
    panels[1, 1].set_title("(d) the authors' runs")
    _mark_printed_times(panels[0, 1])
    if not len(parts[0]):  # the axes of (b) are labelled at those of (a)
        panels[0, 1].tick_params(axis="y", which="both", labelleft=True)
    for row in panels:
        row[0].set_ylabel("validation error of the incumbent")
    if len(parts[0]):
        panels[0, 0].legend(loc="lower left")
    style.legend(figure, [panels[0, 1], panels[1, 1]], 4)
    count = "not run" if tasks.empty else count_runs(tasks)
    caption = (
        f"Mean of the incumbents' error with all training points, on {_surrogate(searches)}, over "
        f"{count_runs(searches)} ((a): {count}); its smallest error is {searches['optimum'].iloc[0]:.4f}. Time "
        "is that of training, as the surrogate predicts it, and of the method's proposals; a run that has ended keeps "
        "its incumbent. Marks in (b): the seconds in which the text has EI and entropy search find the best "
        "configuration and, above, MTBO one close to it. (c): with the seconds of a proposal in the authors' runs, "
        f"{proposal_seconds('fabolas'):.0f} of Fabolas and "
        f"{proposal_seconds('mtbo'):.0f} of MTBO. (d), dashed: the authors' runs, on the same surrogate of the errors "
        "but with other training times, and with the logarithms of MTBO's and Fabolas' seconds of training in place of "
        "these (see authors_clock); only incumbents that improve are at hand."
    )
    return Figure(figure, caption, pd.concat(parts, ignore_index=True))


def auxiliary_tasks(results: Results, published: Published | None) -> Figure:
    """Section 4.5.1, without a figure in the thesis: MTBO with one to three auxiliary tasks."""
    frame = frame_of(results, "surrogate", "auxiliary")
    frame = frame[frame["method"].isin(TASKS)]
    if frame["method"].nunique() < 2:  # one task alone is in Fig 4.5
        raise NotRunError("two or three auxiliary tasks")
    figure, axes = style.subplots(height=3.2, width=4.8)
    data = draw_errors(axes, continued(frame), shown_set(frame, AUTHORS), COUNTS, bands=True)
    axes.set(xlabel="seconds", ylabel="validation error of the incumbent")
    style.legend(figure, [axes], 1)
    caption = (
        f"MTBO on {_surrogate(frame)}: mean and standard error of the incumbents' error with all "
        f"training points over {count_runs(frame)}."
    )
    return Figure(figure, caption, data)


@published_names(columns=("least_factor", "largest_factor"))
def fig4_6(results: Results, published: Published | None) -> Figure:
    """Thesis Fig 4.6: test errors of the incumbents while support vector machines are trained."""
    frame = frame_of(results, "live")
    titles = {name: f"{data_set_name(name)}, {size:,} points" for name, size in _sizes(frame, "points").items()}
    caption = (
        f"Mean test error of the incumbents, trained on all training points, over {count_runs(frame)}. Time is that of "
        f"training and validating, and of the method's proposals. {SOONER.format(good='0.01')} The thesis has "
        "MNIST, vehicle registration and forest cover types."
    )
    return _trained(frame, "fig4_6", "live", titles, 7.4, caption)


@published_names(columns=("factor",))
def fig4_7(results: Results, published: Published | None) -> Figure:
    """Thesis Fig 4.7: test errors of the incumbents while convolutional networks are trained."""
    frame = frame_of(results, "networks")
    sizes = _sizes(frame, "images")
    titles = {name: f"{SETS['networks'].get(name, name)}, {size:,} images" for name, size in sizes.items()}
    caption = (
        f"Mean test error of the incumbents, trained on the images for training and validation, over "
        f"{count_runs(frame)}. Time is that of training and validating, and of the method's proposals. "
        f"{SOONER.format(good='a tenth')}"
    )
    return _trained(frame, "fig4_7", "networks", titles, 7.2, caption)


def _sizes(frame: pd.DataFrame, column: str) -> dict[str, int]:
    """The sizes of the data sets that were run."""
    return {name: int(rows[column].iloc[0]) for name, rows in frame.groupby("benchmark", sort=False)}


def _trained(
    frame: pd.DataFrame, artifact: str, experiment: str, titles: Mapping[str, str], width: float, caption: str
) -> Figure:
    """Test errors on those sets that were run, or on what else was, in panels side by side."""
    names = [name for name in SETS[experiment] if name in titles] or list(titles)
    figure, panels = style.subplots(1, len(names), width=width, height=3.2, squeeze=False)

    def draw(axes: Axes, name: str) -> pd.DataFrame:
        axes.set_xlabel("seconds")
        drawn = draw_errors(axes, frame, name, SURROGATE)
        level = good_error(experiment, drawn["value"].min())
        reached = drawn[(drawn["method"] == "gp") & (drawn["value"] <= level)]
        for cell in published_in(f"fabolas/{artifact}").cells.values() if len(reached) else ():
            mark_published(axes, reached["time"].iloc[0] / cell.value, level, style.method("fabolas").color)
        return drawn

    data = draw_panels(panels[0], {name: titles[name] for name in names}, draw)
    panels[0, 0].set_ylabel("test error of the incumbent")
    style.legend(figure, panels.flat, 7)
    return Figure(figure, caption, data)


def _panel(axes: Axes, title: str, frame: pd.DataFrame, methods: Mapping[str, Any] | Sequence[str]) -> pd.DataFrame:
    """One panel on the surrogate; one without runs says so."""
    axes.set_title(title)
    axes.set_xlabel("seconds")
    if frame.empty:
        not_run_panel(axes)
        return pd.DataFrame()
    return draw_errors(axes, continued(frame), shown_set(frame, AUTHORS), methods).assign(panel=title[:3])


def _mark_printed_times(axes: Axes) -> None:
    """Mark the seconds that 4.5.1 prints, at the error where one is printed."""
    printed = published_in("fabolas/fig4_5")
    for method in dict.fromkeys(row for row, _ in printed.cells):
        error = printed[method, "error"].value
        at = None if math.isnan(error) else error
        mark_published(axes, printed[method, "seconds"].value, at, style.method(method).color)


def _surrogate(frame: pd.DataFrame) -> str:
    """The surrogate that was searched in a sentence."""
    name = shown_set(frame, AUTHORS)
    return "the authors' surrogate of support vector machines on MNIST" if name == AUTHORS else f"the surrogate {name}"


def authors_clock(results: Results, published: Published | None) -> Figure:
    """The authors' clocks in their initial designs, sums of the surrogate's seconds, and sums of their logarithms."""
    frame = frame_of(results, "surrogate_seconds")
    table = frame.groupby(["share", "quantile"])["seconds"].mean().unstack()

    def draw(axes: Axes, method: str) -> pd.DataFrame:
        shares = AUTHORS_SHARES[method]
        if not set(shares) <= set(table.index):
            raise NotRunError("surrogate_seconds")
        return _draw_clock(axes, method, table.loc[list(shares)].to_numpy())

    figure, panels = style.subplots(1, 2, width=7.0, height=3.2, sharey=True)
    data = draw_panels(panels, {"fabolas": "(a) Fabolas", "mtbo": "(b) MTBO"}, draw)
    panels[0].set_ylabel("clock (seconds)")
    panels[0].set_yscale("log")
    style.legend(figure, panels[:1], 3)
    ratios = data["over_logarithms"].dropna()
    caption = (
        "Initial designs of the authors' runs on their surrogate. Points: their clocks at each new incumbent. Lines: "
        "what the surrogate predicts for machines drawn uniformly, medians of seconds and of their natural logarithms, "
        "added up; bands hold the middle 90% of machines. Shares of the data are those of the authors' scripts: for "
        "Fabolas eight evaluations on 1/128, four on 1/64, two on 1/32 and one on 1/4, for MTBO 1/4. Clocks "
        f"are {ratios.median():.2f} times the sum of logarithms in the median, from {ratios.min():.2f} to "
        f"{ratios.max():.2f}."
    )
    return Figure(figure, caption, data)


def _draw_clock(axes: Axes, method: str, seconds: np.ndarray) -> pd.DataFrame:
    """One method; quantiles of the seconds (evaluations, 3) of each evaluation: low, median, high."""
    number = np.arange(1, len(seconds) + 1)
    parts = []
    for what, label, values, color in (
        ("seconds", "seconds, added up", seconds, style.ORANGE),
        ("logarithms", "their logarithms, added up", np.log(seconds), style.BLUE),
    ):
        low, median, high = values.cumsum(0).T
        axes.plot(number, median, color=color, label=label, linewidth=1.4)
        axes.fill_between(number, low, high, color=color, alpha=0.2, linewidth=0)
        sums = {"evaluations": number, "value": median, "low": low, "high": high}
        parts.append(pd.DataFrame({"method": method, "what": what, **sums}))
    clocks = published_runs("fabolas/fig4_5_runs")
    clocks = clocks[(clocks["method"] == method) & (clocks["evaluations"] <= len(seconds))]
    at = clocks["evaluations"].to_numpy(int)
    readings = clocks["seconds"].to_numpy()
    axes.plot(at, readings, ".", color=style.INK, markersize=4, label="the authors' clocks")
    axes.set_xlabel("evaluations")
    axes.xaxis.get_major_locator().set_params(integer=True)
    ratios = readings / np.log(seconds[:, 1]).cumsum()[at - 1]
    clock = {"what": "clock", "evaluations": at, "value": readings, "over_logarithms": ratios}
    return pd.concat([*parts, pd.DataFrame({"method": method, **clock})], ignore_index=True)
