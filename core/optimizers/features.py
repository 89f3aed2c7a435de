"""What a model sees of a configuration: categories without an order, and inactive hyperparameters as such.

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
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from core.acquisition.base import Acquisition
from core.optimizers.allowed import of_points
from core.spaces import CubeEncoding


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
