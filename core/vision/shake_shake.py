"""Residual networks of two branches with random weights: shake-shake (Gastaldi 2017), which thesis 6.4.5 tunes.

In a block the input is added to alpha a(x) + (1 - alpha) b(x), where a and b are relu, convolution, normalization,
relu, convolution, normalization. While it trains, alpha is uniform in [0, 1] for every image, and the gradient flows
as if another number had been drawn; in evaluation alpha is 1/2. Where images are halved or planes change, the input
passes two convolutions of one pixel, the second of the image shifted by a pixel, each for half of the planes, and a
normalization. With three blocks in a stage and w = 64 it is the thesis' network "of depth 20 and basewidth of 64;
roughly 8.5M parameters"."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from core.foundation.errors import UserError
from core.foundation.validation import require_count
from core.vision.convolutional import Drawing, convolution, linear

STAGES = 3
FIRST = 16  # planes of the first convolution, whatever the width


class ShakeShake(nn.Module):
    """The network; it has 6 blocks + 2 layers, `parameter_count` parameters.

    Args:
        blocks: Number of blocks in each of the three stages.
        width: Number w of planes in the first stage; the others have 2 w and 4 w.
        generator: Generator of the initial weights.

    Raises:
        UserError: no blocks, or an odd number of planes.
    """

    def __init__(self, blocks: int, width: int, classes: int, generator: torch.Generator) -> None:
        super().__init__()
        require_count("blocks", blocks)
        require_count("width", width, least=2)
        if width % 2:
            raise UserError(f"width is {width}; allowed: even numbers, since shortcuts have two halves")
        self.first = nn.Sequential(convolution(3, FIRST, 3, generator), nn.BatchNorm2d(FIRST))
        layers, inputs = [], FIRST
        for stage in range(STAGES):
            planes = width * 2**stage
            for number in range(blocks):
                layers.append(_Block(inputs, planes, 2 if stage and number == 0 else 1, generator))
                inputs = planes
        self.blocks = nn.Sequential(*layers)
        self.output = linear(inputs, classes, generator)

    def forward(self, X: Tensor) -> Tensor:
        planes = functional.relu(self.blocks(self.first(X)))
        scores: Tensor = self.output(planes.mean((2, 3)))
        return scores


def parameter_count(blocks: int, width: int, classes: int) -> int:
    """The number of parameters of `ShakeShake`, in closed form."""
    total, inputs = 27 * FIRST + 2 * FIRST + (4 * width + 1) * classes, FIRST
    for stage in range(STAGES):
        planes = width * 2**stage
        for _ in range(blocks):
            total += 2 * (9 * inputs * planes + 9 * planes**2 + 4 * planes)
            total += inputs * planes + 2 * planes if inputs != planes else 0
            inputs = planes
    return total


class Shake(Drawing):
    """Two branches (n, ...) mixed with a random weight for each image."""

    def forward(self, a: Tensor, b: Tensor) -> Tensor:
        if not self.training:
            return (a + b) / 2
        shape = (2, len(a), *[1] * (a.ndim - 1))
        forth, back = torch.rand(shape, generator=self.source, device=a.device, dtype=a.dtype)
        slope = back * a + (1 - back) * b  # whose gradient it has
        with torch.no_grad():
            difference = forth * a + (1 - forth) * b - slope
        mixed: Tensor = slope + difference
        return mixed


class _Block(nn.Module):
    """Two branches around a shortcut."""

    def __init__(self, inputs: int, planes: int, stride: int, generator: torch.Generator) -> None:
        super().__init__()
        self.branches = nn.ModuleList(_branch(inputs, planes, stride, generator) for _ in range(2))
        self.shake = Shake()
        self.shortcut = _Shortcut(inputs, planes, stride, generator) if inputs != planes else nn.Identity()

    def forward(self, X: Tensor) -> Tensor:
        a, b = (branch(X) for branch in self.branches)
        mixed: Tensor = self.shortcut(X) + self.shake(a, b)
        return mixed


class _Shortcut(nn.Module):
    """Half of the planes from the image, half from it shifted by a pixel."""

    def __init__(self, inputs: int, planes: int, stride: int, generator: torch.Generator) -> None:
        super().__init__()
        self.halves = nn.ModuleList(convolution(inputs, planes // 2, 1, generator) for _ in range(2))
        self.scale, self.stride = nn.BatchNorm2d(planes), stride

    def forward(self, X: Tensor) -> Tensor:
        X = functional.relu(X)
        shifted = functional.pad(X[:, :, 1:, 1:], (0, 1, 0, 1))
        parts = [half(each[:, :, :: self.stride, :: self.stride]) for half, each in zip(self.halves, (X, shifted))]
        planes: Tensor = self.scale(torch.cat(parts, 1))
        return planes


def _branch(inputs: int, planes: int, stride: int, generator: torch.Generator) -> nn.Sequential:
    return nn.Sequential(
        nn.ReLU(),
        convolution(inputs, planes, 3, generator, stride),
        nn.BatchNorm2d(planes),
        nn.ReLU(inplace=True),
        convolution(planes, planes, 3, generator),
        nn.BatchNorm2d(planes),
    )
