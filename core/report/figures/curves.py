"""Curves with bands: a mean with its error or a median with its quartiles, a model's prediction in one dimension, and
mean errors of incumbents over the seconds of a search, one line for each method (thesis Figs 4.5, 4.6 and 6.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from core.report import style
from core.report.runs.frames import NotRunError, cell_rows, with_variants
from core.report.runs.trajectories import (
    ROUNDING,
    SMALLEST,
    continued,
    end_of,
    incumbent,
    mean_and_sem,
    over_time,
    per_run,
)
from core.report.verdicts.published import published_runs

OPACITY = 0.18


def draw_line(
    axes: Axes,
    x: ArrayLike,
    middle: ArrayLike,
    low: ArrayLike,
    high: ArrayLike,
    look: Mapping[str, Any],
    opacity: float = OPACITY,
    steps: bool = False,
) -> None:
    """A line and, in its colour, the band from `low` to `high`, all (n,).

    Args:
        look: Keyword arguments of `Axes.plot`, with the color.
        steps: Whether each value holds until the next x.
    """
    steps_of: style.Keywords = {"drawstyle": "steps-post"} if steps else {}
    axes.plot(x, middle, **look, **steps_of)
    axes.fill_between(x, low, high, color=look["color"], alpha=opacity, step="post" if steps else None, linewidth=0)


def mean_band(values: np.ndarray, errors: float = 1.0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mean over the runs of values (runs, n), and so many standard errors to each side of it, (n,) each.

    For logarithmic axes: the lower end is no lower than a tenth of the mean.
    """
    mean, sem = mean_and_sem(values)
    return mean, _lower_end(mean, errors * sem), mean + errors * sem


def _lower_end(mean: np.ndarray, error: np.ndarray) -> np.ndarray:
    return np.asarray(np.maximum(mean - error, mean / 10))


def draw_evaluations(axes: Axes, values: np.ndarray, method: str, first: int = 1) -> pd.DataFrame:
    """Draw mean and standard error of values (runs, n) against the evaluation, from evaluation `first` on.

    Returns:
        What was drawn: method, evaluation, mean, sem.
    """
    mean, sem = mean_and_sem(values)
    at = np.arange(1, len(mean) + 1)
    shown = at >= first
    low = _lower_end(mean, sem) if axes.get_yscale() == "log" else mean - sem
    draw_line(axes, at[shown], mean[shown], low[shown], (mean + sem)[shown], style.method(method).line)
    return pd.DataFrame({"method": method, "evaluation": at[shown], "mean": mean[shown], "sem": sem[shown]})


def draw_incumbents(
    axes: Axes, frame: pd.DataFrame, metric: str, benchmark: str, methods: Sequence[str], first: int = 1
) -> pd.DataFrame:
    """Draw mean and standard error of a metric's running minimum for those methods, and their ablations, that were run.

    Args:
        metric: `loss`, or `regret`, which gets a logarithmic axis.

    Returns:
        What was drawn, with the column benchmark.

    Raises:
        NotRunError: none of the methods was run.
    """
    if metric == "regret":
        axes.set_yscale("log")
    axes.set_ylabel({"regret": "immediate regret", "loss": "loss of the incumbent"}[metric])
    axes.set_xlabel("evaluations")
    parts = []
    for method in with_variants(methods, frame["method"].unique()):
        try:
            values = incumbent(per_run(frame, metric, benchmark, method))
        except NotRunError:
            continue
        shown = np.maximum(values, SMALLEST) if metric == "regret" else values
        parts.append(draw_evaluations(axes, shown, method, first))
    if not parts:
        raise NotRunError(benchmark)
    return pd.concat(parts).assign(benchmark=benchmark)


def draw_prediction(
    axes: Axes,
    grid: pd.DataFrame,
    color: str = style.BLUE,
    deviations: Sequence[int] = (1, 2, 3),
    opacity: float = OPACITY,
) -> None:
    """A predictive mean with bands of so many standard deviations: columns `x`, `mean` and `sd` of `grid`."""
    axes.plot(grid["x"], grid["mean"], color=color, label="predictive mean")
    label: str | None = f"{', '.join(map(str, deviations))} standard deviations"
    for number in deviations:
        low, high = (grid["mean"] + sign * number * grid["sd"] for sign in (-1, 1))
        axes.fill_between(grid["x"], low, high, color=color, alpha=opacity, linewidth=0, label=label)
        label = None


def draw_truth(axes: Axes, x: ArrayLike, values: ArrayLike, name: str) -> None:
    """The function that a model is fitted to, dashed, under its name in the legend."""
    axes.plot(x, values, color="0.35", linestyle="--", linewidth=1, label=name)


POINTS = 200  # in the grid of times of a line


def draw_errors(
    axes: Axes,
    frame: pd.DataFrame,
    benchmark: str,
    looks: Mapping[str, Mapping[str, Any]] | Sequence[str],
    metric: str = "error",
    bands: bool = False,
) -> pd.DataFrame:
    """Mean over the runs against the time, both axes logarithmic.

    A line starts when all of its runs have an incumbent and ends when the first of them ends (thesis 4.5, footnote 3).
    Methods that were not run are left out.

    Args:
        looks: The methods, in order; with keyword arguments of `Axes.plot` where they are not the method's own.
        bands: Whether to draw the standard error.

    Returns:
        What was drawn: method, time, value, low, high (a standard error to each side), benchmark.

    Raises:
        NotRunError: none of the methods was run.
    """
    axes.set_xscale("log")
    axes.set_yscale("log")
    parts = []
    for method in looks:
        try:
            rows = cell_rows(frame, benchmark, method)
        except NotRunError:
            continue
        look = looks[method] if isinstance(looks, Mapping) else style.method(method).line
        start = max(rows.groupby("run")["finished"].min().max(), 1e-3)
        times = np.geomspace(start, max(end_of(rows), start * (1 + ROUNDING)), POINTS)
        mean, low, high = mean_band(over_time(rows, times, metric))
        if bands:
            draw_line(axes, times, mean, low, high, look)
        else:
            axes.plot(times, mean, **look)
        parts.append(pd.DataFrame({"method": method, "time": times, "value": mean, "low": low, "high": high}))
    if not parts:
        raise NotRunError(benchmark)
    return pd.concat(parts, ignore_index=True).assign(benchmark=benchmark)


def draw_authors(axes: Axes, methods: Sequence[str]) -> pd.DataFrame:
    """The authors' runs on their SVM surrogate, dashed, in a panel of their own."""
    axes.set_title("the authors' runs")
    axes.set_xlabel("seconds")
    looks = {name: {**style.method(name).line, "linestyle": "--"} for name in methods}
    return draw_errors(axes, authors_svm_runs(), BENCHMARK, looks)


BENCHMARK = "authors"  # their own surrogate, of 50,000 training points
OPTIMUM = 0.01505  # the smallest error in their runs; the text of the thesis has 0.014
NAMES = {"ei": "gp"}  # their names of methods where ours differ


def authors_svm_runs() -> pd.DataFrame:
    """Their runs in the form of ours: benchmark, method, run, finished, evaluation, error and regret.

    Their files end a run with its last new incumbent; here each is continued to the end of its method's longest run.
    """
    frame = published_runs("fabolas/fig4_5_runs").rename(columns={"seconds": "finished", "evaluations": "evaluation"})
    frame["method"] = frame["method"].astype(object).replace(NAMES)
    return continued(frame.assign(benchmark=BENCHMARK, regret=(frame["error"] - OPTIMUM).clip(lower=0.0)))
