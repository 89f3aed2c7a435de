"""What drawings and checks share: names of paper.yaml in the thesis' order, and runs of several experiments."""

from __future__ import annotations

import numpy as np
import pandas as pd

from core.experiment.results import Results
from core.report.runs.frames import frame_of, once
from core.report.style import data_set_names

DATA_SETS = data_set_names(("adult", "higgs", "letter", "mnist", "optdigits", "poker"))

SURROGATES = ("surrogates", "surrogates_gp", "surrogates_lcnet")
"""The experiments on surrogates; GP-BO and Hyperband with LC-Net have separate ones."""

RESOLUTION = 1e-4
"""Of a surrogate's error: one of 10,000 validation images."""

POLICY_EXPERIMENTS = ("ppo", "ppo_live")
"""The searches of Fig 6.6, on agents that were trained before and with agents that are trained live."""


@once
def svm_runs(results: Results) -> pd.DataFrame:
    """The runs of Fig 6.3 in one frame: BOHB and Hyperband of this paper, the others of Fabolas' on the same surrogate.

    Fabolas' paper follows 4.5, where Hyperband's incumbent is the best on all of the data; 6.4.2.1 retrains that on any
    share, so its runs are this paper's.

    Raises:
        NotRunError: BOHB and Hyperband were not run.
    """
    ours = frame_of(results, "svm_surrogate")
    others = results.frame("fabolas/surrogate")
    if others.empty:
        return ours
    return pd.concat([ours, others[others["method"] != "hyperband"]], ignore_index=True)


def full_evaluations(search: pd.DataFrame) -> np.ndarray:
    """What each search for shake-shake networks cost, in evaluations on the largest budget for each worker, (runs,)."""
    largest = search["budget"].max()
    runs = search.groupby("run")
    whole = search[search["budget"] == largest].groupby("run")["cost"].mean()
    return (runs["cost"].sum() / whole / runs["workers"].first()).to_numpy(dtype=float)
