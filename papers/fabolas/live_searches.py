"""What claims about searches that train support vector machines (4.5.2) and networks (4.5.3) have in common."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pandas as pd

from core.report import Check, all_of, bootstrap_interval, cell_rows, each_of, pending
from core.report.statistics.reductions import mean_difference
from core.report.verdicts.speedups import BoundedFactor

GOOD_MACHINE = 0.01  # test error of a good support vector machine above the smallest one
GOOD_NETWORK = 1.1  # test error of a good network, in multiples of the smallest one
FULL_DATA = ("gp", "entropy_search")
"""The methods that train on all of the data."""


def on_sets(
    frame: pd.DataFrame, sets: Mapping[str, str], methods: Sequence[str], check: Callable[[str, str], Check]
) -> Check:
    """A check of several methods on each set; `sets` has their labels."""
    run = frame.groupby("benchmark")["method"].agg(set)

    def on(name: str) -> Check:
        return all_of(each_of(methods, run[name], lambda method: check(name, method), missing=pending))

    return all_of(each_of(sets, run.index, on, sets.__getitem__))


def first_incumbents(frame: pd.DataFrame, name: str, method: str, other: str, seed: int) -> BoundedFactor:
    """The geometric mean of the times of a method's first incumbents over that of another's."""
    rows = [cell_rows(frame, name, each) for each in (method, other)]
    first = tuple(np.log10(each.groupby("run")["time"].min()) for each in rows)
    interval = bootstrap_interval(first, mean_difference, seed)
    return BoundedFactor(interval, interval)
