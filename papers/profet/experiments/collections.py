"""Errors and seconds of the same configurations on many data sets: what the meta-models are trained on (8.3.1)."""

from __future__ import annotations

import pandas as pd

from core.experiment.context import Context
from core.experiment.sobol_tables import collect
from core.objectives.svm import svm as support_vector_machines
from core.training.classifiers import classifier
from core.training.collector import SMALLER
from papers.profet.settings import Collect, CollectNetworks


def svm(context: Context[Collect]) -> pd.DataFrame:
    """Train support vector machines; see `core.experiment.sobol_tables.collect`."""
    settings = context.settings
    benchmark = support_vector_machines(catalogued(context.benchmark), 1.0, settings.most_rows)
    return collect(context, benchmark, settings.configurations)


def fcnet(context: Context[CollectNetworks]) -> pd.DataFrame:
    """Train networks of two layers; see `core.experiment.sobol_tables.collect`."""
    settings = context.settings
    benchmark = classifier(catalogued(context.benchmark), settings.most_rows, settings.epochs, settings.half)
    return collect(context, benchmark, settings.configurations)


def catalogued(name: str) -> str:
    """The name in the catalogue; of MNIST the smaller part, since no more rows than it has are drawn."""
    return SMALLER.get(name, name)
