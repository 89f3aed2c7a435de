"""Two sets of runs of one cell compared, number by number.

`agreement` compares the same repetitions, computed twice. There are four degrees, of which the strictest that holds is
reported:

* **bit for bit**: every value is equal, except in columns that measure time.
* **within rounding**: the same rows, and numbers that differ by no more than `ROUNDING` of the largest in their column.
  Another processor rounds differently, which samplers pass on.
* **in distribution**: a search that rounds one comparison differently takes another path. For every number (see
  `per_run`), the new repetitions are tested against all shipped ones by the two-sample Kolmogorov-Smirnov test at the
  level `LEVEL`, divided by the number of tests.
* Anything less differs. If there are too few repetitions for a test ever to reject, that is reported instead.

`differences` compares runs with any settings: the difference of each number's means with its 95% interval.
Repetitions of the same number share seeds and splits, so where both sides have such, each of ours is paired with theirs
and the interval is Student's, of the pairs' differences. Otherwise both are independent samples, and it is Welch's.

`per_run` reduces records to one row per repetition, whatever their rows are:

* One row per run: its numbers as they are.
* Evaluations of a search (rows have an `origin`): the smallest `loss` and `regret` of the run, other numbers averaged.
* A search's incumbents (rows have an `evaluation`): the last row.
* Anything else (grids of predictions, positions of a chain): averages over the run's rows.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

ROUNDING = 1e-4
LEVEL = 0.001
EXACT, ROUNDED, DISTRIBUTED = "bit for bit", "within rounding", "in distribution"
MEASURED, UNTESTABLE, DIFFERS = "measures time alone", "too few repetitions to tell", "differs"
FRAME_COLUMNS = ("run", "status", "message")


@dataclass(frozen=True)
class Difference:
    """One number of two sets of runs.

    Attributes:
        metric: Name of the number, as `per_run` gives it.
        ours, theirs: Means over the runs that are compared.
        our_runs, their_runs: Number of these runs.
        low, high: Ends of the 95% interval of the difference, nan if there are too few runs.
        paired: Whether each run is compared with the other side's of the same number.
        apart: Largest difference in a pair, in units of the number's largest value; infinite without pairs.
        measured: Whether the number depends on the speed of the machine, which no rerun reproduces.
    """

    metric: str
    ours: float
    our_runs: int
    theirs: float
    their_runs: int
    low: float
    high: float
    paired: bool
    apart: float
    measured: bool

    @property
    def difference(self) -> float:
        return self.ours - self.theirs

    @property
    def compared(self) -> str:
        """`2 pairs`, or of independent samples `2 and 20 runs`."""
        if self.paired:
            return f"{self.our_runs} pair{'' if self.our_runs == 1 else 's'}"
        return f"{self.our_runs} and {self.their_runs} runs"

    @property
    def verdict(self) -> str:
        """`equal` where all runs are, `equal up to rounding` where all pairs are; else whether the interval has 0."""
        if self.measured:
            return "measured"
        if self.apart <= ROUNDING:
            return "equal up to rounding" if self.apart else "equal"
        if math.isnan(self.low):
            return "too few runs"
        if self.low <= 0 <= self.high:
            return "equal" if self.low == self.high else "no difference seen"
        return "differs"


def differences(ours: pd.DataFrame, theirs: pd.DataFrame, measured: Collection[str] | str = ()) -> list[Difference]:
    """The difference in every number that the records of both sides have.

    Args:
        ours, theirs: Records of a cell, a row per repetition and item.
        measured: Columns that depend on the speed of the machine, or "all".
    """
    fixed = set() if measured == "all" else set(per_run(ours, measured).columns)
    return [_difference(name, mine, other, name not in fixed) for name, mine, other in _numbers(ours, theirs)]


def agreement(
    shipped: pd.DataFrame, again: pd.DataFrame, all_shipped: pd.DataFrame, measured: Collection[str] | str
) -> tuple[str, str]:
    """The agreement of the same repetitions, shipped and rerun, and a remark on what differs most.

    What a rerun records that was not recorded when the files were made is not compared.

    Args:
        all_shipped: All repetitions of the cell, for the comparison in distribution.
        measured: Columns that are times, or "all".
    """
    absent = [name for name in shipped.columns.difference(again.columns) if shipped[name].isna().all()]
    shipped = shipped.drop(columns=absent)  # repetitions that all failed take the others' columns
    if lacking := set(shipped.columns) - set(again.columns):
        return DIFFERS, f"columns {sorted(lacking)} are shipped, but the rerun has none"
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
    tested, smallest = {}, 0.0
    for name, *both in _numbers(again, shipped, measured):
        a, b = (values.dropna().to_numpy() for values in both)
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


def _numbers(
    ours: pd.DataFrame, theirs: pd.DataFrame, without: Collection[str] = ()
) -> Iterator[tuple[str, pd.Series, pd.Series]]:
    """The numbers that both have, one value per run, indexed by run."""
    mine, others = per_run(ours, without), per_run(theirs, without)
    return ((name, mine[name].astype(float), others[name].astype(float)) for name in mine if name in others)


def _difference(metric: str, ours: pd.Series, theirs: pd.Series, measured: bool) -> Difference:
    """The difference of pairs where both sides have runs of the same number, else of independent samples."""
    paired = not ours.index.intersection(theirs.index).empty
    ours, theirs = (values[np.isfinite(values)] for values in (ours, theirs))
    if paired:
        common = ours.index.intersection(theirs.index)
        ours, theirs = ours.loc[common], theirs.loc[common]
    low, high = _interval(ours.to_numpy(), theirs.to_numpy(), paired)
    apart = _distance(ours, theirs) if paired and len(ours) else math.inf
    return Difference(metric, ours.mean(), len(ours), theirs.mean(), len(theirs), low, high, paired, apart, measured)


def _interval(ours: np.ndarray, theirs: np.ndarray, paired: bool) -> tuple[float, float]:
    """The 95% interval of the difference of means, nan if a side has a single run or none."""
    if min(len(ours), len(theirs)) < 2:
        return math.nan, math.nan
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # equal runs have no variance, which is no loss of precision
        test = stats.ttest_rel(ours, theirs) if paired else stats.ttest_ind(ours, theirs, equal_var=False)
        low, high = test.confidence_interval(0.95)
    return float(low), float(high)


BEST = ("loss", "regret")


def per_run(records: pd.DataFrame, without: Collection[str] = ()) -> pd.DataFrame:
    """The numeric columns (floats, integers, lists of either) of each run, (runs, columns), indexed by run.

    A number of a failed row is nan, and so is an average or minimum over failed rows only. A column is named
    after what was done to it: `rmse`, `best regret`, `last loss`, `mean x`.

    Args:
        without: Columns to leave out.
    """
    columns = {}
    for name in records.columns.drop(["run", "status", "message"]):
        if name not in without and (values := _floats(records[name])) is not None:
            columns[str(name)] = np.where(records["status"] == "failed", np.nan, values)
    numbers = pd.DataFrame(columns, index=records.index)
    groups = numbers.groupby(records["run"])
    if records["run"].is_unique:
        return numbers.set_index(records["run"])
    if "origin" in records:
        best = [name for name in BEST if name in numbers]
        rest = groups.mean().drop(columns=best).add_prefix("mean ")
        return pd.concat([groups[best].min().add_prefix("best "), rest], axis=1)
    if "evaluation" in numbers:
        return groups.nth(-1).set_index(records["run"][~records["run"].duplicated(keep="last")]).add_prefix("last ")
    return groups.mean().add_prefix("mean ")


def _floats(column: pd.Series) -> np.ndarray | None:
    """One float per row, for a list the mean of its finite numbers; None for a column that is not numeric."""
    if column.dtype == bool or column.dtype.kind in "iuf":
        return column.to_numpy(float)
    first = column.iloc[0] if len(column) else None
    if isinstance(first, np.ndarray) and first.dtype.kind in "iuf":
        with np.errstate(over="ignore"):
            finite = [np.asarray(row, float)[np.isfinite(np.asarray(row, float))] for row in column]
        return np.array([row.mean() if row.size else np.nan for row in finite])
    return None
