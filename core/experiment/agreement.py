"""How well the records of the same repetitions, computed twice, agree.

There are four degrees, of which the strictest that holds is reported:

* **bit for bit**: every value is equal, except in columns that measure time.
* **within rounding**: the same rows, and numbers that differ by no more than `ROUNDING` of the largest in their column.
  Another processor rounds differently, which samplers pass on.
* **in distribution**: a search that rounds one comparison differently takes another path. For every number (see
  `per_run`), the new repetitions are tested against all shipped ones by the two-sample Kolmogorov-Smirnov test at the
  level `LEVEL`, divided by the number of tests.
* Anything less differs. If there are too few repetitions for a test ever to reject, that is reported instead.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from core.experiment.per_run import per_run

ROUNDING = 1e-4
LEVEL = 0.001
EXACT, ROUNDED, DISTRIBUTED = "bit for bit", "within rounding", "in distribution"
MEASURED, UNTESTABLE, DIFFERS = "measures time alone", "too few repetitions to tell", "differs"
FRAME_COLUMNS = ("run", "status", "message")


def compare(
    shipped: pd.DataFrame, again: pd.DataFrame, all_shipped: pd.DataFrame, measured: Collection[str] | str
) -> tuple[str, str]:
    """The agreement of the same repetitions, shipped and rerun, and a remark on what differs most.

    Args:
        all_shipped: All repetitions of the cell, for the comparison in distribution.
        measured: Columns that are times, or "all".
    """
    absent = [name for name in shipped.columns.difference(again.columns) if shipped[name].isna().all()]
    shipped = shipped.drop(columns=absent)  # repetitions that all failed take the others' columns
    if set(shipped.columns) != set(again.columns):
        return DIFFERS, f"columns {sorted(set(shipped.columns) ^ set(again.columns))} are on one side only"
    if measured == "all":
        return MEASURED, ""
    names = [name for name in shipped.columns if name not in measured]
    if set(names) <= set(FRAME_COLUMNS):
        return MEASURED, ""
    if len(shipped) == len(again):
        distance = {name: _distance(shipped[name], again[name]) for name in names}
        worst = max(distance, key=distance.__getitem__)
        if distance[worst] == 0:
            return EXACT, ""
        if distance[worst] <= ROUNDING:
            return ROUNDED, f"at most {distance[worst]:.1g} of a column's size, in {worst}"
    return _in_distribution(again, all_shipped, measured)


def _distance(a: pd.Series, b: pd.Series) -> float:
    """The largest difference in units of the column's largest number; infinite if anything else differs."""
    first, second = _values(a), _values(b)
    if first is None or second is None or first.shape != second.shape:
        same = len(a) == len(b) and all(_equal(x, y) for x, y in zip(a, b, strict=True))
        return 0.0 if same else np.inf
    finite = np.isfinite(first)
    if not np.array_equal(first[~finite], second[~finite], equal_nan=True) or not np.isfinite(second[finite]).all():
        return np.inf
    if np.array_equal(first[finite], second[finite]):
        return 0.0
    return float(np.abs(first - second)[finite].max() / np.abs(first[finite]).max(initial=np.finfo(float).tiny))


def _values(column: pd.Series) -> np.ndarray | None:
    """The numbers of a numeric column, or of a column of lists, as floats one after the other; None for any other."""
    if column.dtype == bool or column.dtype.kind in "iuf":
        return column.to_numpy(float)
    rows = [np.asarray(row) for row in column if isinstance(row, (list, np.ndarray))]
    if len(rows) == len(column) and rows and all(row.dtype.kind in "iuf" for row in rows):
        return np.concatenate([row.astype(float).reshape(-1) for row in rows])
    return None


def _equal(a: Any, b: Any) -> bool:
    if isinstance(a, (list, np.ndarray)) or isinstance(b, (list, np.ndarray)):
        return np.array_equal(np.asarray(a), np.asarray(b))
    return bool(a == b) or (pd.isna(a) and pd.isna(b))


def _in_distribution(again: pd.DataFrame, shipped: pd.DataFrame, measured: Collection[str]) -> tuple[str, str]:
    ours, theirs = per_run(again, measured), per_run(shipped, measured)
    tested, smallest = {}, 0.0
    for name in ours.columns.intersection(theirs.columns):
        a, b = (frame[name].dropna().to_numpy() for frame in (ours, theirs))
        if len(a) and len(b):
            tested[name] = float(stats.ks_2samp(a, b).pvalue)
            smallest = max(smallest, float(stats.ks_2samp(np.zeros(len(a)), np.ones(len(b))).pvalue))
    failed = [frame.groupby("run")["status"].agg(lambda rows: (rows == "failed").all()) for frame in (again, shipped)]
    counts = [[int(runs.sum()), int((~runs).sum())] for runs in failed]
    tested["failed runs"] = float(stats.fisher_exact(counts).pvalue)
    level, worst = LEVEL / len(tested), min(tested, key=tested.__getitem__)
    remark = f"smallest p {tested[worst]:.2g}, of {worst}"
    if tested[worst] < level:
        return DIFFERS, remark
    return (UNTESTABLE if smallest >= level else DISTRIBUTED), remark
