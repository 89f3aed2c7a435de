"""Average and minimum regret over the queries (Brofos Figs 2b and 2c)."""

from __future__ import annotations

import numpy as np

from core.experiment.results import Results
from core.report import NotRunError

LABELS = {"gaussian_mixture": "Gaussian mixture, 2-d", "hartmann4_rescaled": "Hartmann, 4-d"}
SHOWN = 300
"""Number of queries in Fig 2."""


def queries(results: Results, experiment: str, benchmark: str, upto: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Average regret R_m / m and minimum regret Q_m up to a query, (runs, m) each; mean initial regret (runs,).

    Raises:
        NotRunError: the benchmark was not run.
    """
    frame = results.frame(experiment)
    rows = frame[(frame["benchmark"] == benchmark) & (frame["iteration"] <= upto)] if len(frame) else frame
    if rows.empty:
        raise NotRunError(f"{experiment}/{benchmark}")
    columns = ["regret", "minimum_regret", "initial_regret"]
    table = rows.pivot(index="run", columns="iteration", values=columns)
    regret, minimum, initial = (table[name].to_numpy(dtype=float) for name in columns)
    return regret.cumsum(1) / np.arange(1, regret.shape[1] + 1), minimum, initial[:, 0]
