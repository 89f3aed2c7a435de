"""Thesis Tables E.1 to E.3, data sets and spaces that tasks are learned from, and E.4, what seven methods solve."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from core.experiment.results import Results
from core.report import NotRunError, Published, compare_table, style
from core.report.statistics.comparisons import average_ranks
from core.report.style import data_set_names
from core.report.tables.compare import BOUNDS, described, spec_table
from core.report.tables.table import ReportCell, ReportTable
from core.report.verdicts.names import published_names
from papers.profet.search_results import CLASSES, MEANING, METHODS, class_runs, protocols

CLASSIFICATION = (
    "kr_vs_kp",
    "covertype",
    "letter",
    "higgs",
    "optdigits",
    "electricity",
    "magic_telescope",
    "nomao",
    "gas_drift",
    "mfeat_pixel",
    "car",
    "churn",
    "dna",
    "vehicle",
    "vehicle_registration",
    "mnist",
)
"""Table E.1. By its task and its size, what it calls churn is hill-valley."""

REGRESSION = (
    "boston",
    "concrete",
    "parkinsons",
    "power_plant",
    "energy",
    "naval",
    "protein",
    "yacht",
    "wine_white",
    "slice_localization",
)
"""Table E.2. By its number of rows, what it calls the red wine is the white one."""

EVALUATIONS = 100  # behind Table E.4
ROWS = {f"{name}_solved": f"{label}: solved (%)" for name, label in CLASSES.items()}
ROWS |= {f"{name}_rank": f"{label}: rank" for name, label in CLASSES.items()}


def _hyperparameters() -> pd.DataFrame:
    from core.objectives.spaces import (
        classifier_space,  # imports ConfigSpace, which the figures do without
        svm_space,
    )
    from core.objectives.xgboost import space

    spaces = {"svm": svm_space(), "fcnet": classifier_space(), "xgboost": space()}
    return pd.concat([described(each, ("10", "e")).add_prefix(f"{name}_", axis=0) for name, each in spaces.items()])


@published_names(rows=CLASSIFICATION, columns=("task", "features", "rows"))
def tableE_1(results: Results, published: Published) -> ReportTable:
    """Thesis Table E.1, from the catalogue of data sets; its numbers of features count the target."""
    from core.data.catalogue import entries

    ours = {}
    for name, entry in entries().items():
        for task in entry.openml_tasks:
            row = "churn" if name == "hill_valley" else name
            ours[row] = {"task": str(task), "features": str(entry.columns), "rows": str(entry.rows)}
    return spec_table(
        pd.DataFrame.from_dict(ours, orient="index").loc[list(CLASSIFICATION)],
        published,
        caption="The classification sets behind support vector machines and networks, from our catalogue: OpenML's "
        "task, columns with the target, rows. The thesis counts MNIST's training images without 10,000 for validation. "
        "The set that it calls churn has the task and the size of hill-valley, which stands beside it here.",
        row_header="Data set",
        row_labels=data_set_names(CLASSIFICATION),
        column_labels={"task": "OpenML task", "features": "features", "rows": "data points"},
    )


@published_names(rows=REGRESSION, columns=("features", "rows"))
def tableE_2(results: Results, published: Published) -> ReportTable:
    """Thesis Table E.2, from the catalogue of data sets."""
    from core.data.catalogue import lookup

    ours = {name: {"features": str(lookup(name).columns - 1), "rows": str(lookup(name).rows)} for name in REGRESSION}
    return spec_table(
        pd.DataFrame.from_dict(ours, orient="index"),
        published,
        caption="The regression sets behind XGBoost, from our catalogue, features without the target. The thesis "
        "counts the target of some sets and not of others; what it calls the red wine has the rows of the white one.",
        row_header="Data set",
        row_labels=data_set_names(REGRESSION),
        column_labels={"features": "features", "rows": "data points"},
    )


@published_names(rows=lambda: _hyperparameters().index, columns=BOUNDS)
def tableE_3(results: Results, published: Published) -> ReportTable:
    """Thesis Table E.3, rendered from the spaces of the three benchmarks."""
    ours = _hyperparameters()
    return spec_table(
        ours,
        published,
        caption="Ranges of the hyperparameters; equal where our space has the published value.",
        row_header="Hyperparameter",
        row_labels={name: ": ".join(name.split("_", 1)).replace("_", " ") for name in ours.index},
        column_labels=BOUNDS,
    )


@published_names(rows=ROWS, columns=METHODS)
def tableE_4(results: Results, published: Published) -> ReportTable:
    """Thesis Table E.4: shares of solved targets in percent, and average ranks, at the end of the runs.

    A sample of a cell is one task, whose runs are averaged.
    """
    parts, searched = [], {}
    for benchmark in CLASSES:
        try:
            solved, losses = (class_runs(results, benchmark, value) for value in ("solved", "loss"))
        except NotRunError:
            continue
        searched[benchmark] = losses
        ranks = average_ranks(losses) if len(losses) == len(METHODS) else {}
        for method, values in solved.items():
            parts.append(_samples(f"{benchmark}_solved", method, 100 * values[:, :, -1].mean(1)))
        for method, values in ranks.items():
            parts.append(_samples(f"{benchmark}_rank", method, values[:, -1]))
    table = compare_table(
        pd.concat(parts, ignore_index=True) if parts else _samples("", "", np.empty(0)),
        published,
        "neither",
        reduced=True,
        rows=tuple(ROWS),
        columns=METHODS,
        title="",
        caption=(
            "Targets reached, in percent, and average ranks at the end of the runs, published after 100 evaluations. "
            "An interval is over tasks; ranks need all seven methods. No number can be compared: the printed shares "
            "are not those of the targets that the text defines, and ranks are beside RF-BO in place of SMAC. "
            f"{protocols(searched)}. {MEANING}"
        ),
        row_header="Benchmark",
        row_labels=ROWS,
        column_labels={name: style.label(name) for name in METHODS},
    )
    lengths = {name: next(iter(losses.values())).shape[-1] for name, losses in searched.items()}
    return replace(table, cells={key: _comparable(key, cell, lengths) for key, cell in table.cells.items()})


def _comparable(key: tuple[str, str], cell: ReportCell, lengths: dict[str, int]) -> ReportCell:
    """The cell, which is `outside`: the text's targets have no levels as low as printed; ranks depend on all methods.

    Args:
        lengths: Number of evaluations of our searches, by benchmark.
    """
    if cell.verdict is None:
        return cell
    benchmark, _, quantity = key[0].rpartition("_")
    notes = ["other targets than the text's" if quantity == "solved" else "ranked beside RF-BO in place of SMAC"]
    if (evaluations := lengths.get(benchmark, EVALUATIONS)) < EVALUATIONS:
        notes.append(f"{evaluations} of {EVALUATIONS} evaluations")
    return replace(cell, verdict=cell.verdict.outside("; ".join(notes)))


def _samples(row: str, column: str, values: np.ndarray) -> pd.DataFrame:
    columns = {"row": row, "column": column, "run": np.arange(len(values)), "value": values, "status": "ok"}
    return pd.DataFrame(columns)
