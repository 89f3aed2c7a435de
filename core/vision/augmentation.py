"""Random changes of training images that leave their labels as they are: shifts, flips and cutout.

    shift     the image moves by up to `shift` pixels along each axis, and zeros enter (He et al. 2016, who crop images
              that are padded with zeros)
    flip      it is reflected horizontally with probability 1/2
    cutout    a square with sides of `cutout` pixels around a random pixel becomes zero; it may reach over the border
              (DeVries and Taylor 2017)

Zero is the mean of the training images, since inputs are centred before.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from core.foundation.validation import require_count


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
