"""Incumbents and regret of optimization runs: one definition for every table and figure.

* The **incumbent** after n evaluations is the best of them by the loss that the optimizer saw: a running minimum.
* The **immediate regret** after n evaluations is the incumbent's noise-free loss minus the smallest one there is.
  It is not the regret of evaluation n alone (which moves up and down), not the cumulative regret (a sum over all n),
  and not the regret of the point that a model predicts to be best.
* Runs are averaged at equal numbers of evaluations; a band is the mean with its standard error over the runs.

Arrays are (runs, n), evaluations in order.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from core.report import style
from core.report.checks import NotRunError

SMALLEST = 1e-12  # regret below it is rounding; log axes and logarithms stop there


def per_run(frame: pd.DataFrame, metric: str, benchmark: str, method: str) -> np.ndarray:
    """A metric of one cell, (runs, n): failed evaluations hold the worst-case loss that they were recorded with.

    Raises:
        NotRunError: the cell has no rows.
    """
    rows = frame[(frame["benchmark"] == benchmark) & (frame["method"] == method)]
    if rows.empty:
        raise NotRunError(f"{benchmark}/{method}")
    table = rows.pivot(index="run", columns="evaluation", values=metric)
    return table.to_numpy(dtype=float)


def incumbent(losses: np.ndarray) -> np.ndarray:
    """The loss of the incumbent after each evaluation, (runs, n)."""
    return np.minimum.accumulate(losses, axis=1)


def log_regret(regret: np.ndarray) -> np.ndarray:
    """Logarithm to base 10 of a regret, elementwise, rounding errors below 0 and tiny values at `SMALLEST`."""
    return np.log10(np.maximum(regret, SMALLEST))


def mean_and_sem(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean over the runs and its standard error, (n,) each; of a single run the error is 0."""
    runs = len(values)
    sem = values.std(axis=0, ddof=1) / np.sqrt(runs) if runs > 1 else np.zeros(values.shape[1])
    return values.mean(axis=0), sem


def draw_band(axes: Axes, values: np.ndarray, method: str, first: int = 1) -> pd.DataFrame:
    """Draw mean and standard error of values (runs, n) against the evaluation, from evaluation `first` on.

    Returns:
        What was drawn: method, evaluation, mean, sem.
    """
    mean, sem = mean_and_sem(values)
    at = np.arange(1, len(mean) + 1)
    shown = at >= first
    look = style.method(method)
    axes.plot(at[shown], mean[shown], **look.line)
    low = np.maximum(mean - sem, mean / 10 if axes.get_yscale() == "log" else -np.inf)
    axes.fill_between(at[shown], low[shown], (mean + sem)[shown], color=look.color, alpha=0.18, linewidth=0)
    return pd.DataFrame({"method": method, "evaluation": at[shown], "mean": mean[shown], "sem": sem[shown]})


def draw_regret(axes: Axes, frame: pd.DataFrame, benchmark: str, methods: list[str], first: int = 1) -> pd.DataFrame:
    """Immediate regret of several methods on one benchmark, on a log axis; methods that were not run are left out.

    Returns:
        What was drawn, with the column benchmark.

    Raises:
        NotRunError: none of the methods was run.
    """
    axes.set_yscale("log")
    parts = []
    for method in methods:
        try:
            regret = incumbent(per_run(frame, "regret", benchmark, method))
        except NotRunError:
            continue
        parts.append(draw_band(axes, np.maximum(regret, SMALLEST), method, first))
    if not parts:
        raise NotRunError(benchmark)
    axes.set_xlabel("evaluations")
    return pd.concat(parts).assign(benchmark=benchmark)
