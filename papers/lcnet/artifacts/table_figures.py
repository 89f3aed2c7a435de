"""Hyperband with LC-Net on the tables of chapter 7 (thesis Figs 5.7 and B.3)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from core.experiment.results import Results
from core.report import Figure, NotRunError, Published
from core.report.figures import style
from core.report.figures.bands import draw_line, mean_band
from core.report.figures.panels import draw_panels, not_run_words
from core.report.figures.ticks import log_from_zero
from core.report.runs.frames import benchmarks_run
from core.report.runs.time_curves import end_of, over_time
from core.report.runs.trajectories import SMALLEST
from core.tabular.values import LABELS
from papers.lcnet.table_runs import METHODS, SHOWN, sets_run, table_runs

POINTS = 200  # per curve


def fig5_7(results: Results, published: Published | None) -> Figure:
    """Thesis Fig 5.7: protein and slice."""
    frame = table_runs(results)
    return _draw(frame, SHOWN if set(SHOWN) & set(benchmarks_run(frame)) else sets_run(frame)[:1])


def figB_3(results: Results, published: Published | None) -> Figure:
    """Thesis Fig B.3: all sets."""
    frame = table_runs(results)
    return _draw(frame, tuple(LABELS) if set(LABELS) & set(benchmarks_run(frame)) else sets_run(frame))


def _draw(frame: pd.DataFrame, names: Sequence[str]) -> Figure:
    columns = min(len(names), 2)
    rows = -(-len(names) // columns)
    figure, panels = style.subplots(rows, columns, height=2.3 * rows + 0.5, squeeze=False)

    def draw(axes: Axes, name: str) -> pd.DataFrame:
        cells = dict(iter(frame[frame["benchmark"] == name].groupby("method")))
        if not cells:
            raise NotRunError(name)
        curves = pd.concat([_curve(axes, cells[method], method) for method in METHODS if method in cells])
        axes.set(xscale="log", yscale="log", xlabel="seconds of training")
        if curves["regret"].min() <= SMALLEST:  # all runs of a method have found the best configuration of the table
            log_from_zero(axes.yaxis, curves["regret"], SMALLEST)
            axes.set_ylim(bottom=0)
        return curves.assign(benchmark=name)

    data = draw_panels(panels.flat, {name: LABELS.get(name, name) for name in names}, draw)
    for axes in panels[:, 0]:
        axes.set_ylabel("test regret")
    style.legend(figure, panels.flat, len(METHODS))
    caption = (
        "Mean and standard error of the test regret of the configuration that is best on the validation data so far, "
        f"over the runs ({_counts(frame)}); lines end where the first run ends. Hyperband's and BOHAMIANN's runs are "
        "chapter 7's, on the same tables, which are parts of the thesis' at the quick scale. An axis that has 0 is "
        "linear up to the smallest mean above it."
    )
    missing = (LABELS.get(name, name) for name in names if name not in benchmarks_run(frame))
    return Figure(figure, caption + not_run_words(missing), data)


def _curve(axes: Axes, rows: pd.DataFrame, method: str) -> pd.DataFrame:
    times = np.geomspace(rows.groupby("run")["time"].min().max(), end_of(rows), POINTS)
    mean, low, high = mean_band(over_time(rows, times))
    draw_line(axes, times, mean, low, high, style.method(method).line, steps=True)
    return pd.DataFrame({"method": method, "seconds": times, "regret": mean, "low": low, "high": high})


def _counts(frame: pd.DataFrame) -> str:
    counts = frame.groupby("method")["run"].nunique()
    return ", ".join(f"{style.label(method)} {counts[method]}" for method in METHODS if method in counts)
