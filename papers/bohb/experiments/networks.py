"""Networks that are trained: learning curves behind the surrogates (thesis C.8.1), shake-shake networks (6.4.5)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from core.experiment.context import Context
from core.experiment.image_tasks import best_configuration, images_of, remembered, retrained
from core.experiment.search import search
from core.objectives.image_classification import ImageClassification
from core.objectives.image_networks import Shaken
from core.training.collector import CurveCollection
from papers.bohb.settings import Collect, ShakenNetworks, ShakenSearch


def collect(context: Context[Collect]) -> pd.DataFrame:
    """Train configurations of Table C.1; a "run" is `settings.configurations` of them, one after the other.

    Returns:
        run, `number` of the configuration, its hyperparameters, `valid_error` (a list: share of wrong predictions after
        each epoch, nan from the epoch in which training diverged), `test_error` after the last, and `seconds` of the
        whole training.
    """
    settings = context.settings
    size = settings.configurations
    constants = {"seed": settings.seed, "epochs": settings.epochs, "whole": settings.whole}
    collection = CurveCollection(context.benchmark, size * context.runs.stop, Path(), **constants)
    frames = []
    for done, run in enumerate(context.runs):
        numbers = np.arange(run * size, (run + 1) * size)
        arrays = collection.train(numbers, context.progress_of(done))
        curves = {"valid_error": list(arrays.pop("valid_error"))}
        del arrays["train_error"]
        frames.append(pd.DataFrame({"run": run, "number": numbers, **arrays, **curves}))
    return pd.concat(frames, ignore_index=True)


def shaken_search(context: Context[ShakenSearch]) -> pd.DataFrame:
    """Validation errors on all budgets of configurations that are evaluated side by side; see `Searches.evaluations`.

    Besides its columns, with those of the configurations: the number of `workers`.
    """
    settings = context.settings
    kept = remembered(context, _objective(settings, context.device))
    return search(context, kept).evaluations(configurations=True).assign(workers=settings.workers)


def shaken_networks(context: Context[ShakenNetworks]) -> pd.DataFrame:
    """Test errors of the best configuration of a search, or of Gastaldi's (2017); see `retrained`.

    Run r has the best configuration of the search's run r, modulo the number of its runs.
    """
    settings = context.settings
    objective = _objective(settings, context.device)

    def configuration(run: int) -> Mapping[str, Any]:
        if context.method == "gastaldi":
            return {"learning_rate": 0.2, "momentum": 0.9, "weight_decay": 1e-4, "batch_size": 128}
        return best_configuration(context.records("cifar10"), context.method, run, objective.space)

    return retrained(context, objective, configuration, settings.epochs)


def _objective(settings: ShakenSearch | ShakenNetworks, device: str) -> ImageClassification:
    family = Shaken(settings.blocks, settings.width, settings.most_rows)
    return ImageClassification(
        family, images_of(settings), settings.epochs, least_epochs=settings.least_epochs, device=device
    )
