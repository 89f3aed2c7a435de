"""Thesis Tables 4.1 and 4.2: the spaces of the support vector machines and of the convolutional network."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.experiment.results import Results
from core.report.tables.spaces import BOUNDS, space_table
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


def _machines() -> ConfigurationSpace:
    from core.objectives.svm_space import svm_space  # imports ConfigSpace, which the figures do without

    return svm_space()


def _networks() -> ConfigurationSpace:
    from core.objectives.network_spaces import convolutional_space

    return convolutional_space()


@published_names(rows=_machines, columns=BOUNDS)
def table4_1(results: Results, published: Published) -> ReportTable:
    """Thesis Table 4.1, rendered from the space of core.objectives.svm."""
    return space_table(_machines(), published, MACHINES)


@published_names(rows=_networks, columns=BOUNDS)
def table4_2(results: Results, published: Published) -> ReportTable:
    """Thesis Table 4.2, rendered from the space of the convolutional network."""
    return space_table(_networks(), published, NETWORKS)
