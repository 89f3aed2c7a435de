"""Convolutional networks under corruption (section 4.3): parallel searches, and the networks that they end with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from core.experiment.context import Context
from core.experiment.image_tasks import images_of, remembered, retrained
from core.experiment.parallel_search import best_configuration, parallel_search
from core.objectives.image_classification import ImageClassification
from core.objectives.image_networks import Corrupted
from papers.dngo.settings import CorruptedNetworks, CorruptedSearch

PRINTED = "printed"


def corrupted_search(context: Context[CorruptedSearch]) -> pd.DataFrame:
    """Validation errors of configurations that are evaluated side by side; see `parallel_search`."""
    settings = context.settings
    objective = corrupted_objective(settings, context.device)

    def build(seed: int):
        return settings.method.build(objective.space, seed, evaluations=settings.evaluations)

    kept = remembered(context, objective)
    return parallel_search(context, kept, build, settings.workers, settings.evaluations)


def corrupted_networks(context: Context[CorruptedNetworks]) -> pd.DataFrame:
    """Test errors of the best configuration of a search, or of the optimum that Table 6 prints; see `retrained`.

    Run r has the best configuration of the search's run r, modulo the number of its runs.
    """
    settings = context.settings
    objective = corrupted_objective(settings, context.device)

    def configuration(run: int) -> Mapping[str, Any]:
        if context.method == PRINTED:
            return settings.printed
        return best_configuration(context.records("networks"), context.method, run, objective.space)

    return retrained(context, objective, configuration, settings.final_epochs)


def corrupted_objective(settings: CorruptedSearch | CorruptedNetworks, device: str) -> ImageClassification:
    """The objective."""
    family = Corrupted(settings.width, settings.batch_size, settings.samples)
    return ImageClassification(family, images_of(settings), settings.epochs, device=device)
