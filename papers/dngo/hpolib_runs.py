"""The runs behind Table 1."""

from __future__ import annotations

import pandas as pd

from core.experiment.results import Results
from core.report.runs.memo import once

HPOLIB = {
    "hpolib": ("branin", "hartmann6"),
    "hpolib_gp": ("branin", "hartmann6"),
    "hpolib_grids": ("lda_on_grid", "svm_on_grid"),
    "hpolib_unseen": ("lda_on_grid", "svm_on_grid"),
    "hpolib_logistic": ("logistic_regression_on_grid",),
}
"""The experiments behind Table 1 and their problems; each has its own scales."""
REPEATING = "_repeating"
"""Ends the name of a method that may propose a cell of a grid twice, where there are runs without repetitions."""
PRINTED = 100
"""Evaluations of logistic regression in Table 1."""


@once
def hpolib_runs(results: Results) -> pd.DataFrame:
    """Evaluations of all five problems, on logistic regression as many as in Table 1."""
    return pd.concat([runs_of(results, name) for name in HPOLIB], ignore_index=True)


def runs_of(results: Results, experiment: str) -> pd.DataFrame:
    """Evaluations of one of the experiments, with the names of methods in Table 1."""
    frame = results.frame(experiment)
    if frame.empty:
        return frame
    if experiment == "hpolib_grids":
        unseen = results.frame("hpolib_unseen")
        cells = pd.MultiIndex.from_frame(unseen[["benchmark", "method"]].drop_duplicates())
        repeating = pd.MultiIndex.from_frame(frame[["benchmark", "method"]]).isin(cells)
        return frame.assign(method=frame["method"].where(~repeating, frame["method"] + REPEATING))
    if experiment == "hpolib_logistic":
        return frame[frame["evaluation"] <= PRINTED]
    return frame
