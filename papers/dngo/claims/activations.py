"""Claims about Fig 2: how uncertain DNGO is away from the data with three kinds of units."""

from __future__ import annotations

import math

import numpy as np

from core.experiment.results import Results
from core.report import Cause, Check, bootstrap_interval, claim, judge, rows_of
from core.report.statistics.reductions import median
from core.report.verdicts.shapes.shape import Method, shape

SEED = 2015
NEAR, FAR = 0.5, 1.0
"""Distances to the unit interval, where the data lie."""


@shape
def sd_growth(results: Results, method: Method, seed: int, above: float = -math.inf, below: float = math.inf) -> Check:
    """The median growth of the sd from distance 0.5 to 1 from the data lies in a region."""
    growth = _sd(results, method, FAR) / _sd(results, method, NEAR)
    interval = bootstrap_interval(growth, median, seed)
    return judge(interval, above, below, "median of sd at 1 over sd at 0.5")


@claim(
    artifact="fig2",
    place="Fig 2, caption",
    kind="shape",
    sentence="Unbounded activations can lead to extremely large uncertainty estimates.",
    published="extremely large",
    cause=Cause(
        "the paper",
        "its prior mean, Eq. 9, makes tanh units uncertain as well: the ratio is 2.6 in the median with its "
        "curvature held near 0, and 12 at distance 8 (20 repetitions, not shipped), instead of 1.8 and 1.1 with it; "
        "the figure's axes are not printed",
    ),
)
def relu_is_extremely_uncertain(results: Results) -> Check:
    """Median ratio of the sd at distance 1 from the data, rectifiers over tanh; above 3.

    "Can" is read as what most repetitions of a setting like the figure's show; the detail has the largest ratio.
    """
    relu, tanh = (_sd(results, name, FAR) for name in ("relu", "tanh"))
    interval = bootstrap_interval(relu / tanh, median, SEED)
    detail = f"median of sd with ReLU over sd with tanh; {(relu / tanh).max():.3g} at most"
    return judge(interval, lower=3.0, detail=detail)


def _sd(results: Results, method: str, distance: float) -> np.ndarray:
    """Mean of the two sd at this distance on either side of the unit interval, (runs,)."""
    rows = rows_of(results, "activations", method=method, part="grid")
    sides = [-distance, 1 + distance]
    return np.array([np.interp(sides, run["x"], run["sd"]).mean() for _, run in rows.groupby("run")])
