"""Thesis Table A.1: the space of XGBoost's hyperparameters."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from core.experiment.results import Results
from core.report.tables.table import ReportTable, spec_table
from core.report.verdicts.names import published_names
from core.report.verdicts.published import Published

if TYPE_CHECKING:
    from ConfigSpace import ConfigurationSpace

BOUNDS = {"lower": "lower bound", "upper": "upper bound", "log": "logarithmic"}


def _xgboost() -> ConfigurationSpace:
    from core.benchmarks import xgboost  # imports ConfigSpace, and with it scipy.stats, which few drawings need

    return xgboost.space()


@published_names(rows=_xgboost, columns=BOUNDS)
def tableA_1(results: Results, published: Published) -> ReportTable:
    """Thesis Table A.1, rendered from the space of core.benchmarks.xgboost."""
    rows = {
        name: {"lower": f"{range_.lower:g}", "upper": f"{range_.upper:g}", "log": "yes" if range_.log else "no"}
        for name, range_ in _xgboost().items()
    }
    return spec_table(
        pd.DataFrame.from_dict(rows, orient="index"),
        published,
        caption="Ranges of the eight hyperparameters; equal where our space has the published value.",
        row_header="Hyperparameter",
        row_labels={name: name.replace("_", " ") for name in rows},
        column_labels=BOUNDS,
    )
