"""The incumbent trajectories on the SVM surrogate that the authors of Fabolas published, where the data are at hand."""

from __future__ import annotations

import pandas as pd

from core.data import DataUnavailableError, load_frame

BENCHMARK = "authors"  # their own surrogate, of 50,000 training points
OPTIMUM = 0.01505  # the smallest error in their runs; the text of the thesis has 0.014
NAMES = {"ei": "gp"}  # their names of methods where ours differ


def authors_svm_runs() -> pd.DataFrame | None:
    """Their runs in the form of ours: benchmark, method, run, time, evaluations, error and regret.

    Their files end a run with its last new incumbent; here each is continued to the end of its method's longest run.
    None where the data are missing; they cannot be downloaded.
    """
    try:
        frame = load_frame("svm_surrogate_authors_runs", download=False)
    except DataUnavailableError:
        return None
    frame = frame.rename(columns={"seconds": "time", "incumbent_error": "error"})
    frame["method"] = frame["method"].astype(object).replace(NAMES)
    ends = frame.groupby(["method", "run"], as_index=False).last()
    ends["time"] = ends.groupby("method")["time"].transform("max")
    frame = pd.concat([frame, ends], ignore_index=True).sort_values(["method", "run", "time"], ignore_index=True)
    return frame.assign(benchmark=BENCHMARK, regret=(frame["error"] - OPTIMUM).clip(lower=0.0))
