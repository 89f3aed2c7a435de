"""Curves of runs over time, from the records that `papers.bohb.search` keeps.

The value of a run at a time is that of the incumbent of then; before the first evaluation of a run has finished it is
the first incumbent's, a random configuration's, so that all runs count in every mean. A loss is the worst there is
while all evaluations of a run have failed.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from core.experiment.results import Results
from core.report import style
from core.report.checks import NotRunError
from core.report.memo import once
from core.report.trajectories import SMALLEST, cell_rows, mean_and_sem, median_and_quartiles, split_runs
from core.report.variants import split_variant, with_variants
from core.study.curves import at_times

POINTS = 160  # of a grid of times that is drawn
ROUNDING = 1e-9  # relative: budgets that sum up to a time but for rounding have been spent by then
LEGENDS = {
    "bohb_all_kernels": "BOHB, factor 3 on all kernels",
    **{f"workers_{n}": f"{n} worker{'s' if n > 1 else ''}" for n in (1, 2, 4, 8, 16, 32)},
    **{f"samples_{n}": f"{n} samples" for n in (4, 16, 64, 256)},
    **{f"random_{part}": words for part, words in (("0", "0"), ("0.1", "0.1"), ("0.33", "1/3"), ("0.67", "2/3"))},
    **{f"eta_{n}": f"eta = {n}" for n in (2, 3, 4, 5)},
    **{f"factor_{n}": f"factor {n}" for n in (1, 2, 3, 5)},
}
SHADES = (style.ORANGE, style.VERMILION, style.WINE, style.BLUE, style.SKY, style.GREEN)
ALL_KERNELS = {"label": LEGENDS["bohb_all_kernels"], "color": style.WINE, "linestyle": ":"}


@once
def frame_of(results: Results, *experiments: str) -> pd.DataFrame:
    """The rows of experiments whose methods are drawn together.

    Raises:
        NotRunError: there are none.
    """
    frame = pd.concat([results.frame(name) for name in experiments], ignore_index=True)
    if frame.empty:
        raise NotRunError(experiments[0])
    return frame


def over_time(rows: pd.DataFrame, times: np.ndarray, metric: str = "regret") -> np.ndarray:
    """Values of one cell's runs at ascending times, (runs, m)."""
    found, times = [], times * (1 + ROUNDING)
    for number, (finished, values) in enumerate(split_runs(rows, "time", metric)):
        before = values[0]
        if metric == "loss" and split_runs(rows, "evaluations")[number][0][0] > 1:
            before = split_runs(rows, "worst_loss")[number][0][0]  # evaluations count from 1: earlier ones failed
        curve = at_times(finished, values, times)
        found.append(np.where(np.isnan(curve), before, curve))
    return np.stack(found)


def times_of(frame: pd.DataFrame, benchmark: str, methods: list[str], points: int = POINTS) -> np.ndarray:
    """Times on a logarithmic grid, (m,): from the first incumbent of these methods to the end of the longest of them.

    Raises:
        NotRunError: none of them was run.
    """
    rows = frame[(frame["benchmark"] == benchmark) & frame["method"].isin(methods)]
    if rows.empty:
        raise NotRunError(benchmark)
    first = rows["time"].min()
    last = rows.groupby(["method", "run"])["time"].max().groupby("method").min().max()
    return np.geomspace(first, max(last, first * (1 + ROUNDING)), points)


def draw(
    axes: Axes,
    frame: pd.DataFrame,
    benchmark: str,
    methods: list[str],
    metric: str = "regret",
    median: bool = False,
    errors: float = 1,
) -> pd.DataFrame:
    """Mean with its standard error over the runs, or median with its quartiles, against time; both axes logarithmic.

    Methods that were not run are left out; each is drawn from its first incumbent to the end of its runs.

    Args:
        errors: how many standard errors the band has to each side.

    Returns:
        What was drawn: method, time, value, low, high.

    Raises:
        NotRunError: none of the methods was run.
    """
    axes.set_xscale("log")
    axes.set_yscale("log")
    methods = with_variants(methods, frame["method"].unique())
    grid, parts = times_of(frame, benchmark, methods), []
    for place, method in enumerate(methods):
        try:
            rows = cell_rows(frame, benchmark, method)
        except NotRunError:
            continue
        ends = rows.groupby("run")["time"]
        times = grid[(grid >= ends.min().min()) & (grid <= ends.max().min() * (1 + ROUNDING))]
        values = np.maximum(over_time(rows, times, metric), SMALLEST)
        if median:
            low, middle, high = median_and_quartiles(values)
        else:
            middle, sem = mean_and_sem(values)
            low, high = np.maximum(middle - errors * sem, middle / 10), middle + errors * sem
        look = line_of(method, place)
        axes.plot(times, middle, **look)
        axes.fill_between(times, low, high, color=look["color"], alpha=0.18, linewidth=0)
        parts.append(pd.DataFrame({"method": method, "time": times, "value": middle, "low": low, "high": high}))
    return pd.concat(parts, ignore_index=True).assign(benchmark=benchmark)


def line_of(method: str, place: int) -> dict[str, str]:
    """How a method's line looks: its own look, or in an ablation the next shade."""
    if method == "bohb_all_kernels":
        return ALL_KERNELS
    base, change = split_variant(method)
    if base in style.METHODS:
        return style.method(method).line
    return {
        "label": ", ".join(filter(None, (LEGENDS[base], change.replace("_", " ")))),
        "color": SHADES[place % len(SHADES)],
        "linestyle": "-",
    }


def reaches(curve: np.ndarray, times: np.ndarray, level: float | np.ndarray) -> np.ndarray:
    """The first of the times (m,) at which curves (..., m) are at most `level` (...,), but for rounding: infinite where
    none is."""
    level = np.asarray(level)[..., None]
    below = curve <= level + ROUNDING * np.abs(level)
    return np.where(below.any(-1), times[np.argmax(below, axis=-1)], np.inf)
