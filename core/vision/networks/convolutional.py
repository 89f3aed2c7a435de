"""The convolutional network of Fabolas (thesis 4.5.3): three convolutions with batch normalization.

Each of the three layers is a convolution with filters of 5 x 5 pixels that leaves the size unchanged, batch
normalization, relu and max-pooling over 3 x 3 pixels with a stride of 2; a linear layer follows. The thesis gives the
three layers and batch normalization; the rest is that of the authors' benchmark (HPOlib 1.5, `ml/conv_net.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import torch
from torch import Tensor, nn

from core.foundation.errors import UserError
from core.foundation.validation import require_count
from core.vision.layers import convolution, linear

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
