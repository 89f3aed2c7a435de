"""The searches that tune XGBoost, those of thesis Figs 3.4 and A.2: which sets and methods chapter 8 shows."""

from __future__ import annotations

import pandas as pd

from core.report.figures.data_sets import data_set_names

EXPERIMENT = "bohamiann/xgboost"
METHODS = ("random", "gp")
LABELS = data_set_names(
    (
        "boston",
        "power_plant",
        "concrete",
        "energy",
        "naval",
        "parkinsons",
        "protein",
        "wine_red",
        "yacht",
        "slice_localization",
    )
)
UNLUCKY = ("boston", "power_plant", "concrete")
"""The sets of Fig 8.1, by the text of E.2."""


def both_ran(frame: pd.DataFrame) -> list[str]:
    """The sets on which both methods were run."""
    ran = frame.groupby("benchmark")["method"].agg(set)
    return [name for name in LABELS if name in ran.index and set(METHODS) <= ran[name]]
