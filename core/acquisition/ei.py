"""Expected improvement and its logarithm: Eq. 1 of the NIPS paper, Eq. 2.8 of the thesis.

    EI(x) = E max(y* - f(x), 0) = sigma (gamma Phi(gamma) + phi(gamma)),    gamma = (y* - mu) / sigma

    symbol    name here    meaning
    y*        best         smallest observation, (runs,), or (samples, runs)
    mu        mean         predictive mean, (..., runs, q)
    sigma^2   variance     predictive variance, (..., runs, q)

The bracket cancels for negative gamma and underflows below gamma = -38. Its logarithm does neither: BoTorch's helper
(Ament et al., "Unexpected improvements to expected improvement", 2023) is exact down to gamma = -10^100, so both
functions go through it, EI as its exponential. Where the variance is zero, EI is the improvement itself.
"""

import torch
from botorch.acquisition.analytic import _log_ei_helper
from torch import Tensor

from core.acquisition.base import Improvement, safe_deviation


def log_expected_improvement(mean: Tensor, variance: Tensor, best: Tensor) -> Tensor:
    """log EI, of the shape that the three broadcast to; -inf where no improvement is possible."""
    sigma, certain = safe_deviation(variance)
    improvement = best - mean
    # A masked entry is 1, not its own value: log(0) would put nan into the gradients of its neighbours' where.
    sure = torch.where(certain & (improvement > 0), improvement, 1.0).log()
    sure = torch.where(improvement > 0, sure, -torch.inf)
    return torch.where(certain, sure, sigma.log() + _log_ei_helper(improvement / sigma))


def expected_improvement(mean: Tensor, variance: Tensor, best: Tensor) -> Tensor:
    """EI in units of the targets, of the shape that the three broadcast to."""
    sigma, certain = safe_deviation(variance)
    improvement = best - mean
    return torch.where(certain, improvement.clamp_min(0), sigma * _log_ei_helper(improvement / sigma).exp())


class ExpectedImprovement(Improvement):
    """EI of a model's predictions."""

    closed_form = staticmethod(expected_improvement)


class LogExpectedImprovement(Improvement):
    """log EI: it has the same maximum, and gradients where EI underflows to zero."""

    logarithmic = True
    closed_form = staticmethod(log_expected_improvement)
