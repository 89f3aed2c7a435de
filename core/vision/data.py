"""Image sets of the catalogue, resized and divided into parts for training, validation and testing.

    image_set("cifar10")                                                    # whole: 40,000 + 10,000 + 10,000 images
    image_set("svhn_digits_part", size=16, train=6000, validation=2000, test=2000)

Where a set has official parts, images for training and validation are drawn from the first and test images from the
second; otherwise all three are drawn from the whole set. Images have three planes; a set of grey ones gets three equal
planes. They remain bytes until they are in a minibatch: `inputs` makes numbers of them, in units of the standard
deviation from the mean of each plane in the training part.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from core.data import Dataset, load
from core.foundation.errors import UserError
from core.foundation.validation import require_count

VALIDATION = 0.2  # share of the images that are not for testing
TEST = 0.2  # share of a set without a part for testing
RESIZED = 4096  # images at a time


@dataclass(frozen=True)
class Images:
    """Images X (n, 3, size, size) uint8 and class codes y (n,) int64."""

    X: Tensor
    y: Tensor

    def __len__(self) -> int:
        return len(self.y)

    def __getitem__(self, rows: Tensor) -> Images:
        return Images(self.X[rows], self.y[rows])

    def to(self, device: str | torch.device) -> Images:
        """The same on another device."""
        return Images(self.X.to(device), self.y.to(device))


@dataclass(frozen=True)
class ImageSet:
    """Images in three parts.

    Attributes:
        name: Name in the catalogue.
        train, validation, test: The parts, each in random order.
        classes: Number of classes.
        mean, deviation: Mean and standard deviation of each plane in the training part, (3,) float32, in [0, 1].
    """

    name: str
    train: Images = field(repr=False)
    validation: Images = field(repr=False)
    test: Images = field(repr=False)
    classes: int
    mean: Tensor = field(repr=False)
    deviation: Tensor = field(repr=False)

    @property
    def size(self) -> int:
        """The number of pixels in a row."""
        return int(self.train.X.shape[-1])

    @property
    def device(self) -> torch.device:
        return self.train.X.device

    def inputs(self, pixels: Tensor) -> Tensor:
        """Inputs of a network, (n, 3, size, size) float32 with channels last, for pixels in [0, 1] of that shape."""
        mean, deviation = (values.view(1, 3, 1, 1) for values in (self.mean, self.deviation))
        return ((pixels - mean) / deviation).contiguous(memory_format=torch.channels_last)

    def to(self, device: str | torch.device) -> ImageSet:
        """The same on another device."""
        first, second, third = (part.to(device) for part in (self.train, self.validation, self.test))
        mean, deviation = self.mean.to(device), self.deviation.to(device)
        return replace(self, train=first, validation=second, test=third, mean=mean, deviation=deviation)

    def subset(self, share: float, generator: np.random.Generator) -> ImageSet:
        """The same with a random share of the training part, at least two images; all of it if the share is 1."""
        images = max(2, round(share * len(self.train)))
        if images >= len(self.train):
            return self
        rows = torch.from_numpy(generator.permutation(len(self.train))[:images]).to(self.device)
        return replace(self, train=self.train[rows])

    def for_testing(self) -> ImageSet:
        """The same with training and validation images for training, and the test images for validation."""
        joined = (torch.cat([getattr(part, name) for part in (self.train, self.validation)]) for name in ("X", "y"))
        return replace(self, train=Images(*joined), validation=self.test)


def image_set(
    name: str,
    size: int | None = None,
    train: int | None = None,
    validation: int | None = None,
    test: int | None = None,
    seed: int = 0,
) -> ImageSet:
    """Images of a set of the catalogue, drawn at random.

    Args:
        name: A set of square images in classes: "cifar10", "cifar100" and "svhn", the parts and copies of them that end
            in "_jpeg" or "_part", or the bundled "digits".
        size: Number of pixels in a row to which images are resized; None leaves them as they are.
        train, validation, test: Numbers of images; None for all that are left, a fifth of those not for testing for
            validation, and for testing all of the official part, or a fifth of the set.
        seed: Seed of the draw.

    Raises:
        UnknownNameError: no set has that name.
        DataUnavailableError: it is in none of the catalogue's places.
        UserError: not square images in classes, or fewer images than asked for.
    """
    counts = {"train": train, "validation": validation, "test": test}
    for part, count in {"size": size, **counts}.items():
        if count is not None:
            require_count(f"image_set: {part}", count, ", or None", least=2)
    dataset = load(name)
    pixels = _planes(dataset)
    rows = _rows(dataset, counts, np.random.default_rng(seed))
    parts = [Images(_resized(pixels[chosen], size), torch.from_numpy(dataset.y[chosen])) for chosen in rows]
    mean, deviation = _moments(parts[0].X)
    first, second, third = parts
    return ImageSet(name, first, second, third, len(dataset.classes), mean, deviation)


def _planes(dataset: Dataset) -> NDArray[np.uint8]:
    """The images as (n, 3, height, width) bytes."""
    inputs = dataset.X.shape[1]
    side = round(inputs**0.5)
    channels, height, width = dataset.image_shape or (1, side, side)
    if not dataset.classes or channels * height * width != inputs or height != width or channels not in (1, 3):
        raise UserError(f"{dataset.name}: {inputs} inputs; allowed: square images with one or three planes, in classes")
    X = dataset.X
    if X.dtype != np.uint8:  # the bundled digits, 16 shades of grey as floating-point numbers
        X = np.round(X * (255 / X.max())).astype(np.uint8)
    X = X.reshape(-1, channels, height, width)
    return X if channels == 3 else np.repeat(X, 3, axis=1)


def _rows(dataset: Dataset, counts: dict[str, int | None], generator: np.random.Generator) -> list[NDArray[np.int64]]:
    """The rows of each part."""
    rows = len(dataset.y)
    if dataset.train_rows is not None:
        first, last = generator.permutation(dataset.train_rows), generator.permutation(rows - dataset.train_rows)
        last += dataset.train_rows
        test = len(last) if counts["test"] is None else counts["test"]
    else:
        order = generator.permutation(rows)
        test = round(TEST * rows) if counts["test"] is None else counts["test"]
        first, last = order[: rows - test] if test < rows else order[:0], order[rows - test :]
    validation = counts["validation"]
    if validation is None:
        known = len(first) if counts["train"] is None else len(first) - counts["train"]
        validation = min(round(VALIDATION * len(first)), known)
    train = len(first) - validation if counts["train"] is None else counts["train"]
    if test > len(last) or min(train, validation, test) < 2 or train + validation > len(first):
        raise UserError(
            f"{dataset.name}: {train} + {validation} + {test} images for training, validation and testing; allowed: at "
            f"least 2 of each, {len(first)} for training and validation together and {len(last)} for testing"
        )
    return [first[:train], first[train : train + validation], last[:test]]


def _resized(pixels: NDArray[np.uint8], size: int | None) -> Tensor:
    """The images (n, 3, size, size) as bytes: means over areas where they shrink, interpolated where they grow."""
    X = torch.from_numpy(np.ascontiguousarray(pixels))
    if size is None or size == X.shape[-1]:
        return X
    mode = "area" if size < X.shape[-1] else "bilinear"
    parts: Sequence[Tensor] = X.split(RESIZED)
    resized = [functional.interpolate(part.float(), size=(size, size), mode=mode) for part in parts]
    return torch.cat([part.round_().to(torch.uint8) for part in resized])


def _moments(X: Tensor) -> tuple[Tensor, Tensor]:
    """Mean and standard deviation of each plane, in [0, 1]; 1 for one that does not vary."""
    mean, squares = torch.zeros(3, dtype=torch.float64), torch.zeros(3, dtype=torch.float64)
    for part in X.split(RESIZED):
        values = part.double() / 255
        mean += values.sum((0, 2, 3))
        squares += values.square().sum((0, 2, 3))
    pixels = X.numel() / 3
    mean, squares = mean / pixels, squares / pixels
    deviation = (squares - mean.square()).clamp(min=0).sqrt()
    return mean.float(), torch.where(deviation > 1e-6, deviation, 1.0).float()
