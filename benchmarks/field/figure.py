"""Mean ranks with their intervals, a panel for tuning problems and one for BBOB: `figures/readme/field.png`."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
from matplotlib.axes import Axes

from benchmarks.field.methods import PEERS
from core.report import style

OURS, THEIRS = "#0072b2", "#8a8a8a"
TITLES = {"real": "tuning problems", "bbob": "functions of BBOB"}


def draw(summaries: dict[str, pd.DataFrame], checkpoint: int, path: Path) -> None:
    """Draw the summaries (`scores.summary`) of each kind after so many evaluations and write the file."""
    with style.context():
        rows = max(map(len, summaries.values()))
        figure, axes = style.subplots(1, len(summaries), height=0.8 + 0.2 * rows, squeeze=False)
        for panel, (kind, summary) in zip(axes[0], summaries.items()):
            _panel(panel, summary.sort_values("rank", ascending=False))
            panel.set_title(f"{summary['problems'].iloc[0]} {TITLES[kind]}")
            panel.set_xlabel(f"mean rank after {checkpoint} evaluations")
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, dpi=150)


def _panel(axes: Axes, summary: pd.DataFrame) -> None:
    for place, (name, row) in enumerate(summary.iterrows()):
        colour = THEIRS if name in (*PEERS, "random") else OURS
        axes.plot([row["rank_low"], row["rank_high"]], [place, place], color=colour, linewidth=2)
        axes.plot(row["rank"], place, "o", color=colour)
    axes.set_yticks(range(len(summary)), list(summary.index))
