"""Claims about what generated tasks look like (E.4)."""

from __future__ import annotations

import numpy as np
import pandas as pd

from core.experiment.results import Results
from core.report import Check, all_of, bootstrap_interval, claim, frame_of, judge, worded
from core.report.statistics.shares import share_interval

SEED = 86


@claim(
    artifact="figE_5",
    place="thesis E.4, Figs E.4 and E.5",
    sentence="Every generated task keeps the bowl around the lower right corner: large C, small gamma.",
    published="every task",
)
def bowls_are_in_the_corner(results: Results) -> Check:
    """Mean error outside of the lower right quarter less that inside, task by task, and its lowest; above 0."""
    frame = frame_of(results, "svm_samples")
    inside = (frame["x0"] > 0.5) & (frame["x1"] < 0.5)
    tasks = frame["task"]
    depth = frame["value"].where(~inside).groupby(tasks).mean() - frame["value"].where(inside).groupby(tasks).mean()
    lowest = frame.loc[frame.groupby("task")["value"].idxmin()]
    at = ((lowest["x0"] > 0.4) & (lowest["x1"] < 0.6)).to_numpy()
    parts = [
        worded(judge(bootstrap_interval(depth.to_numpy(), _smallest, SEED), lower=0.0), "smallest depth"),
        worded(judge(share_interval(at), lower=0.5), "share of minima there"),
    ]
    return all_of(parts)


@claim(
    artifact="figE_5",
    place="thesis E.4, Figs E.4 and E.5",
    sentence="The local structure changes from one generated task to another.",
    published="changes",
)
def local_structure_changes(results: Results) -> Check:
    """Mean correlation of pairs of different tasks over the grid; below 0.95. Tasks are resampled."""
    frame = frame_of(results, "svm_samples")
    table: pd.DataFrame = frame.pivot(index=["x0", "x1"], columns="task", values="value")
    correlations = np.corrcoef(table.to_numpy().T)

    def between(picks: np.ndarray) -> np.ndarray:
        first, second = picks[:, :, None].astype(int), picks[:, None, :].astype(int)
        other = first != second
        total, pairs = (correlations[first, second] * other).sum((1, 2)), other.sum((1, 2))
        return np.divide(total, pairs, out=np.full(len(pairs), np.nan), where=pairs > 0)

    tasks = np.arange(len(correlations))
    return judge(bootstrap_interval(tasks, between, SEED), upper=0.95, detail=f"{len(tasks)} tasks")


def _smallest(drawn: np.ndarray) -> np.ndarray:
    return drawn.min(1)
