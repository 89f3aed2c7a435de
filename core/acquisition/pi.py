"""Probability of improvement (thesis, section 2.2.3): PI(x) = P(f(x) < y*) = Phi(gamma), gamma = (y* - mu) / sigma.

Names and shapes are those of `core.acquisition.ei`. Where the variance is zero, PI is 1 below the best observation and
0 from there on: an equal value is not an improvement.
"""

import torch
from botorch.utils.probability.utils import ndtr
from torch import Tensor

from core.acquisition.base import Improvement, safe_deviation


def probability_of_improvement(mean: Tensor, variance: Tensor, best: Tensor) -> Tensor:
    """PI, of the shape that the three broadcast to."""
    sigma, certain = safe_deviation(variance)
    improvement = best - mean
    # The certain outcome keeps a nan mean nan, as the smooth one does.
    outcome = torch.where(improvement.isnan(), improvement, (improvement > 0).to(improvement))
    return torch.where(certain, outcome, ndtr(improvement / sigma))


class ProbabilityOfImprovement(Improvement):
    """PI of a model's predictions."""

    closed_form = staticmethod(probability_of_improvement)
