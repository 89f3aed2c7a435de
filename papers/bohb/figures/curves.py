"""What the figures share: curves over time, one line for each method, panels for data sets, and words in captions."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from core.report import NotRunError, style
from core.report.figures.curves import draw_line, mean_band
from core.report.figures.figure import draw_panels, not_run_words
from core.report.runs.frames import benchmarks_run, cell_rows, count_runs, split_variant, with_change, with_variants
from core.report.runs.trajectories import ROUNDING, SMALLEST, median_and_quartiles, over_time, times_of
from papers.bohb.runs import DATA_SETS

WORKERS = [f"workers_{n}" for n in (1, 2, 4, 8, 16, 32)]
SAMPLES = [f"samples_{n}" for n in (4, 16, 64, 256)]
RANDOM_FRACTIONS = [f"random_{part}" for part in ("0", "0.1", "0.33", "0.67")]
ETAS = [f"eta_{n}" for n in (2, 3, 4, 5)]
FACTORS = [f"factor_{n}" for n in (1, 2, 3, 5)]
POINTS = 160  # in the grid of times that is drawn
LEGENDS = {
    **{f"workers_{n}": f"{n} worker{'s' if n > 1 else ''}" for n in (1, 2, 4, 8, 16, 32)},
    **{f"samples_{n}": f"{n} samples" for n in (4, 16, 64, 256)},
    **{f"random_{part}": words for part, words in (("0", "0"), ("0.1", "0.1"), ("0.33", "1/3"), ("0.67", "2/3"))},
    **{f"eta_{n}": f"eta = {n}" for n in (2, 3, 4, 5)},
    **{f"factor_{n}": f"factor {n}" for n in (1, 2, 3, 5)},
}
SHADES = {
    name: color
    for family in (WORKERS, SAMPLES, RANDOM_FRACTIONS, ETAS, FACTORS)
    for name, color in zip(family, style.sequential(len(family)), strict=True)
}
DEFAULTS = ("samples_64", "random_0.33", "eta_3", "factor_3")
TEXTS = {
    "hyperband_text": ("Hyperband, by the text", style.method("hyperband").color),
    **dict.fromkeys(("bohb_text", "bohb_all_kernels"), ("BOHB, by the text", style.method("bohb").color)),
}


def curves_of(
    frame: pd.DataFrame,
    benchmark: str,
    methods: list[str],
    metric: str = "regret",
    median: bool = False,
    errors: float = 1,
) -> pd.DataFrame:
    """Mean with its standard error over the runs, or median with its quartiles, over time.

    Methods that were not run are left out; each is shown from its first incumbent to the end of its runs.

    Args:
        errors: Half the width of the band in standard errors.

    Returns:
        method, time, value, low, high, benchmark.

    Raises:
        NotRunError: none of the methods was run.
    """
    methods = with_variants(methods, frame["method"].unique())
    grid, parts = times_of(frame, benchmark, methods, POINTS), []
    for method in methods:
        try:
            rows = cell_rows(frame, benchmark, method)
        except NotRunError:
            continue
        ends = rows.groupby("run")["finished"]
        times = grid[(grid >= ends.min().min()) & (grid <= ends.max().min() * (1 + ROUNDING))]
        values = np.maximum(over_time(rows, times, metric), SMALLEST)
        if median:
            low, middle, high = median_and_quartiles(values)
        else:
            middle, low, high = mean_band(values, errors)
        parts.append(pd.DataFrame({"method": method, "time": times, "value": middle, "low": low, "high": high}))
    return pd.concat(parts, ignore_index=True).assign(benchmark=benchmark)


def draw(axes: Axes, curves: pd.DataFrame) -> pd.DataFrame:
    """Draw `curves_of` on logarithmic axes, and return them."""
    axes.set_xscale("log")
    axes.set_yscale("log")
    for method, rows in curves.groupby("method", sort=False):
        draw_line(axes, rows["time"], rows["value"], rows["low"], rows["high"], line_of(str(method)))
    return curves


def line_of(method: str) -> dict[str, object]:
    """A method's line style: its own, or the shade of a setting in its order; default settings are thick."""
    if method in TEXTS:
        label, color = TEXTS[method]
        return {"label": label, "color": color, "linestyle": ":"}
    base, change = split_variant(method)
    if base in style.METHODS:
        return style.method(method).line
    default = base in DEFAULTS and not change
    return {
        "label": with_change(f"{LEGENDS[base]}, default" if default else LEGENDS[base], change),
        "color": SHADES[base],
        "linestyle": "--" if change else "-",
        "linewidth": 2.6 if default else 1.3,
    }


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
