"""What a space allows, for maximizers and acquisition functions, which see the unit cube alone."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from core.acquisition.base import Acquisition
from core.spaces import CubeEncoding


def on_space(maximizer: Any, encoding: CubeEncoding) -> Any:
    """The maximizer, its candidates moved to points of configurations if the space is not all of the cube."""

    def project(points: Tensor) -> Tensor:
        flat = points.detach().reshape(-1, points.shape[-1]).cpu().numpy()
        return torch.as_tensor(encoding.canonical(flat)).to(points).view(points.shape)

    whole = not encoding.levels and not encoding.space.conditions
    return maximizer if whole else replace(maximizer, project=project)


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
        allowed = self.encoding.allowed(X.detach().reshape(-1, X.shape[-1]).cpu().numpy())
        return torch.where(torch.as_tensor(allowed).to(X.device).view(X.shape[:-1]), self.acquisition(X), torch.nan)
