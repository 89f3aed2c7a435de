"""Average and minimum regret over the queries (Brofos Figs 2b and 2c)."""

from __future__ import annotations

import numpy as np

from core.experiment.results import Results
from core.report import NotRunError
from papers.nnbo_regret.recorded_paths import METHOD

LABELS = {"gaussian_mixture": "Gaussian mixture, 2-d", "hartmann4_rescaled": "Hartmann, 4-d"}
SHOWN = 300
"""Number of queries in Fig 2."""


def queries(
    results: Results, experiment: str, benchmark: str, upto: int, method: str = METHOD
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Average regret R_m / m and minimum regret Q_m up to a query, (runs, m) each; mean initial regret (runs,).

    Raises:
        NotRunError: the benchmark was not run with this method.
    """
    rows = frame = results.frame(experiment)
    if len(frame):
        rows = frame[(frame["benchmark"] == benchmark) & (frame["method"] == method) & (frame["iteration"] <= upto)]
    if rows.empty:
        raise NotRunError(f"{experiment}/{benchmark}/{method}")
    columns = ["regret", "minimum_regret", "initial_regret"]
    table = rows.pivot(index="run", columns="iteration", values=columns)
    regret, minimum, initial = (table[name].to_numpy(dtype=float) for name in columns)
    return regret.cumsum(1) / np.arange(1, regret.shape[1] + 1), minimum, initial[:, 0]
