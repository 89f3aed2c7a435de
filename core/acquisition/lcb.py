"""Lower confidence bound (thesis, section 2.2.3, with the signs of its footnote): a(x) = -(mu(x) - beta_t sigma(x)).

The printed upper bound is for maximization; minimization looks for the smallest lower bound.
"""

import math
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from core.acquisition.base import Moments, safe_deviation
from core.foundation.errors import UserError


def negative_lower_confidence_bound(mean: Tensor, variance: Tensor, beta: float) -> Tensor:
    """-(mu - beta sigma), in units of the targets, of the shape that the moments broadcast to."""
    sigma, certain = safe_deviation(variance)
    return beta * torch.where(certain, 0.0, sigma) - mean


@dataclass(frozen=True)
class LowerConfidenceBound:
    """The negated bound of a model's predictions: `moments` is a model's method of that name, `beta` at least 0."""

    moments: Moments
    beta: float = 2.0
    logarithmic: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if not 0 <= self.beta < math.inf:
            raise UserError(f"LowerConfidenceBound.beta: must be finite and at least 0, got {self.beta!r}")

    def __call__(self, X: Tensor) -> Tensor:
        """X (..., runs, q, d) to (..., runs, q)."""
        return negative_lower_confidence_bound(*self.moments(X), self.beta)
