"""The bimodal posterior of thesis 3.5.1 and Fig 3.2: Welling and Teh (2011), Section 5.1.

    theta_0 ~ Normal(0, 10),   theta_1 ~ Normal(0, 1)                                   (variances)
    x_i ~ 1/2 Normal(theta_0, sigma_x^2) + 1/2 Normal(theta_0 + theta_1, sigma_x^2),    i = 1..N

with sigma_x^2 = 2 known, N = 100 points drawn with theta = (0, 1). Exchanging the two components leaves the likelihood
unchanged, so the posterior has a mode near (0, 1) and one near (1, -1). The thesis states no priors; these are Welling
and Teh's, and `priors=False` leaves them out, as the authors' code does. What is left cannot be normalized, but where a
component is far from all data it is about 2^-N of a mode. Parameters are batched over chains, shape (chains, 2).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch

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
