"""Networks that classify images, by their validation error: one objective for all families of networks.

    ImageClassification(Convolutional(), image_set("cifar10"), epochs=40, shares=(512 / 40_000, 1.0))
    ImageClassification(Shaken(), image_set("cifar10", validation=5000), epochs=600, least_epochs=22)

The loss is the share of wrong predictions on the validation images after the last epoch, of one network whose initial
weights and training come from a seed that is drawn: the objective is noisy. It costs the seconds of training and
validating. A budget is a share of the training images, drawn at random for each evaluation, or a number of epochs, to
which the schedule of the learning rate is fitted.

A network that diverges, does not fit into memory or exceeds a limit of time has failed, with a loss of 1.

Networks that classify images, cut so that one core evaluates them in a few seconds: "images/residual/digits".

    reduced("convolutional", "cifar10_jpeg")        budgets are shares of the images, as Fabolas has them
    reduced("shaken", "cifar10_jpeg")               budgets are epochs, as BOHB has them
    reduced("residual", "svhn_digits_part")         one budget

The sizes are those of the papers' experiments at the quick scale.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import torch
from ConfigSpace import ConfigurationSpace

from core.data import lookup
from core.foundation.errors import UnknownNameError, UserError
from core.foundation.validation import require_count
from core.objectives.base import FAILURE, LEARNING_CURVE, Configurations, Evaluation, Fidelity, check_budget
from core.objectives.image_networks import Convolutional, Corrupted, Family, Residual, Shaken
from core.vision.data import ImageSet, image_set
from core.vision.evaluation import FINISHED, Trained, corrupted_error
from core.vision.training import train

SEEDS = 2**63


@dataclass(frozen=True)
class ImageClassification:
    """The objective.

    Args:
        family: Kind of networks.
        data: Images; those for testing serve `test_error` alone.
        epochs: Number of epochs, or the largest one.
        smallest_share: Smallest share of the training images that is a budget; None for all of them always.
        least_epochs: Smallest number of epochs that is a budget; None for always the same number.
        device: Torch device.
        folder: Folder for the state of trainings under way, so that what a kill interrupts goes on; None for no files.

    Raises:
        UserError: both kinds of budgets, or one out of range.
    """

    family: Family
    data: ImageSet = field(repr=False)
    epochs: int
    smallest_share: float | None = None
    least_epochs: int | None = None
    device: str = "cpu"
    folder: Path | None = None
    optimum: None = None
    worst_loss: float = 1.0

    def __post_init__(self) -> None:
        require_count("ImageClassification.epochs", self.epochs)
        if self.smallest_share is not None and self.least_epochs is not None:
            raise UserError("ImageClassification has smallest_share and least_epochs; allowed: one of them")
        if self.smallest_share is not None and not 0 < self.smallest_share < 1:
            raise UserError(f"ImageClassification.smallest_share is {self.smallest_share}; allowed: between 0 and 1")
        if self.least_epochs is not None and not 1 <= self.least_epochs < self.epochs:
            raise UserError(
                f"ImageClassification.least_epochs is {self.least_epochs}; allowed: from 1 to below {self.epochs}"
            )

    @cached_property
    def space(self) -> ConfigurationSpace:
        return self.family.space()

    @property
    def fidelity(self) -> Fidelity | None:
        """The share of the training images, the number of epochs, or None."""
        if self.smallest_share is not None:
            return Fidelity("share of the training images", self.smallest_share, 1.0)
        if self.least_epochs is not None:
            return Fidelity("epochs", self.least_epochs, self.epochs)
        return None

    def evaluate(
        self, configurations: Configurations, budget: float | None, generator: np.random.Generator
    ) -> Evaluation:
        """Train one network for each configuration.

        `info` has the `outcome` of the training, and the learning curve, unless the loss is a mean over corruptions.

        Raises:
            UserError: a budget out of range, or no network can have these hyperparameters.
        """
        budget = check_budget(self.fidelity, budget)
        seeds = generator.integers(SEEDS, size=len(configurations))
        losses, costs, info = [], [], []
        for configuration, seed in zip(configurations, seeds, strict=True):
            data, epochs = self._within(budget, int(seed))
            error, trained = self._error(configuration, data, epochs, int(seed))
            losses.append(error if trained.outcome == FINISHED else self.worst_loss)
            costs.append(trained.total_seconds)
            info.append(self._said(trained))
        return Evaluation(np.array(losses, np.float64), np.array(costs, np.float64), tuple(info))

    def test_error(self, configuration: Mapping[str, Any], seed: int, epochs: int | None = None) -> float:
        """The test error of a configuration trained on the images for training and validation; 1 for a failure.

        Args:
            epochs: Number of epochs; None for the largest.
        """
        error, trained = self._error(configuration, self.data.for_testing(), epochs or self.epochs, seed)
        return error if trained.outcome == FINISHED else self.worst_loss

    def _within(self, budget: float | None, seed: int) -> tuple[ImageSet, int]:
        """Images and number of epochs of a budget."""
        if self.smallest_share is not None and budget is not None:
            return self.data.subset(budget, np.random.default_rng(seed)), self.epochs
        return self.data, self.epochs if budget is None else round(budget)

    def _error(self, configuration: Mapping[str, Any], data: ImageSet, epochs: int, seed: int) -> tuple[float, Trained]:
        """The error on the validation images of a set."""
        network = self.family.network(configuration, data, torch.Generator().manual_seed(seed))
        settings = self.family.training(configuration, data, epochs)
        file = None if self.folder is None else self.folder / f"{_digest(configuration, epochs, seed, data)}.pt"
        trained = train(network, data, settings, seed, self.device, file)
        if file is not None:
            file.unlink(missing_ok=True)
        if not self.family.samples or trained.outcome != FINISHED:
            return trained.error, trained
        if settings.corrupt is None or settings.augment is None:
            raise UserError(f"{type(self.family).__name__}: samples of no corruption; allowed: 0 samples")
        there = data.to(self.device)
        generator = torch.Generator(self.device).manual_seed(seed)
        error = corrupted_error(
            network,
            there.validation,
            there,
            settings.corrupt,
            settings.augment,
            self.family.samples,
            generator,
            self.device,
        )
        return error, trained

    def _said(self, trained: Trained) -> dict[str, Any]:
        said: dict[str, Any] = {"outcome": trained.outcome}
        if trained.outcome != FINISHED:
            return {**said, FAILURE: f"{trained.outcome} in epoch {trained.epochs + 1}"}
        return said if self.family.samples else {**said, LEARNING_CURVE: trained.validation_error.tolist()}


def _digest(configuration: Mapping[str, Any], epochs: int, seed: int, data: ImageSet) -> str:
    """A name for a training."""
    known = [sorted((name, str(value)) for name, value in configuration.items()), epochs, seed, len(data.train)]
    return hashlib.sha256(repr(known).encode()).hexdigest()[:16]


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
