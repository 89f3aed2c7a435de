"""What the figures share: the number of runs in a caption, a panel for each data set, panels without runs."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from core.report import NotRunError
from core.report.figures import style
from core.report.figures.panels import draw_panels, not_run_words
from core.report.runs.frames import benchmarks_run, count_runs
from papers.bohb.names import DATA_SETS

LEGEND_COLUMNS = 6
BUDGET = "Time is in multiples of the largest budget"


def runs_of(frame: pd.DataFrame, *benchmarks: str) -> str:
    """How many runs of the benchmarks shown, or of all, in words."""
    return count_runs(frame[frame["benchmark"].isin(benchmarks)] if benchmarks else frame)


def shown_set(frame: pd.DataFrame, wanted: str) -> str:
    """The benchmark of a figure that shows one: the wanted one, or another where only that was run.

    Raises:
        NotRunError: there is none.
    """
    if frame.empty:
        raise NotRunError(wanted)
    names = benchmarks_run(frame)
    return wanted if wanted in names else names[0]


def axis_label(frame: pd.DataFrame, benchmark: str) -> str:
    """The label of a time axis, with the length of the unit."""
    seconds = frame.loc[frame["benchmark"] == benchmark, "largest_budget"].iloc[0]
    return f"time / largest budget ({seconds:.3g} s)"


def missing_sets(frame: pd.DataFrame) -> str:
    """A sentence that names the data sets of the thesis that were not run, empty if there are none."""
    return not_run_words(label for name, label in DATA_SETS.items() if name not in benchmarks_run(frame))


def data_set_panels(
    frame: pd.DataFrame,
    draw_one: Callable[[Axes, pd.DataFrame, str], pd.DataFrame],
    quantity: str = "immediate regret",
) -> tuple[Figure, pd.DataFrame]:
    """A panel for each of the six data sets of the thesis that was run, in its order, or for what else was.

    Returns:
        The figure, and what was drawn.
    """
    ran = benchmarks_run(frame)
    names = [name for name in DATA_SETS if name in ran] or ran
    columns = 2 if len(names) in (2, 4) else min(3, len(names))
    rows = -(-len(names) // columns)
    figure, panels = style.subplots(rows, columns, width=7.2, height=0.4 + 2.3 * rows, squeeze=False)

    def draw(axes: Axes, name: str) -> pd.DataFrame:
        drawn = draw_one(axes, frame, name)
        axes.set_xlabel(axis_label(frame, name))
        return drawn

    data = draw_panels(panels.flat, {name: DATA_SETS.get(name, name) for name in names}, draw)
    for axes in panels[:, 0]:
        axes.set_ylabel(quantity)
    style.legend(figure, panels.flat, LEGEND_COLUMNS)
    return figure, data
