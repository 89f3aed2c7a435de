"""What the figures share: how many runs a caption speaks of, one legend for all panels, panels without runs."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from core.report import style


def runs_of(frame: pd.DataFrame, *benchmarks: str) -> str:
    """How many runs of the benchmarks shown, or of all, as "20 runs", or "10 to 20 runs" where methods differ."""
    if benchmarks:
        frame = frame[frame["benchmark"].isin(benchmarks)]
    counts = frame.groupby(["benchmark", "method"])["run"].nunique()
    least, most = counts.min(), counts.max()
    return f"{least} to {most} runs" if least < most else f"{most} run{'s' if most > 1 else ''}"


def legend(figure: Figure, panels: Iterable[Axes], columns: int) -> None:
    """One legend above the panels with every label that one of them has."""
    named = {}
    for axes in panels:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            named.setdefault(label, handle)
    figure.legend(named.values(), named.keys(), loc="outside upper center", ncols=min(len(named), columns))


def not_run(axes: Axes) -> None:
    """Say so in an empty panel, which keeps its title."""
    axes.set_axis_off()
    axes.text(0.5, 0.5, "not run", transform=axes.transAxes, ha="center", color=style.GREY)
