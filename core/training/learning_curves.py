"""Collections of learning curves (thesis 5.4.1): configurations drawn from Table B.1, trained, every epoch recorded.

    curves = LearningCurves("fcnet", dataset="mnist", images=(2000, 1000), epochs=40, most_units=512)
    arrays = curves.train(range(256))

A configuration's curve depends on the collection, its number and the seed, not on how many others are trained. No two
configurations share sizes and batch size, and the time of each is recorded. They are therefore trained one after the
other, each on one thread. The time is the CPU time of that thread on the CPU, and the wall-clock time elsewhere.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import torch
from ConfigSpace import ConfigurationSpace
from numpy.typing import NDArray
from torch import Tensor

from core.data import Dataset, load
from core.foundation.errors import UserError
from core.foundation.progress import Progress, silent
from core.foundation.seeds import derive_seed
from core.foundation.validation import require_count
from core.objectives.spaces import curve_space
from core.spaces import CubeEncoding
from core.training.chunks import Arrays
from core.training.curve_networks import NETWORKS, CurveNetwork, Shape

DATASETS = {"cnn": "cifar10", "fcnet": "mnist", "lr": "mnist", "vae": "mnist"}
"""The sets of thesis 5.4.1."""
EPOCHS = {"cnn": 40, "fcnet": 100, "lr": 100, "vae": 300}
"""Its numbers of epochs."""
VALIDATION = 0.2  # share of all images, as in 7.1: 5.4.1 does not say
MOST_VALIDATED = 4096  # images at a time

RECORDED = ("curve", "valid_loss", "train_loss", "seconds")


class Images(NamedTuple):
    """Pixels X (n, channels * height * width) float32 in [0, 1] and class codes y (n,) int64."""

    X: Tensor
    y: Tensor


class ImageParts(NamedTuple):
    """The images for training and for validation."""

    train: Images
    validation: Images
    shape: Shape


@dataclass(frozen=True)
class LearningCurves:
    """The collection of one kind of network.

    Args:
        name: Name of the kind of network, "cnn", "fcnet", "lr" or "vae".
        dataset: Name of a set of images in `core.data`; None for the thesis' set.
        images: Numbers of images for training and for validation; None for all of them, a fifth for validation.
        epochs: Number of epochs; None for the thesis' number.
        most_units: Largest size of a hidden layer; None for that of Table B.1.
        seed: Seed of the split, the configurations and all trainings.

    Raises:
        UnknownNameError: no collection has that name.
        UserError: `images`, `epochs` or `most_units` is out of range.
    """

    name: str
    dataset: str | None = None
    images: tuple[int, int] | None = None
    epochs: int | None = None
    most_units: int | None = None
    seed: int = 0
    device: str = "cpu"

    def __post_init__(self) -> None:
        curve_space(self.name, self.most_units)
        if self.epochs is not None:
            require_count("LearningCurves.epochs", self.epochs, ", or None for the thesis' number")
        if self.images is not None:
            if not isinstance(self.images, Sequence) or len(self.images) != 2:
                raise UserError(
                    f"LearningCurves.images is {self.images!r}; allowed: a number for training and one for validation"
                )
            for part, images in enumerate(self.images):
                require_count(f"LearningCurves.images[{part}]", images, least=2)

    @cached_property
    def space(self) -> ConfigurationSpace:
        return curve_space(self.name, self.most_units)

    @cached_property
    def parts(self) -> ImageParts:
        """The data.

        Raises:
            DataUnavailableError: the set is not available and cannot be downloaded.
            UserError: as `image_parts`.
        """
        name = self.dataset or DATASETS[self.name]
        seed = derive_seed("learning curves split", name, self.seed)
        return image_parts(load(name), self.images, seed, self.device)

    def train(self, items: Sequence[int], progress: Progress = silent) -> Arrays:
        """Train the configurations with these numbers.

        Args:
            progress: Callback that receives the share of the configurations that is done.

        Returns:
            A column (n,) for each hyperparameter, and what `train_curve` returns, (n, T).
        """
        encoding = CubeEncoding(self.space)
        epochs = EPOCHS[self.name] if self.epochs is None else self.epochs
        columns: dict[str, list[Any]] = {}
        for done, number in enumerate(items, start=1):
            generator = np.random.default_rng(derive_seed("learning curves", self.name, self.seed, int(number)))
            (configuration,) = encoding.decode(generator.random((1, encoding.dimension)))
            seed = derive_seed("learning curves training", self.name, self.seed, int(number))
            curve = train_curve(self.name, configuration, self.parts, epochs, seed, self.device)
            for name, value in (configuration | curve).items():
                columns.setdefault(name, []).append(value)
            progress(done / len(items))
        return {name: np.array(values) for name, values in columns.items()}


def train_curve(
    name: str, configuration: Mapping[str, Any], parts: ImageParts, epochs: int, seed: int, device: str = "cpu"
) -> dict[str, NDArray[np.float32]]:
    """Train one configuration of a collection's space for T epochs; each passes over the images in another order.

    Returns:
        (T,) float32 each, nan from the epoch in which the network diverged: `curve`, which 5.4 extrapolates, the share
        of errors in validation, or the negative lower bound of the autoencoder; `valid_loss`, the cross entropy there
        or the same bound; `train_loss`, the mean over the epoch's minibatches of what they were trained on; and
        `seconds` of each epoch with its validation, that of the divergence included.

    Raises:
        UserError: a batch size below 2.
    """
    require_count(f"batch_size of {name!r}", configuration["batch_size"], least=2)
    torch_seed = seed % 2**63
    network = NETWORKS[name](configuration, parts.shape, torch.Generator(device).manual_seed(torch_seed))
    clock = time.thread_time if device == "cpu" else time.perf_counter
    curves = {column: np.full(epochs, np.nan, np.float32) for column in RECORDED}
    step = 0
    for epoch in range(epochs):
        start = clock()
        order = torch.randperm(len(parts.train.y), generator=network.generator, device=device)
        total = torch.zeros((), device=device)
        for batch in order.split(configuration["batch_size"]):
            if len(batch) > 1:  # batch normalization has no variance of a last single image
                total += _step(network, Images(*(array[batch] for array in parts.train)), step) * len(batch)
                step += 1
        values = (*_validate(network, parts.validation), float(total) / len(order))
        curves["seconds"][epoch] = clock() - start
        if not np.isfinite(values).all():
            break
        for column, value in zip(RECORDED[:3], values, strict=True):
            curves[column][epoch] = value
    return curves


def image_parts(dataset: Dataset, images: tuple[int, int] | None, seed: int, device: str = "cpu") -> ImageParts:
    """Images drawn at random from a set, from its training part if it has one.

    Args:
        images: Numbers of images to train on and to validate on; None for all, a fifth of them for validation.

    Raises:
        UserError: not a set of square images in classes, fewer images than asked for, or fewer than two of a part.
    """
    pixels = dataset.X.shape[1]
    side = round(pixels**0.5)
    if not dataset.classes or (dataset.image_shape is None and side**2 != pixels):
        raise UserError(f"{dataset.name}: {pixels} inputs; allowed: square images in classes")
    rows = dataset.train_rows or len(dataset.y)
    train, validation = images or (rows - round(VALIDATION * rows), round(VALIDATION * rows))
    if min(train, validation) < 2 or train + validation > rows:
        raise UserError(
            f"{train} + {validation} images of {dataset.name}; allowed: at least 2 of each and {rows} together"
        )
    chosen = np.random.default_rng(seed).permutation(rows)[: train + validation]
    X = torch.from_numpy(dataset.X[chosen].astype(np.float32) / np.float32(dataset.X.max())).to(device)
    y = torch.from_numpy(dataset.y[chosen].astype(np.int64)).to(device)
    channels, height, width = dataset.image_shape or (1, side, side)
    shape = Shape(channels, height, width, len(dataset.classes))
    return ImageParts(Images(X[:train], y[:train]), Images(X[train:], y[train:]), shape)


def _step(network: CurveNetwork, batch: Images, step: int) -> Tensor:
    """One step; returns its objective."""
    for group in network.optimizer.param_groups:
        group["lr"] = network.rate(step)
    network.optimizer.zero_grad()
    loss = network.objective(*batch)
    loss.backward()
    network.optimizer.step()
    return loss.detach()


@torch.no_grad()
def _validate(network: CurveNetwork, part: Images) -> tuple[float, float]:
    """The curve's value and the loss."""
    value = loss = 0.0
    for X, y in zip(part.X.split(MOST_VALIDATED), part.y.split(MOST_VALIDATED), strict=True):
        means = network.validate(X, y)
        value, loss = (a + float(b) * len(y) / len(part.y) for a, b in zip((value, loss), means, strict=True))
    return value, loss
