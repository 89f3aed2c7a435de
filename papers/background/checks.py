"""What the pictures of chapter 2 are meant to show, over all repetitions."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pandas as pd

from core.experiment.results import Results
from core.report import Check, Interval, bootstrap_interval, judge, rows_of
from core.report.statistics.intervals import mean, mean_ratio
from core.report.verdicts.shapes.shape import Experiment, Method, shape

SEED = 2


@shape
def rougher(
    results: Results,
    experiment: Experiment,
    part: Literal["draw", "grid"],
    column: Literal["value", "sd"],
    rough: Method,
    smooth: Method,
) -> Check:
    """The mean squared second difference of one method's curves over that of another's is above 1."""
    rows = (rows_of(results, experiment, method=method) for method in (rough, smooth))
    interval = _ratio(*(_roughness(each, part, column) for each in rows))
    return judge(interval, lower=1.0, detail=f"roughness of the {column}, {rough} over {smooth}")


@shape
def ei_vanishes_at_observations(results: Results) -> Check:
    """Expected improvement at the observations over its maximum, before the step; below 0.05."""
    rows = rows_of(results, "step", method="gp")
    rows = rows[rows["stage"] == "before"]
    ratios = []
    for _, run in rows.groupby("run"):
        grid, data = run[run["part"] == "grid"], run[run["part"] == "data"]
        ratios.append(data["ei"].mean() / grid["ei"].max())
    return judge(_mean(ratios), upper=0.05, detail="EI at the observations over its maximum")


@shape
def evaluation_removes_uncertainty(results: Results) -> Check:
    """Standard deviation at the evaluated point after the step over that before it; below 0.2."""
    rows = rows_of(results, "step", method="gp")
    ratios = []
    for _, run in rows.groupby("run"):
        candidate = run[(run["part"] == "candidate") & (run["stage"] == "before")]
        after = run[(run["part"] == "grid") & (run["stage"] == "after")]
        x = candidate["x"].iloc[0]
        ratios.append(np.interp(x, after["x"], after["sd"]) / candidate["sd"].iloc[0])
    return judge(_mean(ratios), upper=0.2, detail="sd after over sd before")


@shape
def kernels_differ_at_a_distance(results: Results) -> Check:
    """Matern-5/2 minus RBF at distance 2.5 length scales: the Matern kernel has the heavier tail."""
    at = {}
    for name in ("rbf", "matern52"):
        rows = rows_of(results, "kernels", method=name)
        profile = rows[(rows["part"] == "kernel") & (rows["run"] == rows["run"].min())]
        at[name] = float(np.interp(2.5, profile["x"], profile["value"]))
    difference = at["matern52"] - at["rbf"]
    holds = "holds" if difference > 0 else "fails"
    return Check(difference, difference, difference, holds, "exact: a formula, not a sample")


@shape
def gp_uncertainty_grows_away_from_data(results: Results) -> Check:
    """The GP's standard deviation outside the observed interval over that between the observations; above 2."""
    return judge(_ratio(*_sd(results, "gp")), lower=2.0, detail="sd outside over sd inside")


@shape
def forest_uncertainty_grows_less(results: Results) -> Check:
    """The forest's ratio of the sd outside to the sd inside over the GP's; below 1."""
    forest, gp = _sd(results, "rf"), _sd(results, "gp")
    interval = bootstrap_interval(
        (*forest, *gp),
        lambda a, b, c, d: (a.mean(1) / b.mean(1)) / (c.mean(1) / d.mean(1)),
        SEED,
        paired=True,
    )
    return judge(interval, upper=1.0, detail="growth of the forest's sd over the GP's")


def _sd(results: Results, method: str) -> tuple[np.ndarray, np.ndarray]:
    """Mean standard deviation outside and inside the interval that a repetition's observations span, (runs,) each."""
    outside, inside = [], []
    for _, run in rows_of(results, "models", method=method).groupby("run"):
        grid, x = run[run["part"] == "grid"], run.loc[run["part"] == "data", "x"]
        within = grid["x"].between(x.min(), x.max())
        outside.append(grid.loc[~within, "sd"].mean())
        inside.append(grid.loc[within, "sd"].mean())
    return np.array(outside), np.array(inside)


def _roughness(rows: pd.DataFrame, part: str, column: str) -> np.ndarray:
    """Mean squared second difference along x, relative to the column's variance, (runs,)."""
    roughness = []
    for _, run in rows[rows["part"] == part].groupby("run"):
        keys = ["draw"] if "draw" in run and part == "draw" else ["part"]
        curves = [curve.sort_values("x")[column].to_numpy() for _, curve in run.groupby(keys)]
        roughness.append(np.mean([np.mean(np.diff(values, 2) ** 2) / values.var() for values in curves]))
    return np.array(roughness)


def _mean(values: list[float]) -> Interval:
    return bootstrap_interval(np.array(values), mean, SEED)


def _ratio(above: np.ndarray, below: np.ndarray) -> Interval:
    return bootstrap_interval((above, below), mean_ratio, SEED, paired=True)
