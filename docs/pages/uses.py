"""Which papers run a method, and how long a suggestion took in shipped runs, theirs and the field benchmark's."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from core.experiment.cells import Cell
from core.experiment.paper import Papers
from core.experiment.selection import find_cells
from core.experiment.storage import read_records
from core.study.methods import MethodSettings

SCALE = "quick"  # what is drawn by default
FIELD = "benchmarks/field/results.csv"
SHORT = 0.0001
OBSERVED = 100  # about as many as there are in a search


class Cost(NamedTuple):
    """Seconds of a suggestion in the runs of some cells or problems: smallest, median and largest of their medians."""

    least: float
    median: float
    most: float

    @classmethod
    def of(cls, medians: Sequence[float]) -> Cost:
        """The cost from the median of each cell or problem."""
        return cls(float(min(medians)), float(np.median(medians)), float(max(medians)))

    def __str__(self) -> str:
        least, median, most = map(seconds, self)
        return least if least == most else f"{least} to {most}, median {median}"


def seconds(value: float) -> str:
    """Seconds in two digits; less than a ten-thousandth is no time."""
    return f"{value:.2g}" if value >= SHORT else f"below {SHORT}"


@lru_cache
def cells_by_method(root: Path) -> dict[str, dict[str, list[Cell]]]:
    """The cells of all papers by method, and by paper/experiment."""
    papers, found = Papers(root), dict[str, dict[str, list[Cell]]]()
    for paper in papers.valid:
        for cell in find_cells(papers, paper, SCALE):
            settings = getattr(cell.settings, "method", None)
            if isinstance(settings, MethodSettings):
                experiments = found.setdefault(settings.method, {})
                experiments.setdefault(f"{cell.paper}/{cell.experiment}", []).append(cell)
    return found


def in_papers(root: Path, method: str) -> dict[str, Cost | None]:
    """The cost by paper/experiment, with the settings there; None where none was recorded or no runs are shipped."""
    costs: dict[str, Cost | None] = {}
    for name, cells in cells_by_method(root).get(method, {}).items():
        paths = [path for cell in cells if (path := cell.path(root, "reference")).is_file()]
        medians = [median for path in paths if (median := _median(path)) is not None]
        costs[name] = Cost.of(medians) if medians else None
    return costs


def in_field(root: Path, method: str) -> tuple[Cost, int] | None:
    """The cost on the field benchmark with the library's settings, and the number of runs; None if it was not run."""
    runs = _field(root / FIELD)
    runs = runs[runs["method"] == method]
    return (Cost.of(runs.groupby("problem")["seconds"].median().tolist()), len(runs)) if len(runs) else None


@lru_cache
def _field(path: Path) -> pd.DataFrame:
    return pd.read_csv(path)


@lru_cache
def _median(path: Path) -> float | None:
    """Median seconds of a suggestion in a file of records, None if it has none.

    Searches record them for each evaluation, of which the later half counts, since random ones come before, or their
    sum when an incumbent was found. Experiments on suggestions record them by the number of observations.
    """
    records, _ = read_records(path)
    columns = set(records.columns)
    if {"evaluation", "overhead"} <= columns:
        found = records.loc[2 * records["evaluation"] > records["evaluation"].max(), "overhead"]
    elif {"evaluations", "overhead"} <= columns:
        last = records.groupby("run")[["overhead", "evaluations"]].last()
        found = last["overhead"] / last["evaluations"]
    elif {"observations", "cpu_seconds"} <= columns:
        found = records.loc[records["observations"] <= OBSERVED, "cpu_seconds"]
    else:
        return None
    return float(found.median())
