"""Hyperband with LC-Net on the tables of chapter 7 (thesis Figs 5.7 and B.3)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from core.experiment.results import Results
from core.report import Figure, Published
from core.report.figures import style
from core.report.figures.figure import not_run_panel
from core.report.figures.ticks import log_from_zero
from core.report.runs.time_curves import end_of, over_time
from core.report.runs.trajectories import SMALLEST, mean_and_sem
from core.tabular.values import LABELS
from papers.lcnet.table_runs import METHODS, SHOWN, sets_run, table_runs

POINTS = 200  # per curve


def fig5_7(results: Results, published: Published | None) -> Figure:
    """Thesis Fig 5.7: protein and slice."""
    frame = table_runs(results)
    return _draw(frame, SHOWN if set(SHOWN) & set(frame["benchmark"]) else sets_run(frame)[:1])


def figB_3(results: Results, published: Published | None) -> Figure:
    """Thesis Fig B.3: all sets."""
    frame = table_runs(results)
    return _draw(frame, tuple(LABELS) if set(LABELS) & set(frame["benchmark"]) else sets_run(frame))


def _draw(frame: pd.DataFrame, names: Sequence[str]) -> Figure:
    columns = min(len(names), 2)
    rows = -(-len(names) // columns)
    figure, panels = style.subplots(rows, columns, height=2.3 * rows + 0.5, squeeze=False)
    parts = []
    for axes, name in zip(panels.flat, names, strict=True):
        axes.set_title(LABELS.get(name, name))
        cells = dict(iter(frame[frame["benchmark"] == name].groupby("method")))
        if not cells:
            not_run_panel(axes)
            continue
        curves = [_curve(axes, cells[method], method).assign(benchmark=name) for method in METHODS if method in cells]
        means = pd.concat(curves)["regret"]
        axes.set(xscale="log", yscale="log", xlabel="seconds of training")
        if means.min() <= SMALLEST:  # every run of a method has found the best configuration of a small table
            log_from_zero(axes.yaxis, means, SMALLEST)
            axes.set_ylim(bottom=0)
        parts += curves
    for axes in panels[:, 0]:
        axes.set_ylabel("test regret")
    style.legend(figure, panels.flat, len(METHODS))
    caption = (
        "Mean and standard error of the test regret of the configuration that is best on the validation data so far, "
        f"over the runs ({_counts(frame)}); lines end where the first run ends. Hyperband's and BOHAMIANN's runs are "
        "chapter 7's, on the same tables, which are parts of the thesis' at the quick scale. An axis that has 0 is "
        "linear up to the smallest mean above it."
    )
    if missing := [LABELS.get(name, name) for name in names if name not in set(frame["benchmark"])]:
        caption += f" Not run: {', '.join(missing)}."
    return Figure(figure, caption, pd.concat(parts, ignore_index=True))


def _curve(axes: Axes, rows: pd.DataFrame, method: str) -> pd.DataFrame:
    times = np.geomspace(rows.groupby("run")["time"].min().max(), end_of(rows), POINTS)
    mean, sem = mean_and_sem(over_time(rows, times))
    low, look = np.maximum(mean - sem, mean / 10), style.method(method)
    axes.plot(times, mean, drawstyle="steps-post", **look.line)
    axes.fill_between(times, low, mean + sem, step="post", color=look.color, alpha=0.18, linewidth=0)
    return pd.DataFrame({"method": method, "seconds": times, "regret": mean, "low": low, "high": mean + sem})


def _counts(frame: pd.DataFrame) -> str:
    counts = frame.groupby("method")["run"].nunique()
    return ", ".join(f"{style.label(method)} {counts[method]}" for method in METHODS if method in counts)
