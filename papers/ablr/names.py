"""Methods of paper.yaml that both drawings and claims name, and the frames that they share."""

from __future__ import annotations

import pandas as pd

WITHOUT_CONTEXT = ("gp", "ablr", "gp_transfer", "ablr_nn", "ablr_rks")
"""Fig 1, left, without ABLR's contexts; "gp" and "ablr" know only their own task."""

WITH_CONTEXT = ("ablr_nn", "ablr_nn_context", "ablr_rks", "ablr_rks_context")
"""The same representations with and without contexts."""

TRANSFER = ("gp", "ablr", "ablr_nn")
"""Fig 2, left."""

COLLECTIONS = {"openml_random_forest": "(a) random forest, 30 tasks of OpenML", "xgboost": "(b) XGBoost, 10 data sets"}
"""The panels of Fig 2, left."""

SIGNALS = ("ablr", "ablr_signals")
"""Fig 2, right."""

TIMES = {"gp": "GP", "ablr_nn": "ABLR NN", "ablr_rks": "ABLR RKS"}
"""Fig 1, right, by label."""

NETWORKS = {
    "sonar": "sonar",
    "credit_approval": "credit approval (australian)",
    "credit_g": "German credit",
    "spambase": "spambase",
}
"""The sets on which networks are trained, by label."""

ALL_SETS = "all sets"


def above_best(frame: pd.DataFrame) -> pd.DataFrame:
    """Losses above the smallest that any run of any method found on the same benchmark."""
    return frame.assign(loss=frame["loss"] - frame.groupby("benchmark")["loss"].transform("min"))


def resolved(frame: pd.DataFrame) -> pd.DataFrame:
    """Losses above the best, none below the smallest positive one on its benchmark: logarithms stop there."""
    smallest = frame["loss"].where(frame["loss"] > 0).groupby(frame["benchmark"]).transform("min")
    return frame.assign(loss=frame["loss"].clip(lower=smallest))


def common_runs(frame: pd.DataFrame) -> pd.DataFrame:
    """The runs that every method has on a benchmark: run numbers stand for tasks, so other runs are of other tasks."""
    methods = frame.groupby(["benchmark", "run"])["method"].transform("nunique")
    return frame[methods == frame.groupby("benchmark")["method"].transform("nunique")]


def together(frame: pd.DataFrame) -> pd.DataFrame:
    """One benchmark of all: each run of each benchmark becomes a run of its own, numbered alike for all methods."""
    return frame.assign(run=frame.groupby(["benchmark", "run"]).ngroup(), benchmark=ALL_SETS)
