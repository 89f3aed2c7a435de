"""The measured times behind Fig 1."""

from __future__ import annotations

import numpy as np

from core.experiment.results import Results
from core.report import NotRunError, rows_of


def times(results: Results, method: str) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of observations that all repetitions reached, (n,), and processor seconds (runs, n).

    Raises:
        NotRunError: fewer than two.
    """
    rows = rows_of(results, "suggestion_time", method=method)
    table = rows.pivot(index="run", columns="observations", values="cpu_seconds").dropna(axis="columns")
    if table.shape[1] < 2:
        raise NotRunError(f"suggestion_time/{method}: two numbers of observations")
    return table.columns.to_numpy(dtype=float), table.to_numpy(dtype=float)
