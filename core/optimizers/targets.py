"""Losses as a model sees them: on a scale on which they look Gaussian, and no single one flattens the others.

A model with Gaussian noise takes one diverged training of loss 1e5 for all there is to explain, and all others for
equal. With y_min the smallest loss and s the distance from it to the median, the losses of a run become

    z = (y - y_min) / s    or    z = log(1 + (y - y_min) / s)

whichever a normal distribution makes more likely (the profile likelihood of Box and Cox, 1964, with the Jacobian of the
transform). Both are smooth at the smallest loss; an offset below 1 makes a well of what is a bowl, which a Gaussian
process needs more evaluations for. Values farther above the median than `REACH` times the distance from the median to
the smallest are then compressed, to at most twice that. The order of the losses is kept.
"""

from __future__ import annotations

import torch
from torch import Tensor

REACH = 2.0
LEAST = 4  # number of observations below which the losses stay as they are, but for the compression
TINY = 1e-12
FARTHEST = 1e150  # distance, in units of the scale, up to which squares are finite


def gaussianized(y: Tensor) -> Tensor:
    """Losses (runs, N) transformed run by run: (runs, N), an increasing function of each run's."""
    lowest, median = y.amin(-1, keepdim=True), y.median(-1, keepdim=True).values
    largest = y.amax(-1, keepdim=True) - lowest
    scale = torch.where(median > lowest, median - lowest, largest)
    distance = (y - lowest) / torch.where(scale > 0, scale, 1.0)
    distance = distance.clamp(max=min(FARTHEST, torch.finfo(y.dtype).max))
    logs = distance.log1p()
    better = _score(logs, -logs) > _score(distance, torch.zeros_like(distance))
    few = y.shape[-1] < LEAST
    return _compressed(distance if few else torch.where(better.unsqueeze(-1), logs, distance))


def _score(z: Tensor, log_slope: Tensor) -> Tensor:
    """The profile log likelihood of each run, up to a constant: z (runs, N) and log dz/dy to (runs,)."""
    return -0.5 * z.shape[-1] * (z.var(-1, correction=0) + TINY).log() + log_slope.sum(-1)


def _compressed(z: Tensor) -> Tensor:
    """The values, the excess e > 1 in units of the reach compressed to 2 - 1 / e."""
    median = z.median(-1, keepdim=True).values
    reach = REACH * (median - z.amin(-1, keepdim=True))
    reach = torch.where(reach > 0, reach, 1.0)
    excess = (z - median) / reach
    return torch.where(excess > 1, median + reach * (2 - 1 / excess.clamp(min=1)), z)
