"""Benchmarks and methods of paper.yaml that both drawings and claims name."""

from __future__ import annotations

import pandas as pd

from core.report.figures.data_sets import data_set_names
from papers.fabolas.grid_runs import DATA_SET

SURROGATE = ("random", "gp", "entropy_search", "hyperband", "mtbo", "fabolas")
"""The methods of Fig 4.5, right, and Fig 4.6; "gp" is Bayesian optimization with expected improvement."""

SHARES = {"share_1_4": "s = 1/4", "share_1_16": "s = 1/16", "share_1_32": "s = 1/32", "share_1_512": "s = 1/512"}
"""MTBO with one auxiliary task, from the largest to the smallest."""

TASKS = {
    "share_1_4": "one auxiliary task: 1/4",
    "two_tasks": "two: 1/4 and 1/32",
    "three_tasks": "three: 1/4, 1/32 and 1/512",
}
"""MTBO with one to three auxiliary tasks."""

SETS = data_set_names(("mnist", "letter", "magic_telescope", "electricity"))
"""The data sets of Fig 4.6; the last three stand in for vehicle registration and forest cover types."""


def surrogate_name(frame: pd.DataFrame) -> str:
    """The data set whose surrogate was searched: MNIST, or the one that was run instead."""
    names = list(frame["benchmark"].unique())
    return DATA_SET if DATA_SET in names else names[0]
