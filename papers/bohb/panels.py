"""What the figures share: how many runs a caption speaks of, panels without runs."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes

from core.report import style


def runs_of(frame: pd.DataFrame, *benchmarks: str) -> str:
    """How many runs of the benchmarks shown, or of all, as "20 runs", or "10 to 20 runs" where methods differ."""
    if benchmarks:
        frame = frame[frame["benchmark"].isin(benchmarks)]
    counts = frame.groupby(["benchmark", "method"])["run"].nunique()
    least, most = counts.min(), counts.max()
    return f"{least} to {most} runs" if least < most else f"{most} run{'s' if most > 1 else ''}"


def not_run(axes: Axes) -> None:
    """Say so in an empty panel, which keeps its title."""
    axes.set_axis_off()
    axes.text(0.5, 0.5, "not run", transform=axes.transAxes, ha="center", color=style.GREY)
