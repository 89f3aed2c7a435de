"""The runs of residual networks that both drawings and claims read (NIPS 6.3)."""

from __future__ import annotations

import numpy as np
import pandas as pd

from core.report.runs.frames import cell_rows
from core.report.verdicts.checks import NotRunError

SEARCHES = ("bohamiann", "dngo", "random")
DATA_SET = "cifar10"


def set_of(frame: pd.DataFrame) -> str:
    """The set of images: CIFAR-10, or the one that was run instead."""
    names = list(frame["benchmark"].unique())
    return DATA_SET if DATA_SET in names else str(names[0])


def baseline_error(networks: pd.DataFrame) -> float:
    """The mean validation error of ResNet-32 with He et al.'s hyperparameters.

    Raises:
        NotRunError: it was not trained.
    """
    rows = networks[networks["method"] == "original"]
    if rows.empty:
        raise NotRunError("resnet_retrained/original")
    return float(rows["validation_error"].mean())


def evaluations_to_baseline(searches: pd.DataFrame, networks: pd.DataFrame, method: str) -> np.ndarray:
    """How many evaluations each run of a search needed for that validation error, (runs,); all of them if it never did.

    Raises:
        NotRunError: the search or the baseline was not run.
    """
    rows = cell_rows(searches, set_of(searches), method).sort_values(["run", "evaluation"])
    level = baseline_error(networks)
    counts = []
    for _, one in rows.groupby("run"):
        reached = np.flatnonzero(one["loss"].to_numpy() <= level)
        counts.append(int(reached[0]) + 1 if len(reached) else len(one))
    return np.array(counts)
