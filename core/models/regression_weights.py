"""What Bayesian linear regression knows of its weights: predictions, their change with further outcomes, and draws.

The symbols are those of `core.models.linear_regression`: K^-1 = V diag(variances) V' and m are the posterior's.
"""

from __future__ import annotations

from typing import NamedTuple

from torch import Tensor

from core.foundation.randomness import Generators, normal_
from core.models.mixture import Moments, pick


class Weights(NamedTuple):
    """Normal posteriors of w: m (M, runs, D), V (runs, D, D), and the variances along V's columns (M, runs, D)."""

    mean: Tensor
    basis: Tensor
    variances: Tensor

    def marginals(self, features: Tensor) -> tuple[Tensor, Tensor]:
        """m' phi and phi' K^-1 phi at features (..., runs, q, D): (M, ..., runs, q) each."""
        mean, variances, features = self._aligned(features)
        along = features @ self.basis
        return (features @ mean).squeeze(-1), (along.square() @ variances).squeeze(-1)

    def joint(self, features: Tensor) -> tuple[Tensor, Tensor]:
        """Mean (M, ..., runs, q) and covariance Phi K^-1 Phi' (M, ..., runs, q, q)."""
        mean, variances, features = self._aligned(features)
        along = features @ self.basis
        return (features @ mean).squeeze(-1), (along * variances.mT) @ along.mT

    def conditioned(self, features: Tensor, inverse: Tensor, surprise: Tensor) -> Moments:
        """As `GaussianMixtureModel.conditioned`, of features: (runs, J, D), then (..., runs, q, D).

        The outcomes change m and K^-1 once, so that a prediction costs O(D^2) however many there are: with the
        covariances B = K^-1 Phi_J' of the weights with the outcomes and the inverse S^-1 of the outcomes' covariance,
        the mean becomes m + B S^-1 surprise, and the covariance K^-1 - B S^-1 B'.
        """
        along = self.variances.unsqueeze(-1) * (features @ self.basis).mT  # B in the basis V, (M, runs, D, J)
        gain = along @ inverse
        shifts = self.basis @ (gain @ surprise.unsqueeze(-1))  # (F, M, runs, D, 1)
        removed = gain @ along.mT

        def moments(features: Tensor) -> tuple[Tensor, Tensor]:
            mean, variance = self.marginals(features)
            between = tuple(1 for _ in features.shape[:-3])
            shift = features @ shifts.view(*shifts.shape[:2], *between, *shifts.shape[2:])
            inside = features @ self.basis
            explained = ((inside @ removed.view(len(removed), *between, *removed.shape[1:])) * inside).sum(-1)
            return mean + shift.squeeze(-1), variance - explained

        return moments

    def draw(self, members: Tensor, generators: Generators) -> Tensor:
        """Weights drawn from the members (runs, count): (count, runs, D)."""
        noise = normal_(self.mean.new_empty(*members.shape, self.mean.shape[-1]), generators).transpose(0, 1)
        scaled = pick(self.variances, members).sqrt() * noise
        return pick(self.mean, members) + (self.basis @ scaled.unsqueeze(-1)).squeeze(-1)

    def _aligned(self, features: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Mean and variances as columns (M, 1..., runs, D, 1) beside features (..., runs, q, D)."""
        shape = (len(self.mean), *(1 for _ in features.shape[:-3]), *self.mean.shape[1:], 1)
        return self.mean.reshape(shape), self.variances.reshape(shape), features
