"""Random changes of training images that leave their labels as they are: shifts, flips and cutout.

    shift     the image moves by up to `shift` pixels along each axis, and zeros enter (He et al. 2016, who crop images
              that are padded with zeros)
    flip      it is reflected horizontally with probability 1/2
    cutout    a square with sides of `cutout` pixels around a random pixel becomes zero; it may reach over the border
              (DeVries and Taylor 2017)

Zero is the mean of the training images, since inputs are centred before.

The corruption of training images by DNGO (A.2), with bounds that are hyperparameters.

    colours    hue h + b_H, saturation a_S s + b_S, value a_V v + b_V, with b ~ U(-B, B) and a ~ U(1/(1 + A), 1 + A)
    windows    the image, scaled by s ~ U(1/(1 + S), 1 + S) and reflected with probability 1/2, seen through a smaller
               window at a random place

Each image has numbers of its own, which all of its pixels share. Saturations and values stay in [0, 1]. The text says
nothing of a window that reaches over the border of an image that was made smaller; zeros, the mean of the training
images, enter there. Its dropout of single inputs is a layer of the network.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from core.foundation.errors import UserError
from core.foundation.validation import require_count, require_number


@dataclass(frozen=True)
class Augmentation:
    """The changes of a minibatch; of what is 0 or False there is none.

    Raises:
        UserError: a negative number of pixels.
    """

    shift: int = 0
    flip: bool = False
    cutout: int = 0

    def __post_init__(self) -> None:
        for name in ("shift", "cutout"):
            require_count(f"Augmentation.{name}", getattr(self, name), least=0)

    def __call__(self, X: Tensor, generator: torch.Generator) -> Tensor:
        """X (n, 3, size, size) changed, each image by numbers of its own; the channels come last."""
        if self.shift or self.flip:
            X = _moved(X, self.shift, self.flip, generator)
        X = _cut_out(X, self.cutout, generator) if self.cutout else X
        return X.contiguous(memory_format=torch.channels_last)


def _moved(X: Tensor, shift: int, flip: bool, generator: torch.Generator) -> Tensor:
    """Shifted and reflected, by one look-up of rows and columns in the padded images."""
    n, size = len(X), X.shape[-1]
    places = torch.arange(size, device=X.device)
    starts = torch.randint(2 * shift + 1, (2, n, 1), generator=generator, device=X.device)
    rows, columns = starts[0] + places, starts[1] + places
    if flip:
        flipped = torch.rand((n, 1), generator=generator, device=X.device) < 0.5
        columns = torch.where(flipped, columns.flip(1), columns)
    planes = functional.pad(X.permute(0, 2, 3, 1), (0, 0, shift, shift, shift, shift))
    images = torch.arange(n, device=X.device)[:, None, None]
    moved: Tensor = planes[images, rows[:, :, None], columns[:, None, :]]
    return moved.permute(0, 3, 1, 2)


def _cut_out(X: Tensor, side: int, generator: torch.Generator) -> Tensor:
    n, size = len(X), X.shape[-1]
    places = torch.arange(size, device=X.device)
    starts = torch.randint(size, (2, n, 1), generator=generator, device=X.device) - side // 2
    inside = (places >= starts) & (places < starts + side)
    covered = inside[0][:, :, None] & inside[1][:, None, :]
    return X.masked_fill(covered[:, None], 0.0)


@dataclass(frozen=True)
class Colours:
    """Changes of the colours of pixels in [0, 1].

    Args:
        hue: Bound B_H in degrees.
        saturation_scale, value_scale: Bounds A_S and A_V.
        saturation_shift, value_shift: Bounds B_S and B_V.

    Raises:
        UserError: a negative bound.
    """

    hue: float = 0.0
    saturation_scale: float = 0.0
    saturation_shift: float = 0.0
    value_scale: float = 0.0
    value_shift: float = 0.0

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            require_number(f"Colours.{name}", value, lambda bound: 0 <= bound < math.inf, "numbers from 0")

    def __call__(self, X: Tensor, generator: torch.Generator) -> Tensor:
        """X (n, 3, height, width) in [0, 1], changed and still there."""
        hue, saturation, value = hsv_of(X)
        drawn = torch.rand((5, len(X), 1, 1), generator=generator, device=X.device)
        hue = (hue + _between(drawn[0], -self.hue, self.hue)) % 360
        saturation = _stretched(saturation, drawn[1:3], self.saturation_scale, self.saturation_shift)
        value = _stretched(value, drawn[3:5], self.value_scale, self.value_shift)
        return rgb_of(hue, saturation, value)


@dataclass(frozen=True)
class Windows:
    """Windows of images.

    Args:
        size: Number of pixels in a row of the window.
        scaling: Bound S.
        flip: Whether images are reflected.

    Raises:
        UserError: a window without pixels, or a negative bound.
    """

    size: int
    scaling: float = 0.0
    flip: bool = True

    def __post_init__(self) -> None:
        require_count("Windows.size", self.size)
        require_number("Windows.scaling", self.scaling, lambda bound: 0 <= bound < math.inf, "numbers from 0")

    def __call__(self, X: Tensor, generator: torch.Generator) -> Tensor:
        """The windows of X (n, 3, side, side), (n, 3, size, size).

        Raises:
            UserError: a window larger than the image.
        """
        n, side = len(X), X.shape[-1]
        if self.size > side:
            raise UserError(f"Windows.size is {self.size}; allowed: at most the {side} pixels of an image")
        drawn = torch.rand((4, n), generator=generator, device=X.device)
        scale = _between(drawn[0], 1 / (1 + self.scaling), 1 + self.scaling)
        free = 1 - self.size / (scale * side)  # share of the image that the window leaves out, on both sides together
        theta = X.new_zeros(n, 2, 3)
        zoom = 1 - free
        theta[:, 0, 0] = torch.where(drawn[3] < 0.5, -zoom, zoom) if self.flip else zoom
        theta[:, 1, 1] = zoom
        theta[:, 0, 2], theta[:, 1, 2] = (free * (2 * place - 1) for place in drawn[1:3])
        grid = functional.affine_grid(theta, [n, 3, self.size, self.size], align_corners=False)
        windows = functional.grid_sample(X, grid, mode="bilinear", padding_mode="zeros", align_corners=False)
        return windows.contiguous(memory_format=torch.channels_last)


def hsv_of(X: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Hue in degrees, saturation and value, (n, height, width) each, of red, green and blue planes in [0, 1]."""
    value, largest = X.max(1)
    spread = value - X.amin(1)
    red, green, blue = X.unbind(1)
    safe = torch.where(spread > 0, spread, 1.0)
    hues = torch.stack([(green - blue) / safe % 6, (blue - red) / safe + 2, (red - green) / safe + 4], 1)
    hue = 60 * hues.gather(1, largest[:, None]).squeeze(1)
    return hue, spread / torch.where(value > 0, value, 1.0), value


def rgb_of(hue: Tensor, saturation: Tensor, value: Tensor) -> Tensor:
    """The inverse of `hsv_of`, (n, 3, height, width)."""
    planes = []
    for offset in (5, 3, 1):
        place = (offset + hue / 60) % 6
        planes.append(value * (1 - saturation * torch.minimum(place, 4 - place).clamp(0, 1)))
    return torch.stack(planes, 1)


def _between(uniform: Tensor, low: float, high: float) -> Tensor:
    return low + (high - low) * uniform


def _stretched(values: Tensor, drawn: Tensor, scale: float, shift: float) -> Tensor:
    factor, added = _between(drawn[0], 1 / (1 + scale), 1 + scale), _between(drawn[1], -shift, shift)
    return (values * factor + added).clamp(0, 1)
