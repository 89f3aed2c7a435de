"""Brofos Fig 2a: evaluations against wall-clock time."""

from __future__ import annotations

import pandas as pd

from core.experiment.results import Results
from core.report import Figure, Published, frame_of
from core.report.figures import style
from papers.nnbo_regret.artifacts.authors_timings import EVALUATION_SECONDS, authors_seconds

MODES = {
    "sequential": ("sequential", style.BLACK, "-"),
    "parallel_2": ("two evaluators", style.ORANGE, "-."),
    "parallel_6": ("six evaluators", style.BLUE, "-"),
}
AUTHORS = {
    "sequential": ("sequential, authors", style.GREY, "--"),
    "parallel": ("parallel, authors", style.SKY, "--"),
}


def fig2a(results: Results, published: Published | None) -> Figure:
    """Brofos Fig 2a: evaluations finished against wall-clock time in durations of one evaluation; authors' dashed."""
    frame = frame_of(results, "wall_clock")
    figure, axes = style.subplots(height=3.0)
    parts = []
    for mode, (label, color, dash) in MODES.items():
        rows = frame[frame["method"] == mode]
        if rows.empty:
            continue
        units = (rows["finished"] / rows["evaluation_seconds"]).groupby(rows["evaluation"]).mean()
        axes.plot(units, units.index, color=color, linestyle=dash, label=label)
        parts.append(pd.DataFrame({"series": label, "evaluation": units.index, "units": units.to_numpy()}))
    for mode, seconds in authors_seconds().items():
        label, color, dash = AUTHORS[mode]
        units = seconds.mean(axis=1) / EVALUATION_SECONDS
        axes.plot(units, units.index, color=color, linestyle=dash, label=label)
        parts.append(pd.DataFrame({"series": label, "evaluation": units.index, "units": units.to_numpy()}))
    axes.set_xlabel("wall-clock time, in durations of one evaluation")
    axes.set_ylabel("evaluations finished")
    style.legend(figure, [axes], 3)
    duration = frame["evaluation_seconds"].iloc[0]
    caption = (
        f"Means over runs on the 2-d Gaussian mixture, evaluations of {duration:g} s by real processes. Two of the "
        "paper's four processes evaluate. Dashed: the authors' published timings, with evaluations of 2 s, at the "
        "times when results arrive; their parallel mode was faster than two evaluators can be."
    )
    return Figure(figure, caption, pd.concat(parts, ignore_index=True))
