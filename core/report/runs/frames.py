"""The runs that an artifact or a claim is made of, from the frames of their experiments.

What is missing raises `NotRunError` with the names that were looked for. What an artifact and its claims derive from
the same results, or the same frame, is computed once, see `once`."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, TypeVar
from weakref import ref

import numpy as np
import pandas as pd

from core.foundation.errors import UserError


class NotRunError(LookupError):
    """The runs that an artifact or a claim needs are not there; drawn as `not run`."""


class CellNotRunError(NotRunError):
    """A cell was not run.

    Attributes:
        alone: Whether other methods were run on the benchmark.
        words: What a part of a claim lacks without it: by default the benchmark, with the method if others were run.
    """

    def __init__(self, benchmark: str, method: str, alone: bool, words: str = "") -> None:
        super().__init__(f"{benchmark}/{method}")
        self.method, self.alone = method, alone
        self.words = words or (f"{benchmark}: {method}" if alone else benchmark)


@contextmanager
def reading(results: Any) -> Iterator[None]:
    """Wrap an author's function: an error after it requested the empty frame of an experiment means `not run`.

    Made-up results that do not note such requests have all runs.

    Raises:
        NotRunError: naming these experiments. If it requested no empty frame, the error is passed on unchanged.
    """
    lacking = getattr(results, "lacking", [])
    before = len(lacking)
    try:
        yield
    except (UserError, NotRunError):
        raise
    except Exception as error:
        if absent := dict.fromkeys(lacking[before:]):
            raise NotRunError(", ".join(absent)) from error
        raise


T = TypeVar("T")


def once(function: Callable[..., T]) -> Callable[..., T]:
    """Remember what a function of (subject, *names) returns for as long as that very subject lives.

    The value is shared, and the subject is assumed not to change, so neither may be modified. An exception is
    not remembered.
    """
    kept: dict[int, tuple[ref[Any], dict[tuple[Any, ...], T]]] = {}

    @wraps(function)
    def remembered(subject: Any, *names: Any) -> T:
        number = id(subject)  # frames are not hashable
        if number not in kept:
            kept[number] = (ref(subject, lambda _: kept.pop(number, None)), {})
        memo = kept[number][1]
        if names not in memo:
            memo[names] = function(subject, *names)
        return memo[names]

    return remembered


@once
def frame_of(results: Any, *experiments: str) -> pd.DataFrame:
    """The rows of experiments, one below the other.

    Raises:
        NotRunError: there are none.
    """
    frame: pd.DataFrame = pd.concat([results.frame(name) for name in experiments], ignore_index=True)
    if frame.empty:
        raise NotRunError(experiments[0])
    return frame


def rows_of(results: Any, experiment: str, **values: str) -> pd.DataFrame:
    """The rows of an experiment with these values: `rows_of(results, "sinc", method="pbp", part="grid")`.

    Raises:
        NotRunError: there are none.
    """
    frame: pd.DataFrame = results.frame(experiment)
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


def shown_set(frame: pd.DataFrame, wanted: str) -> str:
    """The benchmark of what shows one alone: the wanted one, or another where only that was run.

    Raises:
        NotRunError: there is none.
    """
    if frame.empty:
        raise NotRunError(wanted)
    names = benchmarks_run(frame)
    return wanted if wanted in names else names[0]


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


def split_variant(name: str) -> tuple[str, str]:
    """The method and its changed settings, empty for the method itself."""
    method, _, change = name.partition(", ")
    return (method, change) if "=" in change else (name, "")


def with_change(label: str, change: str) -> str:
    """The label of a variant. The changes have words of their own, as the method's label may name a value of theirs."""
    return f"{label} (ablation: {change.replace('_', ' ')})" if change else label


def with_variants(methods: Iterable[str], present: Iterable[str]) -> list[str]:
    """The methods in their order, each followed by those of its variants that are present."""
    variants: dict[str, list[str]] = {}
    for name in dict.fromkeys(map(str, present)):
        method, change = split_variant(name)
        if change:
            variants.setdefault(method, []).append(name)
    methods = list(methods)
    return list(dict.fromkeys(name for method in methods for name in (method, *variants.get(method, ()))))
