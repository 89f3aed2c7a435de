"""Lines with bands: a mean with its error or a median with its quartiles, and a model's prediction in one dimension."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from core.report.figures import style
from core.report.runs.trajectories import SMALLEST, incumbent, mean_and_sem, per_run
from core.report.runs.variants import with_variants
from core.report.verdicts.checks import NotRunError

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
    axes.plot(x, middle, **look, **({"drawstyle": "steps-post"} if steps else {}))
    step = "post" if steps else None
    axes.fill_between(x, low, high, color=look["color"], alpha=opacity, step=step, linewidth=0)


def mean_band(values: np.ndarray, errors: float = 1.0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mean over the runs of values (runs, n), and so many standard errors to each side of it, (n,) each.

    For logarithmic axes: the lower end is no lower than a tenth of the mean.
    """
    mean, sem = mean_and_sem(values)
    return mean, _lower_end(mean, errors * sem), mean + errors * sem


def _lower_end(mean: np.ndarray, error: np.ndarray) -> np.ndarray:
    return np.maximum(mean - error, mean / 10)


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
