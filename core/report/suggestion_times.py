"""Measured times of suggestions, `core.experiment.suggestion_time`, and how they grow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from core.experiment.results import Results
from core.report import style
from core.report.checks import NotRunError
from core.report.runs import rows_of


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


def draw_times(panels: Sequence[Axes], results: Results, labels: Mapping[str, str]) -> pd.DataFrame:
    """Draw mean and standard deviation of the times of those methods that were run, the same in every panel.

    Args:
        labels: of the methods in the legend.

    Returns:
        What was drawn: method, observations, seconds, sd.

    Raises:
        NotRunError: none of the methods was run.
    """
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
