"""Losses and errors of networks on images, and the precision of their products.

What a training leaves: curves over the epochs and how it ended.

A network that diverges, does not fit into memory or takes too long is data, not an error: `outcome` says which, and
the curves are nan from there on.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from core.foundation.validation import require_count
from core.vision.convolutional import Drawing, draw_from
from core.vision.data import Images, ImageSet

Change = Callable[[Tensor, torch.Generator], Tensor]
"""A random change of images (n, 3, size, size), which may also change their size."""

EVALUATED = 1000  # images at a time


@torch.no_grad()
def evaluate(network: nn.Module, images: Images, data: ImageSet, device: str = "cpu") -> tuple[float, float]:
    """Mean cross entropy and share of wrong predictions of a network on a part of a set, all on the device."""
    network.eval()
    loss, wrong = 0.0, 0
    for X, y in zip(images.X.split(EVALUATED), images.y.split(EVALUATED), strict=True):
        with products(device):
            scores = network(data.inputs(pixels_of(X)))
        loss += float(functional.cross_entropy(scores.float(), y, reduction="sum"))
        wrong += int((scores.argmax(1) != y).sum())
    return loss / len(images), wrong / len(images)


@torch.no_grad()
def corrupted_error(
    network: nn.Module,
    images: Images,
    data: ImageSet,
    corrupt: Change,
    augment: Change,
    samples: int,
    generator: torch.Generator,
    device: str = "cpu",
) -> float:
    """The share of wrong predictions when log-probabilities are averaged over corruptions of an image (DNGO, A.4).

    Args:
        corrupt, augment: Changes of pixels and of inputs, as in training; layers that draw random numbers do so too.
        samples: Number of corruptions of each image.

    Raises:
        UserError: no samples.
    """
    require_count("samples", samples)
    network.eval()
    for layer in network.modules():
        if isinstance(layer, Drawing):
            layer.train()
    draw_from(network, generator)
    wrong = 0
    for X, y in zip(images.X.split(EVALUATED), images.y.split(EVALUATED), strict=True):
        total: Tensor | float = 0.0
        for _ in range(samples):
            inputs = augment(data.inputs(corrupt(pixels_of(X), generator)), generator)
            with products(device):
                scores = network(inputs)
            total = total + scores.float().log_softmax(1)
        wrong += int((torch.as_tensor(total).argmax(1) != y).sum())
    return wrong / len(images)


def pixels_of(X: Tensor) -> Tensor:
    """Bytes as numbers in [0, 1]."""
    return X.float().div_(255)


def products(device: str) -> torch.autocast:
    """The precision of products: bfloat16 on CUDA, that of the numbers elsewhere."""
    kind = device.partition(":")[0]
    return torch.autocast(kind, torch.bfloat16, enabled=kind == "cuda")


FINISHED = "finished"
DIVERGED = "diverged"
OUT_OF_MEMORY = "out of memory"
TIME_LIMIT = "time limit"
CURVES = ("train_loss", "train_error", "validation_loss", "validation_error", "seconds")


@dataclass(frozen=True)
class Trained:
    """The record of a training of E epochs.

    Attributes:
        train_loss, train_error: Mean cross entropy and share of wrong predictions over the minibatches of an epoch, as
            they were trained on, (E,) float32.
        validation_loss, validation_error: The same of the validation images after each epoch, (E,) float32.
        seconds: Of each epoch with its validation, (E,) float32: on the CPU those of the thread, so that the load of
            the machine changes them little, elsewhere wall-clock time. nan for epochs that were not begun.
        outcome: "finished", "diverged", "out of memory" or "time limit".
    """

    train_loss: NDArray[np.float32]
    train_error: NDArray[np.float32]
    validation_loss: NDArray[np.float32]
    validation_error: NDArray[np.float32]
    seconds: NDArray[np.float32]
    outcome: str

    @property
    def epochs(self) -> int:
        """The number of epochs that ended well."""
        return int(np.isfinite(self.validation_error).sum())

    @property
    def error(self) -> float:
        """The validation error after the last epoch, nan unless the training finished."""
        return float(self.validation_error[-1]) if self.outcome == FINISHED else np.nan

    @property
    def total_seconds(self) -> float:
        """The seconds of all epochs that were begun."""
        return float(np.nansum(self.seconds, dtype=np.float64))


def no_curves(epochs: int) -> dict[str, NDArray[np.float32]]:
    """The curves before the first epoch."""
    return {name: np.full(epochs, np.nan, np.float32) for name in CURVES}
