"""Shapes of the claims about the grid of support vector machines (4.2), see the table."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal

import numpy as np

from core.experiment.results import Results
from core.report import Check, Interval, all_of, bootstrap_interval, judge, worded
from core.report.verdicts.shapes.shape import shape_of
from papers.fabolas.claims.thesis_grid import of_thesis_grid
from papers.fabolas.grid_runs import MachineGrid, authors_grid, machine_grid, share_text

SEED = 4
RESAMPLES = 1000
SMALL = 1 / 128  # the subset of which 4.2 speaks
BAD = 0.8  # error with all of the data from which a machine counts as bad
TYPICAL = 0.9  # the error of bad machines
GOOD_SHARE = 0.1  # of the machines: the region of good ones


def on_grid(check: Callable[..., Check]) -> Callable[..., Check]:
    """The shape of a check of a grid: a function of the grid and of the region, `lower` and `upper`, see `judge`."""

    def judged(
        results: Results,
        above: float = -math.inf,
        below: float = math.inf,
        data: Literal["ours", "authors"] = "ours",
    ) -> Check:
        if data == "authors":
            return check(authors_grid(results), lower=above, upper=below)
        grid = machine_grid(results)
        ours = check(grid, lower=above, upper=below)
        return of_thesis_grid(ours, grid.name, grid.errors[-1].size, int(grid.points[-1]))

    return shape_of(check, judged)


@on_grid
def share_of_better_machines(grid: MachineGrid, **region: float) -> Check:
    """The share of machines better on all of the data than the one that is best on 1/128 of it."""

    def better(drawn: np.ndarray) -> np.ndarray:
        best = np.take_along_axis(drawn[..., 1], drawn[..., 0].argmin(1, keepdims=True), 1)
        return (drawn[..., 1] < best).mean(1)

    interval = bootstrap_interval(_at_both_ends(grid, grid.errors), better, SEED, RESAMPLES)
    return judge(interval, **region, detail="share of better machines")


@on_grid
def deceiving_optima(grid: MachineGrid, **region: float) -> Check:
    """The number of local optima among the best tenth on a subset of a size shown that are bad on all of the data.

    Bad is an error nearer to the 0.9 of bad machines than to the smallest.
    """
    bad = grid.errors[-1] > (TYPICAL + grid.errors[-1].min()) / 2
    parts = []
    for place in grid.shown:
        errors = grid.errors[place]
        deceiving = float((_local_optima(errors) & _best(errors) & bad).sum())
        part = judge(Interval.exact(deceiving), **region)
        parts.append(worded(part, f"s = {share_text(grid.shares[place])}", ".0f"))
    return all_of(parts)


@on_grid
def error_of_bad_machines(grid: MachineGrid, **region: float) -> Check:
    """The mean error of the machines that are above 0.8 on all of the data, at each size shown."""
    bad = grid.errors[-1] > BAD
    parts = []
    for place in grid.shown:
        interval = bootstrap_interval(grid.errors[place][bad], lambda e: e.mean(1), SEED, RESAMPLES)
        parts.append(worded(judge(interval, **region), f"s = {share_text(grid.shares[place])}"))
    return all_of(parts, f"{int(bad.sum())} of {bad.size} machines")


@on_grid
def overlap_of_the_best(grid: MachineGrid, **region: float) -> Check:
    """The part of the best tenth of the machines on all of the data that is also in the best tenth on 1/128 of it."""
    small, whole = (_best(grid.errors[place]) for place in (grid.at(SMALL), -1))
    interval = bootstrap_interval(small[whole].astype(float), lambda inside: inside.mean(1), SEED, RESAMPLES)
    return judge(interval, **region, detail=f"share of {int(whole.sum())} machines")


@on_grid
def range_over_growth(grid: MachineGrid, **region: float) -> Check:
    """The range of log time over the machines, 5% to 95%, at s = 1, over the mean growth from 1/128 to 1."""

    def ratio(drawn: np.ndarray) -> np.ndarray:
        low, high = np.quantile(drawn[..., 1], (0.05, 0.95), axis=1)
        return (high - low) / (drawn[..., 1] - drawn[..., 0]).mean(1)

    return judge(bootstrap_interval(_at_both_ends(grid, np.log(grid.seconds)), ratio, SEED, RESAMPLES), **region)


@on_grid
def growth_of_the_longest(grid: MachineGrid, **region: float) -> Check:
    """The longest training time at s = 1, 95% over the machines, over that at 1/128."""

    def growth(drawn: np.ndarray) -> np.ndarray:
        return 10.0 ** np.subtract(*np.quantile(drawn[..., ::-1], 0.95, axis=1).T)

    interval = bootstrap_interval(_at_both_ends(grid, np.log10(grid.seconds)), growth, SEED, RESAMPLES)
    return judge(interval, **region, detail="factor")


def _at_both_ends(grid: MachineGrid, values: np.ndarray) -> np.ndarray:
    """Values (S, n, n) of each machine on 1/128 of the data and on all of it, (machines, 2)."""
    return values[[grid.at(SMALL), -1]].reshape(2, -1).T


def _local_optima(errors: np.ndarray) -> np.ndarray:
    """Whether each machine of a grid (n, n) is better than its eight neighbours."""
    n, padded = len(errors), np.pad(errors, 1, constant_values=np.inf)
    around = [padded[i : i + n, j : j + n] for i in range(3) for j in range(3) if (i, j) != (1, 1)]
    return (errors < np.stack(around)).all(0)


def _best(errors: np.ndarray) -> np.ndarray:
    """Whether each machine is among the best tenth, those as good as the last of them included."""
    return errors <= np.quantile(errors, GOOD_SHARE, method="lower")
