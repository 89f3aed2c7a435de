"""Thesis Tables 4.1 and 4.2: the spaces of the support vector machines and of the convolutional network."""

from __future__ import annotations

from core.experiment.results import Results
from core.objectives.spaces import convolutional_space, svm_space
from core.report.tables.compare import BOUNDS, space_table
from core.report.tables.table import ReportTable
from core.report.verdicts.names import published_names
from core.report.verdicts.published import Published

MACHINES = {"C": "regularization C", "gamma": "kernel parameter gamma"}
NETWORKS = {
    "learning_rate": "initial learning rate",
    "batch_size": "batch size",
    **{f"units_{layer}": f"units, layer {layer}" for layer in (1, 2, 3)},
}


@published_names(rows=svm_space, columns=BOUNDS)
def table4_1(results: Results, published: Published) -> ReportTable:
    """Thesis Table 4.1, rendered from the space of core.objectives.svm."""
    return space_table(svm_space(), published, MACHINES)


@published_names(rows=convolutional_space, columns=BOUNDS)
def table4_2(results: Results, published: Published) -> ReportTable:
    """Thesis Table 4.2, rendered from the space of the convolutional network."""
    return space_table(convolutional_space(), published, NETWORKS)
