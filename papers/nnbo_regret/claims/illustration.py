"""Claims about Fig 1: how well a weighted sum of the representation interpolates."""

from __future__ import annotations

import numpy as np

from core.experiment.results import Results
from core.report import Check, bootstrap_interval, claim, judge, outside, rows_of
from core.report.statistics.reductions import median

SEED = 1502
LITTLE = 100
"""Observations, two for each of the 50 units; the paper begins with 50."""


@claim(
    artifact="fig1",
    place="section 3 and Fig 1 (a)",
    kind="shape",
    sentence="A weighted sum of the representation gives a mean function with a low squared error.",
    published="low",
)
def representation_interpolates(results: Results) -> Check:
    """Root mean squared error of the mean over the domain, in standard deviations of f there; below 0.1."""
    error, _ = _errors(results)
    return judge(bootstrap_interval(error, median, SEED), upper=0.1, detail="median of error over sd of f")


@claim(
    artifact="fig1",
    place="section 3",
    sentence="With little data the network itself interpolates badly, while least squares on its last layer does well.",
    published="better",
)
def regression_beats_the_output_layer(results: Results) -> Check:
    """The error of the network's own output over that of the regression on its last layer; above 1.

    Outside while the fits are of more than two observations a unit, which is not little data.
    """
    error, network = _errors(results)
    seen = rows_of(results, "illustration", part="data").groupby("run").size().max()
    interval = bootstrap_interval(network / error, median, SEED)
    check = judge(interval, lower=1.0, detail="median of network's error over regression's")
    return outside(check, f"after {seen} observations") if seen > LITTLE else check


def _errors(results: Results) -> tuple[np.ndarray, np.ndarray]:
    """Root mean squared errors of the regression and of the network over the domain, over f's sd, (runs,) each."""
    grid = rows_of(results, "illustration", part="grid")
    errors = []
    for _, run in grid.groupby("run"):
        scale = run["value"].std()
        errors.append([np.sqrt(np.mean((run[name] - run["value"]) ** 2)) / scale for name in ("mean", "network")])
    regression, network = np.array(errors).T
    return regression, network
