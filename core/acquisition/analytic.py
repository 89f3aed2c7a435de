"""Acquisition functions in closed form of a mean and a standard deviation, and what is made of them.

Expected improvement under unknown constraints: a_CEI of DNGO (section 3.2), after Gelbart et al. (2014).

    a_CEI(x) = a_EI(x; V) P[c = 1 | x, D]

V are the observations that satisfy the constraints: the model behind a_EI and its best observation use only those. As
long as V is empty, there is nothing to improve on, and the utility is the probability of being feasible alone.

When to use it: where the constraint is not known but observed with every evaluation, and a model predicts it. For one
run with points X (1, N, d), losses y (1, N) and valid (1, N) bool, at least one of them True:

    constraint = NoisyConstraint().fit(X, valid, generators)
    model = GaussianProcess().fit(X[valid].unsqueeze(0), y[valid].unsqueeze(0), generators)
    best, any_feasible = best_observed(y, valid)
    acquisition = Constrained(LogExpectedImprovement(model.moments, best), constraint.probability, any_feasible)
    suggestion, _ = GradientAscent()(acquisition, d, generators)

A constraint that is known should be part of the search space instead (`core.spaces`).

Acquisition functions integrated over the model's hyperparameters: Eq. 2.5 of the thesis, Eq. 12 of DNGO, both after
Snoek et al. (2012).

    a(x) = integral of a(x; xi) p(xi | D) d xi  =~  1/S sum_s a(x; xi_s)

The sampled integrand comes from moments with a leading sample axis. The utility is averaged, not its logarithm: if
values are logs, so is the result, log 1/S sum_s exp(log a).

Lower confidence bound (thesis, section 2.2.3, with the signs of its footnote): a(x) = -(mu(x) - beta_t sigma(x)).

The printed upper bound is for maximization; minimization looks for the smallest lower bound.

Probability of improvement (thesis, section 2.2.3): PI(x) = P(f(x) < y*) = Phi(gamma), gamma = (y* - mu) / sigma.

Names and shapes are those of expected improvement. Where the variance is zero, PI is 1 below the best observation and
0 from there on: an equal value is not an improvement.

Expected improvement and its logarithm: Eq. 1 of the NIPS paper, Eq. 2.8 of the thesis.

    EI(x) = E max(y* - f(x), 0) = sigma (gamma Phi(gamma) + phi(gamma)),    gamma = (y* - mu) / sigma

    symbol    name here    meaning
    y*        best         smallest observation, (runs,), or (samples, runs)
    mu        mean         predictive mean, (..., runs, q)
    sigma^2   variance     predictive variance, (..., runs, q)

The bracket cancels for negative gamma and underflows below gamma = -38. Its logarithm does neither: BoTorch's helper
(Ament et al., "Unexpected improvements to expected improvement", 2023) is exact down to gamma = -10^100, so both
functions go through it, EI as its exponential. Where the variance is zero, EI is the improvement itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import torch
from botorch.acquisition.analytic import _log_ei_helper
from botorch.utils.probability.utils import ndtr
from botorch.utils.safe_math import logmeanexp
from torch import Tensor

from core.acquisition.base import Acquisition, Improvement, Moments, safe_deviation
from core.foundation.errors import UserError


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


@dataclass(frozen=True)
class Integrated:
    """The mean of `acquisition`, whose values are (samples, ..., runs, q), over the samples."""

    acquisition: Acquisition

    @property
    def logarithmic(self) -> bool:
        """Whether the values of the integrand are logarithms."""
        return self.acquisition.logarithmic

    def __call__(self, X: Tensor) -> Tensor:
        """X (..., runs, q, d) to (..., runs, q).

        Raises:
            UserError: the integrand has no sample axis.
        """
        values = self.acquisition(X)
        if values.ndim != X.ndim:
            raise UserError(
                f"Integrated: values have shape {tuple(values.shape)} for X {tuple(X.shape)}, "
                "expected (samples, ..., runs, q)"
            )
        return logmeanexp(values, dim=0) if self.logarithmic else values.mean(0)


@dataclass(frozen=True)
class Constrained:
    """An improvement times its probability of being feasible, or their sum if values are logarithms.

    Attributes:
        acquisition: Non-negative utility: EI, log EI or PI, with finite values in every run.
        feasibility: Function from X (..., runs, q, d) to probabilities (..., runs, q), or with the sample axis of
            `acquisition`.
        any_feasible: Whether an observation of the run is feasible, (runs,) bool, see `best_observed`.
    """

    acquisition: Acquisition
    feasibility: Callable[[Tensor], Tensor]
    any_feasible: Tensor

    @property
    def logarithmic(self) -> bool:
        """Whether the values of the improvement are logarithms."""
        return self.acquisition.logarithmic

    def __call__(self, X: Tensor) -> Tensor:
        """X (..., runs, q, d) to (..., runs, q)."""
        improvement, probability = self.acquisition(X), self.feasibility(X)
        any_feasible = self.any_feasible.unsqueeze(-1)
        if self.logarithmic:
            # log 0 would have gradient nan where a probability underflows, and rank no point below another.
            probability = probability.clamp_min(torch.finfo(probability.dtype).tiny)
            return torch.where(any_feasible, improvement, 0.0) + probability.log()
        return torch.where(any_feasible, improvement, 1.0) * probability
