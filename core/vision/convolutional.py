"""Layers of networks, and the simplest network of them.

The convolutional network of Fabolas (thesis 4.5.3): three convolutions with batch normalization.

Each of the three layers is a convolution with filters of 5 x 5 pixels that leaves the size unchanged, batch
normalization, relu and max-pooling over 3 x 3 pixels with a stride of 2; a linear layer follows. The thesis gives the
three layers and batch normalization; the rest is that of the authors' benchmark (HPOlib 1.5, `ml/conv_net.py`).

Layers of the networks, made with weights from a given generator, and layers that draw random numbers themselves.

Torch's own dropout draws from a global generator, and its layers start from one. Here a network's weights come from the
generator that it is made with, and what its layers draw while it trains from the one that `draw_from` hands out.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import torch
from torch import Tensor, nn

from core.foundation.errors import UserError
from core.foundation.randomness import dropped
from core.foundation.validation import require_count


class Drawing(nn.Module):
    """Base of layers that draw random numbers; `draw_from` sets their generator."""

    generator: torch.Generator | None = None

    @property
    def source(self) -> torch.Generator:
        """The generator; raises RuntimeError if `draw_from` was not called."""
        if self.generator is None:
            raise RuntimeError(f"{type(self).__name__}: draw_from(network, generator) has not been called")
        return self.generator


def draw_from(network: nn.Module, generator: torch.Generator) -> None:
    """Let all layers of a network that draw random numbers draw them from a generator on the network's device."""
    for layer in network.modules():
        if isinstance(layer, Drawing):
            layer.generator = generator


class Dropout(Drawing):
    """Entries are dropped with probability `rate`, and the others divided by 1 - rate, while the layer is in training.

    Raises:
        UserError: a rate outside [0, 1).
    """

    def __init__(self, rate: float) -> None:
        super().__init__()
        if not 0 <= rate < 1:
            raise UserError(f"dropout is {rate}; allowed: from 0 to below 1")
        self.rate = rate

    def forward(self, X: Tensor) -> Tensor:
        return dropped(X, self.rate, self.source) if self.training and self.rate > 0 else X


def filters(
    inputs: int, outputs: int, window: int, generator: torch.Generator, deviation: float | None = None
) -> nn.Parameter:
    """The normal weights of a convolution, (outputs, inputs, window, window), with variance 2 / inputs of a filter (He
    et al. 2015), or with a given standard deviation.

    Args:
        window: Number of pixels along a side of the filters.
    """
    scale = math.sqrt(2 / (inputs * window**2)) if deviation is None else deviation
    return nn.Parameter(torch.empty(outputs, inputs, window, window).normal_(0.0, scale, generator=generator))


def convolution(
    inputs: int,
    outputs: int,
    window: int,
    generator: torch.Generator,
    stride: int = 1,
    bias: bool = False,
    deviation: float | None = None,
) -> nn.Conv2d:
    """A convolution with weights as of `filters` and biases 0; with a stride of 1 it leaves the size unchanged."""
    layer: nn.Conv2d = nn.utils.skip_init(nn.Conv2d, inputs, outputs, window, stride, window // 2, bias=bias)
    layer.weight = filters(inputs, outputs, window, generator, deviation)
    if layer.bias is not None:
        nn.init.zeros_(layer.bias)
    return layer


def linear(inputs: int, outputs: int, generator: torch.Generator) -> nn.Linear:
    """A linear layer with normal weights of variance 1 / inputs and biases 0."""
    layer: nn.Linear = nn.utils.skip_init(nn.Linear, inputs, outputs)
    with torch.no_grad():
        layer.weight.normal_(0.0, inputs**-0.5, generator=generator)
        layer.bias.zero_()
    return layer


def parameters(network: nn.Module) -> int:
    """The number of parameters that are trained; shared ones count once."""
    return sum(parameter.numel() for parameter in network.parameters())


WINDOW, POOLED, STRIDE = 5, 3, 2
SMALLEST = 15  # pixels in a row, of which one is left


class ConvolutionalNetwork(nn.Module):
    """The network; from classes and units u its parameters are

        75 u_1 + 25 u_1 u_2 + 25 u_2 u_3 + 2 (u_1 + u_2 + u_3) + (left^2 u_3 + 1) classes

    where left is the number of pixels in a row after three times pooling.

    Args:
        units: Number of filters of each layer.
        size: Number of pixels in a row.
        generator: Generator of the initial weights.

    Raises:
        UserError: images too small to be pooled so often, or a layer without filters.
    """

    def __init__(self, units: Sequence[int], size: int, classes: int, generator: torch.Generator) -> None:
        super().__init__()
        for layer, count in enumerate(units, start=1):
            require_count(f"units of layer {layer}", count)
        if size < SMALLEST:
            raise UserError(f"images have {size} pixels in a row; allowed: at least {SMALLEST}")
        layers: list[nn.Module] = []
        for inputs, outputs in pairwise([3, *units]):
            layers += [
                convolution(inputs, outputs, WINDOW, generator),
                nn.BatchNorm2d(outputs),
                nn.ReLU(inplace=True),
                nn.MaxPool2d(POOLED, STRIDE),
            ]
            size = (size - POOLED) // STRIDE + 1
        self.layers = nn.Sequential(*layers)
        self.output = linear(units[-1] * size**2, classes, generator)

    def features(self, X: Tensor) -> Tensor:
        """What the linear layer sees of X (n, 3, size, size): (n, left^2 u_3)."""
        planes: Tensor = self.layers(X)
        return planes.flatten(1)

    def forward(self, X: Tensor) -> Tensor:
        scores: Tensor = self.output(self.features(X))
        return scores
