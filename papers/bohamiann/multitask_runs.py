"""Benchmarks and methods of the searches that start from other data sets, which both drawings and claims name."""

from __future__ import annotations

import numpy as np
import pandas as pd

from core.report.figures.data_sets import data_set_names
from core.report.runs.trajectories import incumbent, per_run

METHODS = ["random", "gp", "bohamiann", "mt_gp", "mt_bohamiann"]

SETS = data_set_names(
    (
        "boston",
        "wine_red",
        "yacht",
        "energy",
        "concrete",
        "power_plant",
        "naval",
        "protein",
        "parkinsons",
        "slice_localization",
    )
)
"""The regression sets of Table E.2."""

SHOWN = ("boston", "wine_red", "concrete")
"""The three of Fig 3.4; the text names only wine."""

WINE = "wine_red"

GROUPS = {"many": "OptDigits", "several": "segment", "numbers": "sonar", "mixed": "credit approval"}
"""The set at hand of each group: of many classes, of several, of two with numbers alone, with categories too."""

ALGORITHMS = {"svm": "SVM", "forest": "Random forest"}
PROBLEMS = {f"{a}_{g}": f"{ALGORITHMS[a]} on {GROUPS[g]}" for g in GROUPS for a in ALGORITHMS}

OPENML = {"openml_svm": "SVM on 30 tasks of OpenML"}
"""The second case."""

PERCENT = 100
TARGET = 0.25
"""The regret to be reached, here in percentage points of the validation error."""


def points_of_regret(frame: pd.DataFrame, benchmark: str, method: str) -> np.ndarray:
    """Immediate regret after each evaluation in percentage points, (runs, n); raises as `per_run`."""
    return PERCENT * incumbent(per_run(frame, "regret", benchmark, method))


def evaluations_to_target(frame: pd.DataFrame, benchmark: str, method: str) -> np.ndarray:
    """Number of evaluations until `TARGET` is reached, (runs,); one more than there were where it was not."""
    above = points_of_regret(frame, benchmark, method) > TARGET + 1e-9
    return 1 + above.sum(1)


def log_loss(frame: pd.DataFrame, benchmark: str, method: str) -> np.ndarray:
    """Logarithm to base 10 of the incumbent's loss after each evaluation, (runs, n); raises as `per_run`."""
    return np.log10(incumbent(per_run(frame, "loss", benchmark, method)))
