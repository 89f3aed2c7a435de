"""Losses and errors of networks on images, and the precision of their products."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn import functional

from core.foundation.validation import require_count
from core.vision.data import Images, ImageSet
from core.vision.layers import Drawing, draw_from

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
