"""What a model sees of configurations and losses, and which points may be proposed.

A point of the unit cube (`core.spaces`) has one coordinate for each hyperparameter. Kernels, trees and networks read
distances and thresholds into it that a category does not have, and take an inactive hyperparameter for one with its
default. The features of a coordinate x are instead

    ordered                       x
    choice i of k                 the unit vector e_i / sqrt(2), of two choices i itself: all choices are equally far
                                  apart, at distance 1, whatever their order
    ordered, under a condition    (sin(pi x / 2), cos(pi x / 2)): the cylinder of Swersky et al. (2014), "Raiders of the
                                  Lost Architecture", with a quarter of a turn
    inactive                      zeros

so that the distance of two configurations does not depend on what is inactive in both, and an inactive hyperparameter
is equally far from all values of an active one. All features lie in [0, 1].

A model with Gaussian noise takes one diverged training of loss 1e5 for all there is to explain, and all others for
equal. It sees losses on a scale on which they look Gaussian, and no single one flattens the others. With y_min the
smallest loss and s the distance from it to the median, the losses of a run become

    z = (y - y_min) / s    or    z = log(1 + (y - y_min) / s)

whichever a normal distribution makes more likely (the profile likelihood of Box and Cox, 1964, with the Jacobian of the
transform). Both are smooth at the smallest loss; an offset below 1 makes a well of what is a bowl, which a Gaussian
process needs more evaluations for. Values farther above the median than `REACH` times the distance from the median to
the smallest are then compressed, to at most twice that. The order of the losses is kept.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import torch
from numpy.typing import NDArray
from torch import Tensor

from core.acquisition.base import Acquisition
from core.optimizers.points import SAME
from core.spaces import CubeEncoding

REACH = 2.0
LEAST = 4  # number of observations below which the losses stay as they are, but for the compression
TINY = 1e-12
FARTHEST = 1e150  # distance, in units of the scale, up to which squares are finite


@dataclass(frozen=True)
class Features:
    """The features of points of an encoding's space."""

    encoding: CubeEncoding

    @property
    def trivial(self) -> bool:
        """Whether the features are the coordinates themselves."""
        return not self.encoding.cardinalities and not self.encoding.space.conditions

    def __call__(self, X: Tensor) -> Tensor:
        """Points X (..., d) to features (..., D), differentiable in ordered coordinates."""
        if self.trivial:
            return X
        conditional = {name for name in self.encoding.space if self.encoding.space.parent_conditions_of[name]}
        active = of_points(self.encoding.active, X).to(X) if conditional else None
        parts = []
        for place, column in enumerate(self.encoding.columns):
            x, size = X[..., place : place + 1], self.encoding.cardinalities.get(place)
            under = column.name in conditional
            if size is not None:
                code = (x * size).long().clamp(max=size - 1)
                choices = torch.arange(size, device=X.device)
                part = code.to(X) if size == 2 and not under else (code == choices).to(X) / math.sqrt(2)
            elif under:
                part = torch.cat([(x * math.pi / 2).sin(), (x * math.pi / 2).cos()], -1)
            else:
                part = x
            parts.append(part * active[..., place : place + 1] if under and active is not None else part)
        return torch.cat(parts, -1)

    def of(self, acquisition: Acquisition) -> Acquisition:
        """An acquisition function of features as one of points."""
        return acquisition if self.trivial else _OfFeatures(acquisition, self)


@dataclass(frozen=True)
class _OfFeatures:
    acquisition: Acquisition
    features: Features

    @property
    def logarithmic(self) -> bool:
        """Whether the values of the acquisition function are logarithms."""
        return self.acquisition.logarithmic

    def __call__(self, X: Tensor) -> Tensor:
        """X (..., runs, q, d) to (..., runs, q)."""
        return self.acquisition(self.features(X))


def of_points(function: Callable[[NDArray[Any]], NDArray[Any]], X: Tensor) -> Tensor:
    """What a function of an encoding, of points (n, d), says of points X (..., d): (..., d) or (...)."""
    outputs = torch.as_tensor(function(X.detach().reshape(-1, X.shape[-1]).cpu().numpy())).to(X.device)
    return outputs.view(X.shape[:-1] + outputs.shape[1:])


def fills_cube(encoding: CubeEncoding) -> bool:
    """Whether each point of the cube is that of a configuration."""
    return not encoding.levels and not encoding.space.conditions


def on_space(maximizer: Any, encoding: CubeEncoding) -> Any:
    """The maximizer, its candidates moved to points of configurations if the space is not all of the cube."""
    if fills_cube(encoding):
        return maximizer
    return replace(maximizer, project=lambda points: of_points(encoding.canonical, points).to(points))


def where_allowed(acquisition: Acquisition, encoding: CubeEncoding) -> Acquisition:
    """The acquisition function, nan where the space forbids the configuration."""
    return AllowedOnly(acquisition, encoding) if encoding.space.forbidden_clauses else acquisition


@dataclass(frozen=True)
class AllowedOnly:
    """An acquisition function that is nan, which no maximizer chooses, if the space forbids the configuration."""

    acquisition: Acquisition
    encoding: CubeEncoding

    @property
    def logarithmic(self) -> bool:
        """Whether the values of the acquisition function are logarithms."""
        return self.acquisition.logarithmic

    def __call__(self, X: Tensor) -> Tensor:
        """X (..., runs, q, d) to (..., runs, q)."""
        return torch.where(of_points(self.encoding.allowed, X), self.acquisition(X), torch.nan)


def where_unseen(acquisition: Acquisition, encoding: CubeEncoding, seen: Tensor) -> Acquisition:
    """The acquisition function, lowest at configurations that were evaluated, of those without a continuous value.

    Args:
        seen: Points of these configurations, (runs, N, d).
    """
    continuous = [place for place in range(encoding.dimension) if place not in encoding.levels]
    if any(not encoding.space.parent_conditions_of[encoding.columns[place].name] for place in continuous):
        return acquisition
    if continuous:
        finite = ~of_points(encoding.active, seen)[..., continuous].any(-1)  # (runs, N)
        seen = torch.where(finite.unsqueeze(-1), seen, torch.inf)[:, finite.any(0)]
    return UnseenOnly(acquisition, seen)


@dataclass(frozen=True)
class UnseenOnly:
    """An acquisition function that is minus infinity at points (runs, N, d) that were evaluated.

    It is not nan there: once every configuration has been evaluated, one of them is proposed again. Elsewhere it is
    finite or nan.
    """

    acquisition: Acquisition
    seen: Tensor

    @property
    def logarithmic(self) -> bool:
        """Whether the values of the acquisition function are logarithms."""
        return self.acquisition.logarithmic

    def __call__(self, X: Tensor) -> Tensor:
        """X (..., runs, q, d) to (..., runs, q)."""
        distance = (X.unsqueeze(-2) - self.seen.unsqueeze(-3)).abs().amax(-1)  # (..., runs, q, N)
        values = self.acquisition(X)
        lowest = torch.finfo(values.dtype).min / 2  # above what minus infinity counts as
        return torch.where((distance < SAME).any(-1), -torch.inf, values.clamp(min=lowest))


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
