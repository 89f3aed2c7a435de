"""Shake-shake networks on CIFAR-10 (thesis 6.4.5): BOHB on many workers, and the network that it ends with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from core.experiment.context import Context
from core.experiment.image_tasks import images_of, remembered, retrained
from core.experiment.parallel_search import best_configuration, parallel_search
from core.objectives.image_classification import ImageClassification
from core.objectives.image_networks import Shaken
from papers.bohb.settings import ShakenNetworks, ShakenSearch

GASTALDI = "gastaldi"


def shaken_search(context: Context[ShakenSearch]) -> pd.DataFrame:
    """Validation errors on all budgets of configurations that are evaluated side by side; see `parallel_search`.

    Besides its columns: the number of `workers`.
    """
    settings = context.settings
    objective = shaken_objective(settings, context.device)
    fidelity = objective.fidelity

    def build(seed: int):
        return settings.method.build(objective.space, seed, (fidelity.minimum, fidelity.maximum))

    kept = remembered(context, objective)
    return parallel_search(context, kept, build, settings.workers).assign(workers=settings.workers)


def shaken_networks(context: Context[ShakenNetworks]) -> pd.DataFrame:
    """Test errors of the best configuration of a search, or of Gastaldi's (2017); see `retrained`.

    Run r has the best configuration of the search's run r, modulo the number of its runs.
    """
    settings = context.settings
    objective = shaken_objective(settings, context.device)

    def configuration(run: int) -> Mapping[str, Any]:
        if context.method == GASTALDI:
            return {"learning_rate": 0.2, "momentum": 0.9, "weight_decay": 1e-4, "batch_size": 128}
        return best_configuration(context.records("cifar10"), context.method, run, objective.space)

    return retrained(context, objective, configuration, settings.epochs)


def shaken_objective(settings: ShakenSearch | ShakenNetworks, device: str) -> ImageClassification:
    """The objective."""
    family = Shaken(settings.blocks, settings.width, settings.most_rows)
    return ImageClassification(
        family, images_of(settings), settings.epochs, least_epochs=settings.least_epochs, device=device
    )
