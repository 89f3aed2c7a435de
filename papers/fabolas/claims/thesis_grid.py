"""Claims that describe the grid of the thesis: what other grids show of them is outside, whichever way it comes out."""

from __future__ import annotations

from core.report import Check
from core.report.figures.data_sets import data_set_name
from core.report.verdicts.outcomes import outside
from papers.fabolas.grid_runs import DATA_SET

MACHINES, POINTS = 400, 50_000  # of the grid in 4.2


def of_thesis_grid(check: Check, name: str, machines: int, points: int) -> Check:
    """The check itself if it is of the thesis' grid, `outside` if that is of fewer machines, points or another set.

    Args:
        name: data set.
        machines: number of machines at each size.
        points: number of training points of all of the data.
    """
    if (name, machines, points) == (DATA_SET, MACHINES, POINTS):
        return check
    ours = f"{machines} on {points:,} points of {data_set_name(name)}"
    return outside(check, f"said of {MACHINES} machines on {POINTS:,} images of MNIST, seen with {ours}")
