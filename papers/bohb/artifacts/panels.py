"""What the figures share: the number of runs in a caption, a panel for each data set, panels without runs."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from core.report import NotRunError
from core.report.figures import style
from core.report.figures.figure import not_run_panel
from core.report.runs.frames import count_runs
from papers.bohb.names import DATA_SETS

LEGEND_COLUMNS = 6
BUDGET = "Time is in multiples of the largest budget"


def runs_of(frame: pd.DataFrame, *benchmarks: str) -> str:
    """How many runs of the benchmarks shown, or of all, in words."""
    return count_runs(frame[frame["benchmark"].isin(benchmarks)] if benchmarks else frame)


def axis_label(frame: pd.DataFrame, benchmark: str) -> str:
    """The label of a time axis, with the length of the unit."""
    seconds = frame.loc[frame["benchmark"] == benchmark, "largest_budget"].iloc[0]
    return f"time / largest budget ({seconds:.3g} s)"


def missing_sets(frame: pd.DataFrame) -> str:
    """A sentence that names the data sets of the thesis that were not run, empty if there are none."""
    missing = [label for name, label in DATA_SETS.items() if name not in set(frame["benchmark"])]
    return f" Not run: {', '.join(missing)}." if missing else ""


def data_set_panels(
    frame: pd.DataFrame, draw_one: Callable[[Axes, pd.DataFrame, str], pd.DataFrame]
) -> tuple[Figure, pd.DataFrame]:
    """Six panels, one per data set of the thesis; sets without runs say so, and other sets that were run replace them.

    Returns:
        The figure, and what was drawn.
    """
    ran = list(frame["benchmark"].unique())
    names = list(DATA_SETS) if set(ran) & set(DATA_SETS) else [*ran, *DATA_SETS][: len(DATA_SETS)]
    figure, panels = style.subplots(2, 3, width=7.2, height=4.8)
    parts = []
    for axes, name in zip(panels.flat, names, strict=True):
        axes.set_title(DATA_SETS.get(name, name))
        try:
            parts.append(draw_one(axes, frame, name))
            axes.set_xlabel(axis_label(frame, name))
        except NotRunError:
            not_run_panel(axes)
    for axes in panels[:, 0]:
        axes.set_ylabel("immediate regret")
    style.legend(figure, panels.flat, LEGEND_COLUMNS)
    return figure, pd.concat(parts, ignore_index=True)
