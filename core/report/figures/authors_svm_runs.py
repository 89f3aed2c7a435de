"""The incumbent trajectories on the SVM surrogate that the authors of Fabolas published (thesis Figs 4.5 and 6.3)."""

from __future__ import annotations

import pandas as pd

from core.report.runs.time_curves import continued
from core.report.verdicts.published_runs import published_runs

BENCHMARK = "authors"  # their own surrogate, of 50,000 training points
OPTIMUM = 0.01505  # the smallest error in their runs; the text of the thesis has 0.014
NAMES = {"ei": "gp"}  # their names of methods where ours differ


def authors_svm_runs() -> pd.DataFrame:
    """Their runs in the form of ours: benchmark, method, run, time, evaluations, error and regret.

    Their files end a run with its last new incumbent; here each is continued to the end of its method's longest run.
    """
    frame = published_runs("fabolas/fig4_5_runs").rename(columns={"seconds": "time"})
    frame["method"] = frame["method"].astype(object).replace(NAMES)
    return continued(frame.assign(benchmark=BENCHMARK, regret=(frame["error"] - OPTIMUM).clip(lower=0.0)))
