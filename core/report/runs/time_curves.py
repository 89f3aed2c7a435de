"""Runs as curves over time. A run has one row with `run`, `time` and a metric for each new incumbent and for its end.

The value of a run at a time is that of its incumbent at that time. Before the first evaluation of a run has finished it
is that of the first incumbent, a random configuration, so that all runs count in every mean. While all evaluations of a
run have failed, its loss is the worst there is.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from core.report.runs.frames import split_runs
from core.report.runs.memo import once
from core.report.verdicts.checks import NotRunError
from core.study.curves import at_times

ROUNDING = 1e-9  # relative: budgets that add up to a time, except for rounding, have been spent by then


def over_time(rows: pd.DataFrame, times: np.ndarray, metric: str = "regret") -> np.ndarray:
    """Values of one cell's runs at ascending times (m,), (runs, m).

    Args:
        rows: Rows of the cell; for the metric `loss` with the columns `evaluations` and `worst_loss` as well.
    """
    curves, times = [], times * (1 + ROUNDING)
    for number, (finished, values) in enumerate(split_runs(rows, "time", metric)):
        before = values[0]
        if metric == "loss" and split_runs(rows, "evaluations")[number][0][0] > 1:
            before = split_runs(rows, "worst_loss")[number][0][0]  # evaluations count from 1: earlier ones failed
        curve = at_times(finished, values, times)
        curves.append(np.where(np.isnan(curve), before, curve))
    return np.stack(curves)


def times_of(frame: pd.DataFrame, benchmark: str, methods: Sequence[str], points: int) -> np.ndarray:
    """Times on a logarithmic grid, (m,): from the first incumbent of these methods to the end of the longest of them.

    Raises:
        NotRunError: none of them was run.
    """
    rows = frame[(frame["benchmark"] == benchmark) & frame["method"].isin(methods)]
    if rows.empty:
        raise NotRunError(benchmark)
    first = rows["time"].min()
    last = rows.groupby(["method", "run"])["time"].max().groupby("method").min().max()
    return np.geomspace(first, max(last, first * (1 + ROUNDING)), points)


@once
def end_of(rows: pd.DataFrame) -> float:
    """When the first of a cell's runs ended."""
    return float(rows.groupby("run")["time"].max().min())


def continued(frame: pd.DataFrame) -> pd.DataFrame:
    """Runs with their last incumbents kept until the longest run of their cell ends."""
    ends = frame.groupby(["benchmark", "method", "run"], observed=True).tail(1)
    ends = ends.assign(time=ends.groupby(["benchmark", "method"], observed=True)["time"].transform("max"))
    order = ["benchmark", "method", "run", "time"]
    return pd.concat([frame, ends], ignore_index=True).sort_values(order, kind="stable", ignore_index=True)
