"""Checks behind claims.yaml: here what DNGO's Fig 2 shows about the three kinds of units, the others by import."""

from __future__ import annotations

import numpy as np
import pandas as pd

from core.experiment.results import Results
from core.report.bootstrap import bootstrap_interval
from core.report.checks import Check, NotRunError, judge
from papers.dngo.claims_design import (
    about_fifty_units,
    map_is_as_likely,
    map_is_faster,
    map_optimises_as_well,
    map_predicts_as_well,
    modest_penalties,
    no_dropout,
    three_layers_are_best,
)
from papers.dngo.claims_speed import (
    dngo_beats_smac,
    dngo_beats_tpe,
    dngo_grows_linearly,
    dngo_ties_gp,
    gp_grows_cubically,
    gp_is_slower_with_many,
)

__all__ = [
    "about_fifty_units",
    "dngo_beats_smac",
    "dngo_beats_tpe",
    "dngo_grows_linearly",
    "dngo_ties_gp",
    "gp_grows_cubically",
    "gp_is_slower_with_many",
    "map_is_as_likely",
    "map_is_faster",
    "map_optimises_as_well",
    "map_predicts_as_well",
    "modest_penalties",
    "no_dropout",
    "relu_grows",
    "relu_is_extremely_uncertain",
    "relu_tanh_is_bounded",
    "tanh_is_bounded",
    "three_layers_are_best",
]

SEED = 2015
NEAR, FAR = 0.5, 1.0
"""Distances to the unit interval, where the data lie."""


def tanh_is_bounded(results: Results) -> Check:
    """Median growth of the sd from distance 0.5 to 1 from the data with tanh units; below 1.1."""
    return judge(_growth(results, "tanh"), "bounded", upper=1.1, detail="median of sd at 1 over sd at 0.5")


def relu_tanh_is_bounded(results: Results) -> Check:
    """The same with rectifiers below a last layer of tanh units; below 1.1."""
    return judge(_growth(results, "relu_tanh"), "bounded", upper=1.1, detail="median of sd at 1 over sd at 0.5")


def relu_grows(results: Results) -> Check:
    """The same with rectifiers alone; above 1.3 (2 where the sd is proportional to the distance)."""
    return judge(_growth(results, "relu"), "unbounded", lower=1.3, detail="median of sd at 1 over sd at 0.5")


def relu_is_extremely_uncertain(results: Results) -> Check:
    """Median ratio of the sd at distance 1 from the data, rectifiers over tanh; above 3."""
    relu, tanh = (_sd(results, name, FAR) for name in ("relu", "tanh"))
    interval = bootstrap_interval(relu / tanh, _median, SEED)
    return judge(interval, "extremely large", lower=3.0, detail="median of sd with ReLU over sd with tanh")


def _growth(results: Results, method: str):
    return bootstrap_interval(_sd(results, method, FAR) / _sd(results, method, NEAR), _median, SEED)


def _sd(results: Results, method: str, distance: float) -> np.ndarray:
    """Mean of the two sd at this distance to either side of the unit interval, (runs,)."""
    frame = results.frame("activations")
    rows: pd.DataFrame = frame[(frame["method"] == method) & (frame["part"] == "grid")] if len(frame) else frame
    if rows.empty:
        raise NotRunError(f"activations/{method}")
    sides = [-distance, 1 + distance]
    return np.array([np.interp(sides, run["x"], run["sd"]).mean() for _, run in rows.groupby("run")])


def _median(values: np.ndarray) -> np.ndarray:
    return np.median(values, axis=1)
