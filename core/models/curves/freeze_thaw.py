"""Gaussian processes of exponentially decaying curves, `core.models.curves.decay_kernel`: for all curves together as in
Freeze-Thaw (Swersky et al. 2014), and for each on its own, the thesis' GP (section 5.4.2).

Hyperparameters maximize the posterior density (Swersky et al. sample them). Configurations and curves are standardized.
"""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from core.foundation.validation import require_count
from core.models.curves.base import CurveModel, CurvePrediction, GlobalCurveModel
from core.models.curves.data import ObservedCurves
from core.models.curves.decay_kernel import CurveProcess
from core.models.ensemble import standardizer

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
