"""Measured times of suggestions, `core.experiment.suggestion_time`, and how they grow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from core.experiment.results import Results
from core.report.figures import style
from core.report.figures.figure import Figure
from core.report.runs.frames import rows_of
from core.report.verdicts.checks import NotRunError


def times(results: Results, method: str) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of observations that all repetitions reached, (n,), and processor seconds (runs, n).

    Raises:
        NotRunError: fewer than two.
    """
    rows = rows_of(results, "suggestion_time", method=method)
    table = rows.pivot(index="run", columns="observations", values="cpu_seconds").dropna(axis="columns")
    if table.shape[1] < 2:
        raise NotRunError(f"suggestion_time/{method}: two numbers of observations")
    return table.columns.to_numpy(dtype=float), table.to_numpy(dtype=float)


def slopes(sizes: np.ndarray, seconds: np.ndarray) -> np.ndarray:
    """Least-squares slope of log seconds over log N of each run, (runs,)."""
    x = np.log(sizes) - np.log(sizes).mean()
    return np.log(seconds) @ x / (x @ x)


def times_figure(results: Results, labels: Mapping[str, str], first: str, xlabel: str, caption: str) -> Figure:
    """Mean and standard deviation of the times on linear axes, up to 2.5 times the GP's data, and on logarithmic axes.

    Args:
        labels: Labels of the methods in the legend; methods that were not run are left out.
        first: Title of the linear axes.

    Raises:
        NotRunError: none of the methods was run.
    """
    figure, (linear, logarithmic) = style.subplots(1, 2, width=7.2, height=3.0)
    shown = _draw_times((linear, logarithmic), results, labels)
    longest = shown.loc[shown["method"] == "gp", "observations"].max()
    linear.set_xlim(0, 2.5 * longest if longest > 0 else None)
    linear.set(title=f"(a) {first}", ylabel="seconds of one core per suggestion")
    logarithmic.set(xscale="log", yscale="log", title="(b) logarithmic axes")
    for axes in (linear, logarithmic):
        axes.set_xlabel(xlabel)
    style.legend(figure, [logarithmic], len(labels))
    return Figure(figure, caption, shown)


def _draw_times(panels: Sequence[Axes], results: Results, labels: Mapping[str, str]) -> pd.DataFrame:
    """Draw the same in every panel, and return what was drawn: method, observations, seconds, sd."""
    data = []
    for name, label in labels.items():
        try:
            sizes, seconds = times(results, name)
        except NotRunError:
            continue
        mean, sd = seconds.mean(0), seconds.std(0, ddof=1) if len(seconds) > 1 else np.zeros(len(sizes))
        look = {"color": style.method(name).color, "marker": style.method(name).marker, "capsize": 2, "label": label}
        for axes in panels:
            axes.errorbar(sizes, mean, sd, **look)
        data.append(pd.DataFrame({"method": name, "observations": sizes, "seconds": mean, "sd": sd}))
    if not data:
        raise NotRunError("suggestion_time")
    return pd.concat(data, ignore_index=True)
