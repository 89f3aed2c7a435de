"""Records reduced to one row per repetition, whatever their rows are, so that runs can be compared.

* One row per run: its numbers as they are.
* Evaluations of a search (rows have an `origin`): the smallest `loss` and `regret` of the run, other numbers averaged.
* A search's incumbents, or its iterations: the last row.
* Anything else (grids of predictions, positions of a chain): averages over the run's rows.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import pandas as pd

BEST = ("loss", "regret")
ORDERED = ("evaluation", "evaluations", "iteration")


def per_run(records: pd.DataFrame, without: Collection[str] = ()) -> pd.DataFrame:
    """The numeric columns (floats, integers, lists of either) of each run, (runs, columns), indexed by run.

    A number of a failed row is nan, and so is an average or minimum over failed rows only. A column is named
    after what was done to it: `rmse`, `best regret`, `last loss`, `mean x`.

    Args:
        without: Columns to leave out.
    """
    columns = {}
    for name in records.columns.drop(["run", "status", "message"]):
        if name not in without and (values := _numbers(records[name])) is not None:
            columns[str(name)] = np.where(records["status"] == "failed", np.nan, values)
    numbers = pd.DataFrame(columns, index=records.index)
    groups = numbers.groupby(records["run"])
    if records["run"].is_unique:
        return numbers.set_index(records["run"])
    if "origin" in records:
        best = [name for name in BEST if name in numbers]
        rest = groups.mean().drop(columns=best).add_prefix("mean ")
        return pd.concat([groups[best].min().add_prefix("best "), rest], axis=1)
    if any(name in numbers for name in ORDERED):
        return groups.nth(-1).set_index(records["run"][~records["run"].duplicated(keep="last")]).add_prefix("last ")
    return groups.mean().add_prefix("mean ")


def _numbers(column: pd.Series) -> np.ndarray | None:
    """One float per row, for a list the mean of its finite numbers; None for a column that is not numeric."""
    if column.dtype == bool or column.dtype.kind in "iuf":
        return column.to_numpy(float)
    first = column.iloc[0] if len(column) else None
    if isinstance(first, np.ndarray) and first.dtype.kind in "iuf":
        with np.errstate(over="ignore"):
            finite = [np.asarray(row, float)[np.isfinite(np.asarray(row, float))] for row in column]
        return np.array([row.mean() if row.size else np.nan for row in finite])
    return None
