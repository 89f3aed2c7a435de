"""DNGO's features by evidence maximization, the alternative that Snoek et al. (ICML 2015), section 3.1.2, weigh against
the MAP estimate of `core.models.representation`.

The weights theta of the network, below its output layer, maximize the log marginal likelihood of Eq. 8 together with
the regression's precisions,

    J(theta, alpha, beta) = -1/N log p(y | X, alpha, beta; phi(.; theta)) + decay/2 |theta|^2

by the same descent as the MAP estimate and with as many updates (momentum, rate falling to 0, gradients of at most unit
length). Each update uses all data: the evidence is not a sum over points, so a minibatch would estimate something else.
Every update differentiates through the factorisation of K = beta Phi' Phi + alpha I, a D x D matrix, which is what the
paper avoids. log alpha and log beta stay in the ranges of `core.models.linear_regression`'s prior.

Only the features are kept; DNGO then integrates out alpha and beta as always. Everything is float64, since the
factorisation of K amplifies rounding. Shapes: X (runs, N, d), y (runs, N), standardized.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from core.foundation.randomness import Generators
from core.models.linear_regression import PRIOR_ROWS
from core.models.network import MLP
from core.models.representation import Representation

LOG_BETA_AT_FIRST = math.log(100.0)  # a noise of one tenth of the targets' standard deviation


class EvidenceRepresentation(Representation):
    """Networks of one architecture, one per run, that maximize the evidence; settings as `Representation`.

    Attributes (after `fit`):
        theta: Weights (runs, P) float64; those of the output layer only decay.
        log_alpha, log_beta: Logarithms of the precisions that maximize the evidence, (runs,).
    """

    def fit(self, X: Tensor, y: Tensor, generators: Generators) -> EvidenceRepresentation:
        """Train on standardized X (runs, N, d) and y (runs, N), with one generator per run or one for all."""
        X, y = X.double(), y.double()
        self.network = MLP((X.shape[-1], *self.widths, 1))
        theta = self.network.init(generators, len(X), X.device).double()
        position = torch.cat([theta, torch.zeros_like(theta[:, :2])], 1)
        position[:, -1] = LOG_BETA_AT_FIRST
        (low_alpha, high_alpha), (low_noise, high_noise) = ((row.low, row.high) for row in PRIOR_ROWS)
        velocity, updates = torch.zeros_like(position), self.updates(X.shape[1])
        for taken in range(updates):
            gradient = self._gradient(position, X, y)
            self.step(position, velocity, gradient, self.learning_rate * (1 - taken / updates))
            position[:, -2].clamp_(low_alpha, high_alpha)
            position[:, -1].clamp_(-high_noise, -low_noise)
        self.theta, self.log_alpha, self.log_beta = position[:, :-2], position[:, -2], position[:, -1]
        return self

    def updates(self, points: int) -> int:
        """Number of updates of a training on N points: as many as minibatches would make."""
        return self.epochs * math.ceil(points / self.batch_size)

    def _gradient(self, position: Tensor, X: Tensor, y: Tensor) -> Tensor:
        """dJ of every run, (runs, P + 2), at positions of theta, log alpha and log beta."""
        with torch.enable_grad():
            position = position.detach().requires_grad_()
            self.theta = position[:, :-2]
            evidence = log_evidence(self.features(X), y, position[:, -2], position[:, -1])
            objective = 0.5 * self.weight_decay * self.theta.square().sum() - evidence.sum() / y.shape[1]
            return torch.autograd.grad(objective, position)[0]


def log_evidence(features: Tensor, y: Tensor, log_alpha: Tensor, log_beta: Tensor) -> Tensor:
    """Eq. 8 as printed, differentiable in everything: Phi (runs, N, D), y (runs, N), logarithms (runs,) to (runs,).

    Raises:
        torch.linalg.LinAlgError: K is not finite or not positive definite in double precision.
    """
    points, width = features.shape[-2:]
    alpha, beta = log_alpha.exp(), log_beta.exp()
    diagonal = alpha[:, None, None] * torch.eye(width, dtype=features.dtype, device=features.device)
    factor = torch.linalg.cholesky(beta[:, None, None] * features.mT @ features + diagonal)
    mean = beta[:, None, None] * torch.cholesky_solve(features.mT @ y.unsqueeze(-1), factor)
    residual = y.unsqueeze(-1) - features @ mean
    value: Tensor = (
        0.5 * width * log_alpha
        + 0.5 * points * (log_beta - math.log(2 * math.pi))
        - 0.5 * beta * residual.square().sum((-2, -1))
        - 0.5 * alpha * mean.square().sum((-2, -1))
        - factor.diagonal(dim1=-2, dim2=-1).log().sum(-1)
    )
    return value
