"""The generic convolutional network of DNGO (Tables 3 and 5; A.3): convolutions, pooling, dropout and nothing else.

Every convolution is followed by a relu, the last one too. Convolutions leave the size unchanged: windows of 27 x 27
pixels are 6 x 6 before the mean over all pixels, as in the table. Weights of a filter of F parameters start normal with
standard deviation sigma / sqrt(F), sigma being one hyperparameter for the first convolution and another for the others.
Inputs, and the outputs of both max-pooling layers, are dropped at random."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor, nn

from core.foundation.validation import require_count, require_number
from core.vision.convolutional import Dropout, convolution

WIDTH = 96
WINDOW = 27  # pixels in a row of a training image, of 32
POOLED, STRIDE = 3, 2
POOL = (0, 0)  # stands for max-pooling among the numbers of filters and sizes of windows


class AllConvolutional(nn.Module):
    """The network.

    Args:
        generator: Generator of the initial weights.
        width: Number of filters of the first two layers; the others have twice as many.
        deviation, input_deviation: sigma of the layers, and of the first.
        dropout: Rates at the input and after the first and second pooling, each in [0, 1).

    Raises:
        UserError: no filters, a negative deviation, or a rate out of range.
    """

    def __init__(
        self,
        classes: int,
        generator: torch.Generator,
        width: int = WIDTH,
        deviation: float = 1.0,
        input_deviation: float = 1.0,
        dropout: Sequence[float] = (0.0, 0.0, 0.0),
    ) -> None:
        super().__init__()
        require_count("width", width)
        for name, value in (("deviation", deviation), ("input_deviation", input_deviation)):
            require_number(name, value, lambda number: number >= 0, "numbers from 0")
        wide = 2 * width
        layers: list[nn.Module] = [Dropout(dropout[0])]
        inputs = 3
        for outputs, window in (
            (width, 3),
            (width, 3),
            POOL,
            (wide, 3),
            (wide, 3),
            (wide, 3),
            POOL,
            (wide, 3),
            (wide, 1),
        ):
            if (outputs, window) == POOL:
                pools = sum(isinstance(layer, nn.MaxPool2d) for layer in layers)
                layers += [nn.MaxPool2d(POOLED, STRIDE), Dropout(dropout[1 + pools])]
                continue
            layers += _rectified(inputs, outputs, window, generator, input_deviation if inputs == 3 else deviation)
            inputs = outputs
        layers += _rectified(inputs, classes, 1, generator, deviation)
        self.layers = nn.Sequential(*layers)

    def forward(self, X: Tensor) -> Tensor:
        planes: Tensor = self.layers(X)
        return planes.mean((2, 3))


def _rectified(inputs: int, outputs: int, window: int, generator: torch.Generator, deviation: float) -> list[nn.Module]:
    scaled = deviation / (inputs * window**2) ** 0.5
    return [convolution(inputs, outputs, window, generator, bias=True, deviation=scaled), nn.ReLU(inplace=True)]


class Layer(NamedTuple):
    """A line of Table 3: the type of a layer, its filters, its window and its stride, as they are printed."""

    type: str
    filters: str
    window: str
    stride: str


def described_layers(classes: Sequence[int], size: int, width: int = WIDTH) -> list[Layer]:
    """The layers of the network, in order, as they are, with the mean over all pixels and the softmax of the loss.

    Args:
        classes: Numbers of classes of different data sets.
        size: Number of pixels in a row of its input, which says over how many the mean is.
    """
    networks = [AllConvolutional(each, torch.Generator(), width) for each in classes]
    lines = []
    for alike in zip(*(network.layers for network in networks), strict=True):
        layer = alike[0]
        if isinstance(layer, nn.Conv2d):
            filters = dict.fromkeys(str(one.out_channels) for one in alike if isinstance(one, nn.Conv2d))
            stride = "" if layer.stride == (1, 1) else str(layer.stride[0])
            lines.append(Layer("Convolution", "/".join(filters), _square(layer.kernel_size[0]), stride))
        elif isinstance(layer, nn.MaxPool2d):
            lines.append(Layer("Max pooling", "", _square(int(layer.kernel_size)), str(layer.stride)))  # type: ignore[arg-type]
    with torch.no_grad():
        left = networks[0].eval().layers(torch.zeros(1, 3, size, size)).shape[-1]
    return [*lines, Layer("Global averaging", "", _square(left), ""), Layer("Softmax", "", "", "")]


def _square(side: int) -> str:
    return f"{side} x {side}"
