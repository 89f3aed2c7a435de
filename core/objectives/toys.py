"""The toy problems of BOHAMIANN: a noisy sinc function, and a mixture of two modes.

The bimodal posterior of thesis 3.5.1 and Fig 3.2: Welling and Teh (2011), Section 5.1.

    theta_0 ~ Normal(0, 10),   theta_1 ~ Normal(0, 1)                                   (variances)
    x_i ~ 1/2 Normal(theta_0, sigma_x^2) + 1/2 Normal(theta_0 + theta_1, sigma_x^2),    i = 1..N

with sigma_x^2 = 2 known, N = 100 points drawn with theta = (0, 1). Exchanging the two components leaves the likelihood
unchanged, so the posterior has a mode near (0, 1) and one near (1, -1). The thesis states no priors; these are Welling
and Teh's, and `priors=False` leaves them out, as the authors' code does. What is left cannot be normalized, but where a
component is far from all data it is about 2^-N of a mode. Parameters are batched over chains, shape (chains, 2).

The sinc toy of the thesis' Fig. 3.1: 20 noise-free observations of a function of one input.

The thesis gives neither the scaling of the function nor the interval. Ours are those of the examples that its authors
published with their code: f(x) = sin(pi u) / (pi u) with u = 10 x - 5, on [0, 1], which ends at the fifth zero on each
side of the peak. Points are uniform at random in [0, 1]; predictions are evaluated on a grid over [-1, 2], whose
middle third lies between data and whose rest is extrapolation.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd
import torch
from torch import Tensor

from core.foundation.randomness import Generators, uniform_


@dataclass(frozen=True)
class Sinc:
    """Training data and evaluation grid; inputs carry a feature axis of length 1.

    Args:
        points: Number of observations per run.
        interval: Interval in which the observations lie.
        extent: Interval in which predictions are evaluated.
    """

    points: int = 20
    interval: tuple[float, float] = (0.0, 1.0)
    extent: tuple[float, float] = (-1.0, 2.0)

    def __call__(self, X: Tensor) -> Tensor:
        """f at X (..., 1): (...)."""
        return torch.sinc(10 * X.squeeze(-1) - 5)

    def observations(self, generators: Generators, runs: int = 1) -> tuple[Tensor, Tensor]:
        """Uniform inputs (runs, points, 1) and noise-free targets (runs, points), float64 on the CPU."""
        low, high = self.interval
        X = low + (high - low) * uniform_(torch.empty(runs, self.points, 1, dtype=torch.float64), generators)
        return X, self(X)

    def grid(self, size: int = 601) -> Tensor:
        """Equally spaced inputs over the extent, (size, 1)."""
        return torch.linspace(*self.extent, size, dtype=torch.float64).unsqueeze(-1)


def prediction_records(
    runs: Sequence[int], X: Tensor, y: Tensor, grid: Tensor, mean: Tensor, variance: Tensor
) -> pd.DataFrame:
    """Records of a fit: rows of part "data" hold the training points (sd 0), those of part "grid" the prediction.

    Args:
        runs: Numbers of the repetitions.
        X, y: Inputs and targets as returned by `Sinc.observations`.
        grid: Inputs of the grid, (size, 1).
        mean, variance: Mean and variance of the prediction on the grid, (runs, size), or (1, size) if all repetitions
            share it.
    """
    mean, variance = (values.detach().cpu().expand(len(runs), -1) for values in (mean, variance))
    frames = []
    for index, run in enumerate(runs):
        data = {"x": X[index, :, 0], "mean": y[index], "sd": 0.0}
        prediction = {"x": grid[:, 0], "mean": mean[index], "sd": variance[index].sqrt()}
        for part, columns in (("data", data), ("grid", prediction)):
            frames.append(pd.DataFrame({"run": run, "part": part, **columns}))
    return pd.concat(frames, ignore_index=True)


THETA = (0.0, 1.0)
NOISE_VARIANCE = 2.0
PRIOR_VARIANCE = (10.0, 1.0)


@dataclass(frozen=True)
class TwoModeMixture:
    """The posterior given `observations`: (N,), the same for all chains, or (chains, N), a data set for each."""

    observations: torch.Tensor
    priors: bool = True

    @classmethod
    def generate(
        cls, generator: torch.Generator, points: int = 100, dtype: torch.dtype = torch.float64
    ) -> TwoModeMixture:
        """Draw the data from the model at theta = (0, 1), on the generator's device."""
        device = generator.device
        second = torch.rand(points, generator=generator, dtype=dtype, device=device) < 0.5
        noise = torch.randn(points, generator=generator, dtype=dtype, device=device)
        return cls(THETA[0] + THETA[1] * second + math.sqrt(NOISE_VARIANCE) * noise)

    def log_posterior(self, theta: torch.Tensor) -> torch.Tensor:
        """log p(theta, x) = -U(theta), the joint density with all its constants: theta (..., 2) -> (...)."""
        first, second = self._log_components(theta, self.observations)
        log_likelihood = (torch.logaddexp(first, second) - math.log(2)).sum(-1)
        if not self.priors:
            return log_likelihood
        variance = theta.new_tensor(PRIOR_VARIANCE)
        return log_likelihood - 0.5 * (theta.square() / variance + (2 * math.pi * variance).log()).sum(-1)

    def gradient(self, theta: torch.Tensor, batch: torch.Tensor | None = None) -> torch.Tensor:
        """Gradient of U = -log_posterior, shape (chains, 2), at theta, shape (chains, 2).

        `batch`, shape (chains, B), holds the indices of each chain's minibatch, whose likelihood terms are scaled by
        N / B; without it all points count once.
        """
        x = self.observations
        if batch is not None:
            x = x.expand(len(batch), -1).gather(1, batch)
        first, second = self._log_components(theta, x)
        share = torch.sigmoid(second - first)
        residual = x - theta[:, :1]
        from_second = share * (residual - theta[:, 1:])
        likelihood = torch.stack([((1 - share) * residual + from_second).sum(1), from_second.sum(1)], dim=1)
        scale = self.observations.shape[-1] / x.shape[-1] / NOISE_VARIANCE
        return -scale * likelihood + (theta / theta.new_tensor(PRIOR_VARIANCE) if self.priors else 0)

    def log_density_grid(self, theta_0: torch.Tensor, theta_1: torch.Tensor) -> torch.Tensor:
        """The posterior's log density on the grid theta_0 (G0,) x theta_1 (G1,), shape (G0, G1).

        Normalized by the sum over the grid, which must therefore be evenly spaced and cover both modes.
        """
        joint = self.log_posterior(torch.stack(torch.meshgrid(theta_0, theta_1, indexing="ij"), dim=-1))
        cell = (theta_0[1] - theta_0[0]) * (theta_1[1] - theta_1[0])
        return joint - joint.flatten().logsumexp(0) - cell.log()

    def _log_components(self, theta: torch.Tensor, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """log Normal(x; theta_0, .) and log Normal(x; theta_0 + theta_1, .), theta (..., 2), x (..., B)."""
        constant = -0.5 * math.log(2 * math.pi * NOISE_VARIANCE)
        residual = x - theta[..., :1]
        first = constant - residual.square() / (2 * NOISE_VARIANCE)
        second = constant - (residual - theta[..., 1:]).square() / (2 * NOISE_VARIANCE)
        return first, second
