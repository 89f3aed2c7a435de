"""The runs that an artifact or a claim is made of, from the frames of their experiments.

What is missing raises `NotRunError` with the names that were looked for.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd

from core.report.runs.memo import once
from core.report.verdicts.checks import CellNotRunError, NotRunError


@once
def frame_of(results: Any, *experiments: str) -> pd.DataFrame:
    """The rows of experiments, one below the other.

    Raises:
        NotRunError: there are none.
    """
    frame = pd.concat([results.frame(name) for name in experiments], ignore_index=True)
    if frame.empty:
        raise NotRunError(experiments[0])
    return frame


def rows_of(results: Any, experiment: str, **values: str) -> pd.DataFrame:
    """The rows of an experiment with these values: `rows_of(results, "sinc", method="pbp", part="grid")`.

    Raises:
        NotRunError: there are none.
    """
    frame = results.frame(experiment)
    for column, value in values.items() if len(frame) else ():
        frame = frame[frame[column] == value]
    if frame.empty:
        raise NotRunError("/".join([experiment, *values.values()]))
    return frame


@once
def cell_rows(frame: pd.DataFrame, benchmark: str, method: str) -> pd.DataFrame:
    """The rows of one cell, searched for once per frame.

    Raises:
        CellNotRunError: it has none.
    """
    of_benchmark = frame["benchmark"] == benchmark
    rows = frame[of_benchmark & (frame["method"] == method)]
    if rows.empty:
        raise CellNotRunError(benchmark, method, alone=bool(of_benchmark.any()))
    return rows


@once
def benchmarks_run(frame: pd.DataFrame) -> list[str]:
    """The benchmarks of a results frame in the order of its rows."""
    return list(frame["benchmark"].unique())


@once
def methods_run(frame: pd.DataFrame, benchmark: str) -> list[str]:
    """The methods of a results frame that were run on a benchmark, in the order of its rows."""
    return list(frame.loc[frame["benchmark"] == benchmark, "method"].unique())


def runs_of(frame: pd.DataFrame, metric: str, benchmark: str, method: str, failed: float = math.nan) -> np.ndarray:
    """The metric of one cell of a results frame, (runs,) in the order of the runs.

    Args:
        failed: Value that a failed or non-finite run counts as: the metric's worst value (-inf for a log-likelihood) if
            it has one.

    Raises:
        NotRunError: the cell has no rows.
    """
    rows = cell_rows(frame, benchmark, method)
    if metric not in rows:
        raise KeyError(f"no metric {metric!r} in the results of {benchmark}/{method}; there are {list(rows.columns)}")
    rows = rows.sort_values("run")
    values = rows[metric].to_numpy(dtype=float, na_value=np.nan)
    values = np.where(np.isfinite(values), values, failed)
    return np.where(rows["status"].to_numpy() == "failed", failed, values)


@once
def split_runs(rows: pd.DataFrame, *columns: str) -> list[tuple[np.ndarray, ...]]:
    """Columns of one cell's rows as numbers, run by run in ascending order, each (n,) in the order of the rows."""
    runs = rows["run"].to_numpy()
    order = np.argsort(runs, kind="stable")
    starts = np.flatnonzero(np.diff(runs[order])) + 1
    return list(zip(*(np.split(rows[name].to_numpy(float)[order], starts) for name in columns), strict=True))


def count_runs(frame: pd.DataFrame) -> str:
    """How many runs the cells of a frame have, as "20 runs", or "10 to 20 runs" where they differ."""
    counts = frame.groupby(["benchmark", "method"])["run"].nunique()
    least, most = counts.min(), counts.max()
    return f"{least} to {most} runs" if least < most else f"{most} run{'s' if most > 1 else ''}"
