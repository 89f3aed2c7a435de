"""Thesis Tables 4.1 and 4.2: the spaces of the support vector machines and of the convolutional network."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.experiment.results import Results
from core.report.tables.compare import BOUNDS, space_table
from core.report.tables.table import ReportTable
from core.report.verdicts.names import published_names
from core.report.verdicts.published import Published

if TYPE_CHECKING:
    from ConfigSpace import ConfigurationSpace

MACHINES = {"C": "regularization C", "gamma": "kernel parameter gamma"}
NETWORKS = {
    "learning_rate": "initial learning rate",
    "batch_size": "batch size",
    **{f"units_{layer}": f"units, layer {layer}" for layer in (1, 2, 3)},
}


def _svm() -> ConfigurationSpace:
    from core.objectives.spaces import svm_space  # imports what only runs need

    return svm_space()


def _networks() -> ConfigurationSpace:
    from core.objectives.spaces import convolutional_space

    return convolutional_space()


@published_names(rows=_svm, columns=BOUNDS)
def table4_1(results: Results, published: Published) -> ReportTable:
    """Thesis Table 4.1, rendered from the space of core.objectives.svm."""
    return space_table(_svm(), published, MACHINES)


@published_names(rows=_networks, columns=BOUNDS)
def table4_2(results: Results, published: Published) -> ReportTable:
    """Thesis Table 4.2, rendered from the space of the convolutional network."""
    return space_table(_networks(), published, NETWORKS)
