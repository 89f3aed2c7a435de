"""Networks that classify images, cut so that one core evaluates them in a few seconds: "images/residual/digits".

    reduced("convolutional", "cifar10_jpeg")        budgets are shares of the images, as Fabolas has them
    reduced("shaken", "cifar10_jpeg")               budgets are epochs, as BOHB has them
    reduced("residual", "svhn_digits_part")         one budget

The sizes are those of the papers' experiments at the quick scale.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from core.data import lookup
from core.foundation.errors import UnknownNameError
from core.objectives.image_classification import ImageClassification
from core.objectives.image_networks import Convolutional, Corrupted, Residual, Shaken
from core.vision.data import image_set

SIZE = 16
IMAGES = {"train": 4000, "validation": 1000, "test": 1000}
FEWER = {"train": 1000, "validation": 400, "test": 397}  # of a set that has fewer, such as the bundled digits

MADE: dict[str, tuple[Callable[[], Any], dict[str, Any]]] = {
    "convolutional": (lambda: Convolutional(most_units=64, most_rows=128), {"epochs": 4, "smallest_share": 1 / 8}),
    "corrupted": (lambda: Corrupted(width=12, batch_size=32, samples=5), {"epochs": 8}),
    "residual": (lambda: Residual(most_blocks=2, width=8), {"epochs": 5}),
    "shaken": (lambda: Shaken(blocks=1, width=8), {"epochs": 9, "least_epochs": 1}),
}


def reduced(network: str, dataset: str) -> ImageClassification:
    """The objective of a family of networks on a set of the catalogue.

    Raises:
        UnknownNameError: no such family, or no such set.
        DataUnavailableError: the set is in none of the catalogue's places.
    """
    if network not in MADE:
        raise UnknownNameError("family of networks", network, MADE)
    family, given = MADE[network]
    counts = IMAGES if lookup(dataset).rows >= sum(IMAGES.values()) else FEWER
    return ImageClassification(family(), image_set(dataset, SIZE, **counts), **given)
