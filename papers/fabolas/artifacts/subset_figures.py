"""Thesis Fig 4.3: what Gaussian processes predict of machines on subsets that they were not trained on."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, NullLocator

from core.experiment.results import Results
from core.report import Figure, NotRunError, Published
from core.report.figures import style
from core.report.runs.frames import count_runs
from papers.fabolas.grid_runs import share_text

MACHINES = ("best machine", "better", "worse", "worst machine")
SHOWN = len(MACHINES)
EXPERIMENTS = {"authors_subset_models": "the authors' grid", "subset_models": "our grid"}
LABELS = {"error": "validation error", "log seconds": "training time in seconds"}


def fig4_3(results: Results, published: Published | None) -> Figure:
    """Predicted (solid) and actual (dashed) errors and training times of some machines over the subset size."""
    frames = {name: frame for name in EXPERIMENTS if len(frame := results.frame(name))}
    if not frames:
        raise NotRunError("subset_models")
    figure, panels = style.subplots(len(frames), 2, width=6.6, height=2.8 * len(frames), squeeze=False)
    parts = [
        _draw_row(row, EXPERIMENTS[name], frame) for row, (name, frame) in zip(panels, frames.items(), strict=True)
    ]
    for color, label in zip(style.sequential(SHOWN), MACHINES, strict=True):
        panels[0, 0].plot([], [], color=color, linewidth=3, label=label)
    panels[0, 0].plot([], [], color=style.INK, label="predicted, with two sd")
    panels[0, 0].plot([], [], "--", color=style.INK, marker="o", markersize=3, label="actual")
    style.legend(figure, [panels[0, 0]], 3)
    counts = [
        f"{EXPERIMENTS[name]}, one draw of {frame.groupby('run')['machine'].nunique().iloc[0]} machines out of "
        f"{count_runs(frame)}"
        for name, frame in frames.items()
    ]
    caption = (
        "Predictions of Gaussian processes across subset sizes for some machines. They are trained on the machines' "
        "errors and times in the gray range. Shown are machines from the best (dark) to the worst (light); of times "
        f"those that were measured on all sizes. {'; '.join(counts).capitalize()}."
    )
    return Figure(figure, caption, pd.concat(parts, ignore_index=True))


def _draw_row(panels: Sequence[Axes], title: str, frame: pd.DataFrame) -> pd.DataFrame:
    """Errors on the left, times on the right, of the first run; returns what was drawn."""
    first = frame[frame["run"] == frame["run"].min()]
    shares = np.array(sorted(frame["share"].unique()))
    parts = []
    for axes, quantity in zip(panels, LABELS, strict=True):
        rows = first[first["quantity"] == quantity]
        kept = spread_machines(rows)
        for color, machine in zip(style.sequential(len(kept)), kept, strict=True):
            _draw(axes, rows[rows["machine"] == machine], np.exp if quantity == "log seconds" else np.asarray, color)
        trained = rows.loc[rows["trained"], "share"]
        axes.axvspan(trained.min(), trained.max(), color=style.GREY, alpha=0.12, linewidth=0)
        axes.set_xscale("log", base=2)
        axes.xaxis.set_major_locator(FixedLocator(shares))
        axes.xaxis.set_minor_locator(NullLocator())
        axes.set_xticklabels([share_text(share) for share in shares], rotation=60 if len(shares) > 6 else 0)
        axes.set(xlabel="subset size s", ylabel=LABELS[quantity], title=title)
        parts.append(rows[rows["machine"].isin(kept)])
    panels[1].set_yscale("log")
    return pd.concat(parts, ignore_index=True).assign(grid=title)


def spread_machines(rows: pd.DataFrame) -> list[int]:
    """Of the machines with an actual value on each subset size, some whose values at s = 1 are spread over all."""
    complete = rows.groupby("machine")["share"].transform("nunique") == rows["share"].nunique()
    ordered = rows[complete & (rows["share"] == 1)].sort_values("actual")["machine"].to_numpy()
    places = np.linspace(0, len(ordered) - 1, min(SHOWN, len(ordered))).round().astype(int)
    return list(ordered[places])


def _draw(axes: Axes, rows: pd.DataFrame, scale: Callable, color: str) -> None:
    mean, sd = rows["mean"], rows["sd"]
    axes.plot(rows["share"], scale(mean), color=color)
    axes.plot(rows["share"], scale(rows["actual"]), "--", color=color, marker="o", markersize=3)
    axes.fill_between(rows["share"], scale(mean - 2 * sd), scale(mean + 2 * sd), color=color, alpha=0.12, linewidth=0)
