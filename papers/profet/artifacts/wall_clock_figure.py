"""Thesis Fig 8.2: what it costs to benchmark optimizers on real trainings and on generated tasks."""

from __future__ import annotations

import numpy as np
import pandas as pd

from core.experiment.results import Results
from core.report import Figure, Published, frame_of
from core.report.figures import style
from core.report.runs.frames import count_runs

METHODS = ("gp", "random", "bohamiann")
RUNS = 20  # as many as Fig 8.2 adds up


def totals(frame: pd.DataFrame) -> pd.DataFrame:
    """Seconds of 20 runs by method: on `trained` networks and on `generated` tasks, from the means over the runs."""
    means = frame.groupby("method")[["proposals", "evaluations", "training"]].mean() * RUNS
    trained, generated = means["proposals"] + means["training"], means["proposals"] + means["evaluations"]
    return pd.DataFrame({"trained": trained, "generated": generated, "proposals": means["proposals"]})


def fig8_2(results: Results, published: Published | None) -> Figure:
    """Bars of the seconds of 20 runs, and beside them the part that the optimizer takes of either."""
    frame = frame_of(results, "wall_clock")
    costs = totals(frame).reindex([name for name in METHODS if name in set(frame["method"].unique())])
    figure, axes = style.subplots(height=2.8, width=4.8)
    place = np.arange(len(costs))
    for shift, column, color, label in (
        (-0.27, "trained", style.BLUE, "networks trained"),
        (0.0, "generated", style.ORANGE, "generated tasks"),
        (0.27, "proposals", style.GREY, "the optimizer alone"),
    ):
        bars = axes.bar(place + shift, costs[column], 0.25, color=color, label=label)
        axes.bar_label(
            bars, [f"{seconds:.2g}" if seconds < 10 else f"{seconds:.0f}" for seconds in costs[column]], fontsize=7
        )
    axes.set_yscale("log")
    axes.set_ylim(top=3 * costs.to_numpy().max())
    axes.set_xticks(place, [style.label(name) for name in costs.index])
    axes.set_ylabel(f"seconds of {RUNS} runs")
    axes.grid(visible=False, axis="x")
    style.legend(figure, [axes], 3)
    evaluations = int(frame["count"].iloc[0])
    caption = (
        f"Processor seconds of {RUNS} runs of {evaluations} evaluations, from the mean of {count_runs(frame)}: with "
        "the networks trained, as the meta-model predicts their cost, and on the generated tasks themselves. Gray: "
        "the part of both that the optimizer takes. The networks behind the meta-model are smaller than the thesis' on "
        "MNIST."
    )
    return Figure(figure, caption, costs.reset_index())
