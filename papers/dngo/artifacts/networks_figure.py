"""DNGO Fig 4: validation errors of convolutional networks over time, as a planar histogram."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from core.experiment.results import Results
from core.report import Figure, Published, frame_of
from core.report.figures import style
from core.report.runs.frames import count_runs
from papers.dngo.artifacts.network_tables import SETS

BINS = 12
"""Bins along each axis; a run of 50 evaluations has a third of one in each bin."""


def fig4(results: Results, published: Published | None) -> Figure:
    """DNGO Fig 4 for CIFAR-100, and for CIFAR-10: counts by evaluation and error, the smallest so far in black."""
    frame = frame_of(results, "networks")
    names = [name for name in SETS if name in set(frame["benchmark"])] or list(frame["benchmark"].unique())
    figure, panels = style.subplots(1, len(names), width=7.2, height=3.2, squeeze=False)
    drawn = []
    for axes, name in zip(panels[0], names, strict=True):
        axes.set_title(SETS.get(name, name))
        axes.set_xlabel("evaluations")
        drawn.append(planar_histogram(axes, frame[frame["benchmark"] == name], "loss").assign(benchmark=name))
    panels[0, 0].set_ylabel("validation error")
    caption = (
        "Validation errors in the order in which evaluations ended: the darker a bin, the more of them. Black: the "
        f"smallest so far; {count_runs(frame)}. The paper shows CIFAR-100."
    )
    return Figure(figure, caption, pd.concat(drawn, ignore_index=True))


def planar_histogram(axes: Axes, rows: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Draw the counts of a metric by evaluation and value, and its running minimum, the mean of the runs'.

    Returns:
        What was drawn: run, evaluation, the metric and `incumbent`.
    """
    rows = rows.sort_values(["run", "evaluation"])
    last, values = int(rows["evaluation"].max()), rows[metric].to_numpy(float)
    edges = np.linspace(0.5, last + 0.5, min(BINS, last) + 1), np.linspace(values.min(), values.max() + 1e-9, BINS + 1)
    counts, *_ = np.histogram2d(rows["evaluation"], values, bins=edges)
    axes.pcolormesh(*edges, counts.T, cmap="Blues", shading="flat", rasterized=False)
    best = rows.groupby("run")[metric].cummin()
    mean = best.groupby(rows["evaluation"]).mean()
    axes.step(mean.index, mean, where="post", color=style.INK)
    return rows[["run", "evaluation", metric]].assign(incumbent=best)
