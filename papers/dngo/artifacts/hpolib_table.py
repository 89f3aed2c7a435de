"""DNGO Table 1: what the optimizers find on HPOlib's benchmarks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from core.experiment.results import Results
from core.report import Published, ReportTable, compare_table
from core.report.figures.data_sets import data_set_names
from core.report.runs.trajectories import incumbent, per_run
from core.report.verdicts.names import published_names
from papers.dngo.hpolib_runs import HPOLIB, hpolib_runs

PROBLEMS = {
    **data_set_names(("branin", "hartmann6")),
    "logistic_regression": "Logistic regression (50k images)",
    "logistic_regression_10k": "Logistic regression (10k images)",
    "lda_on_grid": "LDA on grid",
    "svm_on_grid": "SVM on grid",
}
METHODS = {
    "smac": "SMAC",
    "rf": "RF-BO (ours only)",
    "tpe": "TPE",
    "gp": "GP, input-warped",
    "gp_raw": "GP, unscaled (ours only)",
    "dngo": "DNGO",
    "dngo_updates": "DNGO, 1,000 updates (ours only)",
}
DNGOS = ("dngo", "dngo_updates")
VARIANTS = ("gp_raw", "dngo_updates")
"""Only on Branin and Hartmann6."""

PERCENT = ("logistic_regression", "svm_on_grid")


@published_names(rows=PROBLEMS, columns=METHODS)
def table1(results: Results, published: Published) -> ReportTable:
    """DNGO Table 1: the smallest loss found, problems by methods."""
    samples = _smallest_losses(hpolib_runs(results), published)
    rows = [row for row in PROBLEMS if row in published.rows or row in set(samples["row"])]
    table = compare_table(
        samples,
        published,
        direction="lower",
        reduced=[
            (_row(problem), method)
            for name, own in HPOLIB.items()
            if results.is_reduced(name)
            for problem in own
            for method in results.frame(name)["method"].unique()
        ],
        rows=rows,
        columns=list(METHODS),
        quoted_rows=("logistic_regression",),
        baselines=[name for name in METHODS if name not in DNGOS],
        metric="smallest loss found: function values, validation error in percent, perplexity",
        format=".3f",
        row_header="Problem",
        row_labels=PROBLEMS,
        column_labels=METHODS,
        caption=(
            "Our losses are rounded run by run to the published decimals, since the published optima are rounded "
            "too. Our logistic regression is on the 10,000 test images of MNIST, so the published row is only quoted. "
            "Our forest is not SMAC. Two variants of ours are on functions only: a Gaussian process whose targets lose "
            "their mean but are not scaled, and DNGO with more updates of its network."
        ),
    )
    absent = {key for key in table.cells if key[1] in VARIANTS and key[0] not in HPOLIB["hpolib"]}
    cells = {key: replace(cell, verdict=None) if key in absent else cell for key, cell in table.cells.items()}
    return replace(table, cells=cells)


def _smallest_losses(frame: pd.DataFrame, published: Published) -> pd.DataFrame:
    """The samples of `compare_table`: row, column, run, value, status."""
    parts = [pd.DataFrame(columns=["row", "column", "run", "value", "status"])]
    for problem, method in frame[["benchmark", "method"]].drop_duplicates().itertuples(index=False):
        best = incumbent(per_run(frame, "loss", problem, method))[:, -1] * (100 if problem in PERCENT else 1)
        row = _row(problem)
        cell = published.get((row, method))
        if cell is not None:
            best = best.round(len(cell.text.partition(".")[2]))
        part = {"row": row, "column": method, "run": np.arange(len(best)), "value": best, "status": "ok"}
        parts.append(pd.DataFrame(part))
    return pd.concat(parts[1:] or parts, ignore_index=True)


def _row(problem: str) -> str:
    """The row of a problem; our logistic regression is not the published one."""
    return "logistic_regression_10k" if problem == "logistic_regression" else problem
