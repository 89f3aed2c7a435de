"""Thesis Tables E.1 to E.3: the data sets that tasks are learned from, and the spaces."""

from __future__ import annotations

import pandas as pd

from core.experiment.results import Results
from core.report.figures.data_sets import data_set_names
from core.report.tables.compare import spec_table
from core.report.tables.spaces import BOUNDS, described
from core.report.tables.table import ReportTable
from core.report.verdicts.names import published_names
from core.report.verdicts.published import Published

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


def _hyperparameters() -> pd.DataFrame:
    from core.objectives.network_spaces import classifier_space  # imports ConfigSpace, which the figures do without
    from core.objectives.svm_space import svm_space
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
