"""DNGO Fig 4: validation errors of convolutional networks over time, as a planar histogram."""

from __future__ import annotations

from core.experiment.results import Results
from core.report import Figure, Published, frame_of
from core.report.figures import style
from core.report.figures.planar_histogram import planar_histogram
from core.report.runs.frames import count_runs
from papers.dngo.artifacts.network_tables import SETS

BINS = (12, 12)
MARGIN = 0.03  # of the range of errors, below and above


def fig4(results: Results, published: Published | None) -> Figure:
    """DNGO Fig 4 for CIFAR-100, and for CIFAR-10: counts by evaluation and error, the smallest so far in black."""
    frame = frame_of(results, "networks").sort_values(["benchmark", "run", "evaluation"])
    frame = frame.assign(incumbent=frame.groupby(["benchmark", "run"])["loss"].cummin())
    names = [name for name in SETS if name in set(frame["benchmark"])] or list(frame["benchmark"].unique())
    figure, panels = style.subplots(1, len(names), width=7.2, height=3.2, squeeze=False)
    for axes, name in zip(panels[0], names, strict=True):
        rows = frame[frame["benchmark"] == name]
        runs = [one for _, one in rows.groupby("run")]
        losses, best = ([one[column].to_numpy() for one in runs] for column in ("loss", "incumbent"))
        planar_histogram(axes, losses, best, BINS)
        room = MARGIN * (rows["loss"].max() - rows["loss"].min())
        axes.set_ylim(rows["loss"].min() - room, rows["loss"].max() + room or None)
        axes.set(title=SETS.get(name, name), xlabel="evaluations")
    panels[0, 0].set_ylabel("validation error")
    caption = (
        "Validation errors in the order in which evaluations ended: the darker a cell, the more of them. Black: the "
        f"smallest so far; {count_runs(frame)}. The paper shows CIFAR-100."
    )
    return Figure(figure, caption, frame[["benchmark", "run", "evaluation", "loss", "incumbent"]])
