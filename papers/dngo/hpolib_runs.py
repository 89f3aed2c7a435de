"""The runs behind Table 1."""

from __future__ import annotations

import pandas as pd

from core.experiment.results import Results

HPOLIB = {
    "hpolib": ("branin", "hartmann6"),
    "hpolib_gp": ("branin", "hartmann6"),
    "hpolib_grids": ("lda_on_grid", "svm_on_grid"),
    "hpolib_logistic": ("logistic_regression",),
}
"""The experiments behind Table 1 and their problems; each has its own scales."""


def hpolib_runs(results: Results) -> pd.DataFrame:
    """Evaluations of all five problems."""
    return pd.concat([results.frame(name) for name in HPOLIB], ignore_index=True)
