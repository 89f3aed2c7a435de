"""Thesis Table A.1: the space of XGBoost's hyperparameters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.experiment.results import Results
from core.report.tables.compare import spec_table
from core.report.tables.spaces import BOUNDS, described
from core.report.tables.table import ReportTable
from core.report.verdicts.names import published_names
from core.report.verdicts.published import Published

if TYPE_CHECKING:
    from ConfigSpace import ConfigurationSpace


def _xgboost() -> ConfigurationSpace:
    from core.objectives import xgboost  # imports ConfigSpace, and with it scipy.stats, which few drawings need

    return xgboost.space()


@published_names(rows=_xgboost, columns=BOUNDS)
def tableA_1(results: Results, published: Published) -> ReportTable:
    """Thesis Table A.1, rendered from the space of core.objectives.xgboost."""
    ours = described(_xgboost(), bases=())
    return spec_table(
        ours,
        published,
        caption="Ranges of the eight hyperparameters; equal where our space has the published value.",
        row_header="Hyperparameter",
        row_labels={name: name.replace("_", " ") for name in ours.index},
        column_labels=BOUNDS,
    )
