"""Residual networks with a choice of reduction and shared filters (NIPS 6.3), He et al.'s among them.

A convolution of 3 x 3 pixels to w planes, then three stages of n blocks with w, 2 w and 4 w planes, then the mean over
all pixels and a linear layer. A block is two convolutions of 3 x 3 pixels with batch normalization and a relu between
them; its input is added to their output, and a relu follows (He et al. 2016). Where planes double, the added input has
zeros in the new ones (their option A, without parameters). With w = 16 and n = 5 it is ResNet-32: 464,154 parameters in
ten classes.

At the start of the second and third stage images are halved: by a stride of 2, as He et al. do, or by max-pooling. And
of the filters of a convolution a share may be the same in all blocks of the stage: that of its first convolutions, or
of its second ones. Both are what the paper says of its best network; how filters are shared it does not say."""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn import functional

from core.foundation.errors import UserError
from core.foundation.validation import require_count, require_number
from core.vision.convolutional import convolution, filters, linear

Reduction = Literal["stride", "max_pooling"]
REDUCTIONS: tuple[Reduction, ...] = ("stride", "max_pooling")
STAGES = 3


class ResidualNetwork(nn.Module):
    """The network; `parameter_count` has its number of parameters.

    Args:
        blocks: Number n of blocks in a stage; the network has 6 n + 2 layers.
        width: Number w of planes in the first stage.
        generator: Generator of the initial weights.
        shared: Share of a convolution's filters that all blocks of a stage have in common.
        reduction: "stride" or "max_pooling".

    Raises:
        UserError: no blocks or planes, a share outside [0, 1], or an unknown reduction.
    """

    def __init__(
        self,
        blocks: int,
        width: int,
        classes: int,
        generator: torch.Generator,
        shared: float = 0.0,
        reduction: Reduction = "stride",
    ) -> None:
        super().__init__()
        require_count("blocks", blocks)
        require_count("width", width)
        require_number("shared", shared, lambda value: 0 <= value <= 1, "from 0 to 1")
        if reduction not in REDUCTIONS:
            raise UserError(f"reduction is {reduction!r}; allowed: {' or '.join(map(repr, REDUCTIONS))}")
        self.first = nn.Sequential(convolution(3, width, 3, generator), nn.BatchNorm2d(width), nn.ReLU(inplace=True))
        stages, inputs = [], width
        for stage in range(STAGES):
            planes = width * 2**stage
            stages.append(_Stage(inputs, planes, blocks, shared, reduction, generator))
            inputs = planes
        self.stages = nn.Sequential(*stages)
        self.output = linear(inputs, classes, generator)

    def features(self, X: Tensor) -> Tensor:
        """The means over all pixels at the end, (n, 4 w), of X (n, 3, size, size)."""
        planes: Tensor = self.stages(self.first(X))
        return planes.mean((2, 3))

    def forward(self, X: Tensor) -> Tensor:
        scores: Tensor = self.output(self.features(X))
        return scores


def parameter_count(blocks: int, width: int, classes: int, shared: float = 0.0) -> int:
    """The number of parameters of a `ResidualNetwork`, in closed form."""
    total = 27 * width + 2 * width + (4 * width + 1) * classes
    for stage in range(STAGES):
        planes = width * 2**stage
        common = round(shared * planes)
        first, filters = blocks, 0
        if stage:  # the first convolution of the stage sees half of the planes and shares nothing
            first, filters = blocks - 1, planes * planes // 2
        for convolutions in (first, blocks):
            filters += planes * (convolutions * (planes - common) + common * (convolutions > 0))
        total += 9 * filters + 2 * planes * 2 * blocks
    return total


class _Stage(nn.Module):
    """Blocks with the same number of planes, and the filters that they share."""

    def __init__(
        self, inputs: int, planes: int, blocks: int, shared: float, reduction: Reduction, generator: torch.Generator
    ) -> None:
        super().__init__()
        doubles = inputs != planes
        common = round(shared * planes)
        sharing = [blocks - doubles, blocks]  # the first convolution of a stage that doubles has other inputs
        self.common = nn.ParameterList(
            filters(planes, common if convolutions else 0, 3, generator) for convolutions in sharing
        )
        self.pooled = doubles and reduction == "max_pooling"
        self.blocks = nn.ModuleList()
        for number in range(blocks):
            changes = doubles and number == 0
            first = filters(inputs, planes, 3, generator) if changes else filters(planes, planes - common, 3, generator)
            second = filters(planes, planes - common, 3, generator)
            self.blocks.append(_Block(first, second, planes, stride=2 if changes and not self.pooled else 1))

    def forward(self, X: Tensor) -> Tensor:
        if self.pooled:
            X = functional.max_pool2d(X, 2)
        for block in self.blocks:
            X = block(X, *self.common)
        return X


class _Block(nn.Module):
    """Two convolutions around a shortcut; filters that a stage shares are arguments."""

    def __init__(self, first: nn.Parameter, second: nn.Parameter, planes: int, stride: int) -> None:
        super().__init__()
        self.first, self.second, self.stride, self.planes = first, second, stride, planes
        self.scale_1, self.scale_2 = nn.BatchNorm2d(planes), nn.BatchNorm2d(planes)

    def forward(self, X: Tensor, common_1: Tensor, common_2: Tensor) -> Tensor:
        first, second = self._whole(self.first, common_1), self._whole(self.second, common_2)
        inner = functional.relu(self.scale_1(functional.conv2d(X, first, stride=self.stride, padding=1)), inplace=True)
        outer = self.scale_2(functional.conv2d(inner, second, padding=1))
        return functional.relu(outer + self._shortcut(X), inplace=True)

    def _whole(self, own: Tensor, common: Tensor) -> Tensor:
        """All filters of a convolution, the common ones first."""
        return own if len(own) == self.planes else torch.cat([common, own])

    def _shortcut(self, X: Tensor) -> Tensor:
        X = X[:, :, :: self.stride, :: self.stride]
        missing = self.planes - X.shape[1]
        return functional.pad(X, (0, 0, 0, 0, 0, missing)) if missing else X
