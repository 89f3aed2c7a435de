"""Thesis 6.4.5: the shake-shake network that BOHB found on CIFAR-10, and what the search cost."""

from __future__ import annotations

import numpy as np
import pandas as pd

from core.experiment.results import Results
from core.report import Published
from core.report.tables.compare import SAMPLE_COLUMNS, compare_table
from core.report.tables.out_of_reach import out_of_reach
from core.report.tables.table import ReportTable
from core.report.verdicts.names import published_names

NETWORKS = {"bohb": "BOHB", "gastaldi": "Gastaldi's hyperparameters (ours only)"}
COLUMNS = {"test_error": "test error, %", "full_evaluations": "cost of the search, full evaluations a worker"}
SMALLER = "a smaller network on smaller images, a twentieth of the images and fewer epochs: errors are others"


@published_names(rows=NETWORKS, columns=COLUMNS)
def cifar10(results: Results, published: Published) -> ReportTable:
    """Thesis 6.4.5: test errors of the network found and of Gastaldi's, and the cost of the search."""
    search, networks = results.frame("cifar10"), results.frame("cifar10_retrained")
    parts = [pd.DataFrame(columns=list(SAMPLE_COLUMNS))]
    if not networks.empty:
        columns = {"row": networks["method"], "run": networks["run"], "value": 100 * networks["test_error"]}
        parts.append(pd.DataFrame({**columns, "column": "test_error", "status": networks["status"]}))
    if not search.empty:
        cost = full_evaluations(search)
        columns = {"row": "bohb", "run": np.arange(len(cost)), "value": cost}
        parts.append(pd.DataFrame({**columns, "column": "full_evaluations", "status": "ok"}))
    table = compare_table(
        pd.concat([part for part in parts if len(part)] or parts, ignore_index=True),
        published,
        direction="lower",
        reduced=results.reduced,
        rows=tuple(NETWORKS),
        columns=tuple(COLUMNS),
        metric="test error in percent, and the seconds of all evaluations over those of one on the largest budget",
        format=".2f",
        caption=(
            "The network with the smallest validation error on the largest budget, and the one that Gastaldi (2017) "
            "tuned by hand, trained on the images for training and validation."
        ),
        row_header="Network",
        row_labels=NETWORKS,
        column_labels=COLUMNS,
    )
    return out_of_reach(table, SMALLER)


def full_evaluations(search: pd.DataFrame) -> np.ndarray:
    """What each run cost, in evaluations on the largest budget for each worker, (runs,)."""
    largest = search["budget"].max()
    runs = search.groupby("run")
    whole = search[search["budget"] == largest].groupby("run")["cost"].mean()
    return (runs["cost"].sum() / whole / runs["workers"].first()).to_numpy(dtype=float)
