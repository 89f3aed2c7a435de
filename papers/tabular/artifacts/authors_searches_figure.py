"""Optimizers on the authors' whole tables, by evaluations: those of thesis 7.4 that need no budgets."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from core.experiment.results import Results
from core.report import style
from core.report.figures.curves import draw_line
from core.report.figures.figure import Figure
from core.report.figures.files import log_from_zero
from core.report.runs.frames import cell_rows, frame_of, with_variants
from core.report.runs.trajectories import SMALLEST, median_and_quartiles, regret_over_time
from core.report.verdicts.published import Published
from core.tabular.grid import FCNET
from papers.tabular.artifacts.comparison_figures import runs_in_words
from papers.tabular.comparison_runs import METHODS
from papers.tabular.trained_tables import LABELS, short_label

EXPERIMENTS = ("authors_methods", "authors_smac", "authors_bohamiann")
ORDER = (*METHODS, "differential_evolution")


def authors_searches(results: Results, published: Published | None) -> Figure:
    """Median and quartiles of the incumbents' validation regret on each table (ours)."""
    frame = frame_of(results, *EXPERIMENTS)
    present = set(frame["benchmark"])
    names = [*(name for name in LABELS if name in present), *sorted(present - set(LABELS))]
    figure, panels = style.subplots(1, len(names), width=7.2, height=2.8, squeeze=False)
    parts = []
    for axes, name in zip(panels[0], names, strict=True):
        run = set(frame.loc[frame["benchmark"] == name, "method"])
        methods = [method for method in with_variants(ORDER, sorted(run)) if method in run]
        parts += [_over_evaluations(axes, frame, name, method) for method in methods]
        axes.set_title(short_label(name))
        axes.set_xscale("log")
        log_from_zero(axes.yaxis, frame.loc[frame["benchmark"] == name, "regret"], SMALLEST)
        axes.set_ylim(bottom=0)
        axes.set_xlabel("evaluations")
    panels[0, 0].set_ylabel("validation regret")
    style.legend(figure, panels.flat, 4)
    caption = (
        f"Median and quartiles ({runs_in_words(frame, ORDER)}) of the incumbent's average validation error above the "
        f"lowest of all {FCNET.size:,} configurations; the incumbent is the lowest of the drawn trainings. The axis is "
        "linear from 0 to the smallest regret above 0."
    )
    return Figure(figure, caption, pd.concat(parts, ignore_index=True))


def _over_evaluations(axes: Axes, frame: pd.DataFrame, benchmark: str, method: str) -> pd.DataFrame:
    """Draw a method; evaluations cost 1, so that their number is the time."""
    numbers = np.arange(1, int(cell_rows(frame, benchmark, method)["evaluation"].max()) + 1)
    low, median, high = median_and_quartiles(regret_over_time(frame, benchmark, method, numbers.astype(float)))
    draw_line(axes, numbers, median, low, high, style.method(method).line, opacity=0.12, steps=True)
    drawn = {"evaluation": numbers, "low": low, "regret": median, "high": high}
    return pd.DataFrame({"benchmark": benchmark, "method": method, **drawn})
