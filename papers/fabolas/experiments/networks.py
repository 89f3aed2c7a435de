"""Searches for hyperparameters of convolutional networks on images (section 4.5.3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from core.experiment.context import Context
from core.experiment.image_tasks import Once, images_of, key_of, remembered
from core.experiment.timed_search import timed_search
from core.foundation.seeds import derive_seed
from core.objectives.image_classification import ImageClassification
from core.objectives.image_networks import Convolutional
from papers.fabolas.settings import NetworkSearch


def network_search(context: Context[NetworkSearch]) -> pd.DataFrame:
    """Test errors of the incumbents, trained anew on the images for training and validation; see `timed_search`.

    Besides its columns: `images`, the number of images for training.
    """
    settings = context.settings
    data = images_of(settings)
    benchmark = ImageClassification(
        Convolutional(settings.most_units, settings.most_rows),
        data,
        settings.epochs,
        smallest_share=settings.smallest_images / len(data.train),
        device=context.device,
    )

    def error(configuration: Mapping[str, Any]) -> float:
        return benchmark.test_error(configuration, derive_seed("test error", key_of(configuration)))

    kept = remembered(context, benchmark)
    return timed_search(context, kept, Once(error), on_all=True).assign(images=len(data.train))
