"""What may be proposed, for maximizers and acquisition functions, which see the unit cube alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import torch
from numpy.typing import NDArray
from torch import Tensor

from core.acquisition.base import Acquisition
from core.optimizers.points import SAME
from core.spaces import CubeEncoding


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
