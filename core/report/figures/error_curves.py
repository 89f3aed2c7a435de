"""Mean errors of incumbents over the seconds of a search, one line for each method (thesis Figs 4.5, 4.6 and 6.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from core.report.figures import style
from core.report.figures.authors_svm_runs import BENCHMARK, authors_svm_runs
from core.report.figures.bands import draw_line, mean_band
from core.report.runs.frames import cell_rows
from core.report.runs.time_curves import ROUNDING, end_of, over_time
from core.report.verdicts.checks import NotRunError

POINTS = 200  # in the grid of times of a line


def draw_errors(
    axes: Axes,
    frame: pd.DataFrame,
    benchmark: str,
    looks: Mapping[str, Mapping[str, str]] | Sequence[str],
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
        start = max(rows.groupby("run")["time"].min().max(), 1e-3)
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
