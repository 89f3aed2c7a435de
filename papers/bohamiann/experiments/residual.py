"""Residual networks on CIFAR-10 (NIPS 6.3): parallel searches, and the networks that they end with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from core.experiment.context import Context
from core.experiment.image_tasks import images_of, remembered, retrained
from core.experiment.parallel_search import best_configuration, parallel_search
from core.objectives.image_classification import ImageClassification
from core.objectives.image_networks import Residual
from papers.bohamiann.settings import ResidualNetworks, ResidualSearch

ORIGINAL = "original"


def residual_search(context: Context[ResidualSearch]) -> pd.DataFrame:
    """Validation errors of configurations that are evaluated side by side; see `parallel_search`."""
    settings = context.settings
    objective = residual_objective(settings, context.device)

    def build(seed: int):
        return settings.method.build(objective.space, seed, evaluations=settings.evaluations)

    kept = remembered(context, objective)
    return parallel_search(context, kept, build, settings.workers, settings.evaluations)


def residual_networks(context: Context[ResidualNetworks]) -> pd.DataFrame:
    """Test errors of the best configurations of a search, or of He et al.'s; see `retrained`.

    Run r has the best configuration of the search's run r, modulo the number of its runs.

    Besides its columns, only for He et al.'s: `validation_error`, trained without the validation images.
    """
    settings = context.settings
    objective = residual_objective(settings, context.device)

    def configuration(run: int) -> Mapping[str, Any]:
        if context.method == ORIGINAL:
            return original(settings.most_blocks)
        return best_configuration(context.records("resnet"), context.method, run, objective.space)

    frame = retrained(context, objective, configuration, settings.epochs)
    if context.method != ORIGINAL:
        return frame
    seeds = context.shared_seeds("validation")
    known = [configuration(0)]
    errors = [objective.evaluate(known, None, np.random.default_rng(seed)).loss[0] for seed in seeds]
    return frame.assign(validation_error=errors)


def residual_objective(settings: ResidualSearch | ResidualNetworks, device: str) -> ImageClassification:
    """The objective."""
    family = Residual(settings.most_blocks, settings.most_rows, settings.width)
    return ImageClassification(family, images_of(settings), settings.epochs, device=device)


def original(blocks: int) -> dict[str, Any]:
    """ResNet-32, with five blocks in a stage, as He et al. (2016, 4.2) trained it by hand."""
    return {
        "learning_rate": 0.1,
        "weight_decay": 1e-4,
        "rate_factor": 0.1,
        "momentum": 0.9,
        "batch_size": 128,
        "blocks": blocks,
        "shared": 0.0,
        "reduction": "stride",
    }
