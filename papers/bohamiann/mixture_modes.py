"""How a chain divides its time between the two modes of the mixture's posterior (thesis 3.5.1)."""

from __future__ import annotations

import numpy as np
import pandas as pd

from core.report.verdicts.checks import NotRunError

VISIT = 0.01
"""The share of the sampling phase that a chain spends at least in a mode that it visits."""


def smaller_mode_share(frame: pd.DataFrame, method: str) -> np.ndarray:
    """Share of the sampling phase that each chain spends in the mode it visits less, (runs,).

    Exchanging the mixture's components maps theta_1 to -theta_1, so its sign tells the modes apart.
    """
    rows = frame[(frame["method"] == method) & ~frame["burn_in"].astype(bool)] if len(frame) else frame
    if rows.empty:
        raise NotRunError(f"mixture/{method}")
    share = rows.assign(positive=rows["theta_1"] > 0).groupby("run")["positive"].mean().to_numpy()
    return np.minimum(share, 1 - share)
