"""Gaussian processes of exponentially decaying curves: for all curves together as in
Freeze-Thaw (Swersky et al. 2014), and for each on its own, the thesis' GP (section 5.4.2).

Hyperparameters maximize the posterior density (Swersky et al. sample them). Configurations and curves are standardized.

The kernel of exponentially decaying functions and the Gaussian process of curves around it (Swersky, Snoek and
Adams, "Freeze-Thaw Bayesian Optimization", 2014).

    k(t, t') = s beta^alpha / (t + t' + beta)^alpha,    the mixture of e^(-r t) e^(-r t') over r ~ Gamma(alpha, beta)
    y_i(t) = f(x_i) + g_i(t) + noise,   g_i ~ GP(0, k),   f ~ GP(0, Matern-5/2),   the asymptotes

Given f the curves are independent. With K_i the covariance of curve i's own observations, noise included, and 1 a
vector of ones, they carry the same information about f(x_i) as one observation of value m_i and variance 1/l_i:

    l_i = 1' K_i^-1 1,    m_i = 1' K_i^-1 y_i / l_i

The exact likelihood thus costs a Cholesky factor for each curve and one for all asymptotes. All shapes start with a
batch of independent groups of m curves, (groups, m, ...), each with its own hyperparameters.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import torch
from gpytorch.constraints import GreaterThan, Positive
from gpytorch.kernels import Kernel, MaternKernel, ScaleKernel
from gpytorch.priors import LogNormalPrior
from numpy.typing import NDArray
from torch import Tensor
from torch.distributions import MultivariateNormal, Normal

from core.foundation.validation import require_count
from core.models.curves.base import CurveModel, CurvePrediction, GlobalCurveModel
from core.models.curves.data import ObservedCurves
from core.models.ensemble import standardizer

SMALLEST_NOISE = 1e-6


class ExponentialDecayKernel(Kernel):
    """k(t, t') = beta^alpha / (t + t' + beta)^alpha for t, t' >= 0, as a GPyTorch kernel of one-dimensional inputs.

    Args:
        settings: Settings of `gpytorch.kernels.Kernel`, such as `batch_shape`.
    """

    has_lengthscale = False

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        for name, start in (("alpha", 1.0), ("beta", 0.4)):
            value = torch.full((*self.batch_shape, 1, 1), start, dtype=torch.float64)
            self.register_parameter(f"raw_{name}", torch.nn.Parameter(Positive().inverse_transform(value)))
            self.register_constraint(f"raw_{name}", Positive())

    @property
    def alpha(self) -> Tensor:
        """Shape of the gamma distribution of decay rates, (..., 1, 1)."""
        alpha: Tensor = self.raw_alpha_constraint.transform(self.raw_alpha)
        return alpha

    @property
    def beta(self) -> Tensor:
        """Its rate, in units of t, (..., 1, 1)."""
        beta: Tensor = self.raw_beta_constraint.transform(self.raw_beta)
        return beta

    def forward(self, x1: Tensor, x2: Tensor, diag: bool = False, **params: Any) -> Tensor:
        if diag:
            total, alpha, beta = (x1 + x2)[..., 0], self.alpha[..., 0], self.beta[..., 0]
        else:
            total, alpha, beta = x1 + x2.mT, self.alpha, self.beta
        return (beta / (total + beta)) ** alpha


class Asymptotes(NamedTuple):
    """The information of curves about their asymptotes, (groups, m) each."""

    mean: Tensor
    """m_i."""
    variance: Tensor
    """1/l_i."""
    evidence: Tensor
    """log p(y_i) less log N(m_i; f(x_i), 1/l_i), which does not depend on f."""


class CurveProcess(torch.nn.Module):
    """Kernels and noise of groups of curves, with their priors.

    Args:
        groups: Number of groups.
        dimension: Number of hyperparameters of a configuration.
    """

    def __init__(self, groups: int, dimension: int) -> None:
        super().__init__()
        batch = torch.Size([groups])
        self.decay = ScaleKernel(ExponentialDecayKernel(batch_shape=batch), batch_shape=batch).double()
        self.asymptote = ScaleKernel(
            MaternKernel(2.5, ard_num_dims=dimension, batch_shape=batch), batch_shape=batch
        ).double()
        self.register_parameter("raw_noise", torch.nn.Parameter(torch.full((groups,), -7.0, dtype=torch.float64)))
        self.constraint = GreaterThan(SMALLEST_NOISE)

    @property
    def noise(self) -> Tensor:
        """Noise variance, (groups,)."""
        noise: Tensor = self.constraint.transform(self.raw_noise)
        return noise

    def log_prior(self) -> Tensor:
        """Log density of all hyperparameters: log-normal, wide, for standardized data and t in (0, 1]; ()."""
        decay, asymptote = self.decay, self.asymptote
        terms = (
            (decay.outputscale, 0.0, 1.0),
            (decay.base_kernel.alpha, 0.0, 1.0),
            (decay.base_kernel.beta, -1.0, 1.0),
            (asymptote.outputscale, 0.0, 1.0),
            (asymptote.base_kernel.lengthscale, 1.0, 1.0),
            (self.noise, math.log(1e-3), 2.0),
        )
        densities = [LogNormalPrior(mean, sd).log_prob(value).sum() for value, mean, sd in terms]
        return sum(densities, start=torch.zeros((), dtype=torch.float64))

    def factors(self, times: Tensor, seen: Tensor) -> Tensor:
        """Cholesky factors of the K_i at `times` (T,), rows of the identity where `seen` (groups, m, T) is false."""
        covariance = self.decay(times[:, None]).to_dense() + self.noise[:, None, None] * torch.eye(len(times)).double()
        mask = seen.unsqueeze(-1) & seen.unsqueeze(-2)
        masked = torch.where(mask, covariance.unsqueeze(1), 0.0) + torch.diag_embed((~seen).double())
        factors: Tensor = torch.linalg.cholesky(masked)
        return factors

    def asymptotes(self, factors: Tensor, y: Tensor, seen: Tensor) -> Asymptotes:
        """Compute l_i and m_i from y (groups, m, T), which is 0 where not seen."""
        both = torch.linalg.solve_triangular(factors, torch.stack([y, seen.double()], -1), upper=False)
        of_y, of_one = both.unbind(-1)
        precision = of_one.square().sum(-1)
        mean = (of_one * of_y).sum(-1) / precision
        squares = of_y.square().sum(-1) - mean.square() * precision
        log_determinant = 2 * factors.diagonal(dim1=-2, dim2=-1).log().sum(-1)
        constant = (seen.sum(-1) - 1) * math.log(2 * math.pi)
        return Asymptotes(mean, 1 / precision, -0.5 * (squares + log_determinant + precision.log() + constant))

    def log_likelihood(self, X: Tensor, times: Tensor, y: Tensor, seen: Tensor) -> Tensor:
        """log p(y) of each group, (groups,), for X (groups, m, d)."""
        asymptotes = self.asymptotes(self.factors(times, seen), y, seen)
        covariance = self.asymptote(X).to_dense() + torch.diag_embed(asymptotes.variance)
        if X.shape[1] == 1:
            joint: Tensor = Normal(0.0, covariance[..., 0].sqrt()).log_prob(asymptotes.mean).sum(-1)
        else:
            joint = MultivariateNormal(torch.zeros_like(asymptotes.mean), covariance).log_prob(asymptotes.mean)
        return joint + asymptotes.evidence.sum(-1)


LEARNING_RATE = 0.05


class DecayingCurves(CurveModel):
    """A separate Gaussian process for each curve: asymptote, decay and noise.

    Args:
        updates: Number of updates of the hyperparameters by Adam.

    Raises:
        UserError: a setting out of range.
    """

    together = False

    def __init__(self, updates: int = 200) -> None:
        self.updates = require_count("updates", updates)

    def _fit(self, observed: ObservedCurves, seed: int) -> None:
        inputs = torch.from_numpy(observed.configurations)
        self.inputs = standardizer("configurations", inputs, -2)
        values = observed.points()[1]
        self.targets = standardizer("curves", values, -1)
        y = torch.from_numpy(self.targets.transform(np.where(observed.seen, observed.values, self.targets.mean)))
        seen = torch.from_numpy(observed.seen)
        longest = int(observed.lengths.max())
        y, seen = y[:, :longest], seen[:, :longest]
        X = self.inputs.transform(inputs)
        axis = 0 if self.together else 1
        self.X, self.y, self.seen = X.unsqueeze(axis), torch.where(seen, y, 0.0).unsqueeze(axis), seen.unsqueeze(axis)
        self.times = torch.from_numpy(observed.times[:longest])
        self.process = CurveProcess(len(self.X), X.shape[-1])
        optimizer = torch.optim.Adam(self.process.parameters(), lr=LEARNING_RATE)
        for _ in range(self.updates):
            optimizer.zero_grad()
            likelihood = self.process.log_likelihood(self.X, self.times, self.y, self.seen).sum()
            loss = -likelihood - self.process.log_prior()
            loss.backward()
            optimizer.step()
        with torch.no_grad():
            self.factors = self.process.factors(self.times, self.seen)
            self.asymptotes = self.process.asymptotes(self.factors, self.y, self.seen)

    @torch.no_grad()
    def _extrapolate(self, observed: ObservedCurves, times: NDArray[np.float64]) -> CurvePrediction:
        mean, variance = self._asymptotes(self.X)
        process, t = self.process, torch.from_numpy(times)
        across = process.decay(t[:, None], self.times[:, None]).to_dense().unsqueeze(1) * self.seen.unsqueeze(-2)
        solved = torch.linalg.solve_triangular(self.factors, across.mT, upper=False)  # (groups, m, T, k)
        data = torch.linalg.solve_triangular(self.factors, torch.stack([self.y, self.seen.double()], -1), upper=False)
        from_y, from_one = (solved.mT @ data).unbind(-1)
        share = 1 - from_one
        left = process.decay(t[:, None], diag=True).unsqueeze(1) - solved.square().sum(-2)
        mean = from_y + share * mean.unsqueeze(-1)
        variance = left.clamp_min(0) + share.square() * variance.unsqueeze(-1) + process.noise[:, None, None]
        return self._units(mean.flatten(0, 1), variance.flatten(0, 1))

    def _asymptotes(self, X: Tensor) -> tuple[Tensor, Tensor]:
        """Mean and variance of f at X (groups, q, d): (groups, q) each."""
        kernel = self.process.asymptote
        across = kernel(X, self.X).to_dense()
        covariance = kernel(self.X).to_dense() + torch.diag_embed(self.asymptotes.variance)
        factor = torch.linalg.cholesky(covariance)
        mean = across @ torch.cholesky_solve(self.asymptotes.mean.unsqueeze(-1), factor)
        solved = torch.linalg.solve_triangular(factor, across.mT, upper=False)
        variance = kernel(X, diag=True) - solved.square().sum(-2)
        return mean.squeeze(-1), variance.clamp_min(0)

    def _units(self, mean: Tensor, variance: Tensor) -> CurvePrediction:
        return CurvePrediction(self.targets.inverse(mean.numpy()), self.targets.inverse_variance(variance.numpy()))


class FreezeThaw(DecayingCurves, GlobalCurveModel):
    """One process for all curves, whose asymptotes are correlated between similar configurations."""

    together = True

    @torch.no_grad()
    def _predict(self, configurations: NDArray[np.float64], times: NDArray[np.float64]) -> CurvePrediction:
        X = self.inputs.transform(torch.from_numpy(configurations)).unsqueeze(0)
        mean, variance = self._asymptotes(X)
        decay = self.process.decay(torch.from_numpy(times)[:, None], diag=True)  # (1, k)
        total = variance.unsqueeze(-1) + decay.unsqueeze(1) + self.process.noise[:, None, None]
        return self._units(mean.unsqueeze(-1).expand_as(total)[0], total[0])
