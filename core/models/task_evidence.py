"""The summed evidence of several Bayesian linear regressions on shared features, with its gradient (ABLR, Eq. 3).

    y_t = Phi_t w_t + noise,   w_t ~ N(0, I / alpha_t),   noise ~ N(0, 1 / beta_t),   r = beta / alpha
    J = sum_t N/2 log(2 pi / beta) + beta/2 (|e|^2 + |m|^2 / r) + 1/2 log|K|,   e = y - Phi m

With N observations and D features, K and the posterior mean m are, whichever is the smaller problem,

    N >= D    K = I + r Phi' Phi  (D, D),    m = r K^-1 Phi' y
    N < D     K = I + r Phi Phi'  (N, N),    m = r Phi' K^-1 y,    e = K^-1 y

so that a task costs O(N D^2) at most, linear in N, and a factorisation of min(N, D). The gradient is exact; with the
effective number of parameters gamma = trace(I - K^-1), the same in both forms,

    dJ/dPhi = r Phi (I + r Phi' Phi)^-1 - beta e m' = r (I + r Phi Phi')^-1 Phi - beta e m'
    dJ/dlog alpha = (alpha |m|^2 - gamma) / 2,    dJ/dlog beta = (beta |e|^2 + gamma - N) / 2

By hand this takes two thirds of the time of autograd through the factorisation (`benchmarks`). The paper's Eq. 3 has
|y|^2 - r |L^-1 Phi' y|^2 for |e|^2 + |m|^2 / r: the same number, which rounding can make negative where the noise is
small.

Shapes: Phi (runs, T, N, D), y (runs, T, N) and logarithms (runs, T). Signals of the same evaluations share their
features: then T is 1 in Phi and their number in the others. Everything is float64.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor


class Evidence(NamedTuple):
    """J (runs,) and its derivatives in Phi, log alpha and log beta, each in the shape of these."""

    value: Tensor
    features: Tensor
    log_alpha: Tensor
    log_beta: Tensor


def negative_log_evidence(features: Tensor, y: Tensor, log_alpha: Tensor, log_beta: Tensor) -> Evidence:
    """J and its gradient, for tasks of equal size.

    Where a run's features or precisions are not finite, so is its J.
    """
    points, width = features.shape[-2:]
    alpha, beta = log_alpha.exp(), log_beta.exp()
    ratio = (beta / alpha)[..., None, None]
    targets = y.unsqueeze(-1)
    wide = points < width
    gram = features @ features.mT if wide else features.mT @ features
    eye = torch.eye(gram.shape[-1], dtype=gram.dtype, device=gram.device)
    factor, failed = torch.linalg.cholesky_ex(eye + ratio * gram)
    inverse = torch.cholesky_inverse(factor)
    if wide:
        residual = inverse @ targets
        mean = ratio * (features.mT @ residual)
        slope = inverse @ features
    else:
        mean = ratio * (inverse @ (features.mT @ targets))
        residual = targets - features @ mean
        slope = features @ inverse
    squares, weights = residual.square().sum((-2, -1)), mean.square().sum((-2, -1))
    effective = gram.shape[-1] - inverse.diagonal(dim1=-2, dim2=-1).sum(-1)
    values = (
        0.5 * points * (math.log(2 * math.pi) - log_beta)
        + 0.5 * (beta * squares + alpha * weights)
        + factor.diagonal(dim1=-2, dim2=-1).log().sum(-1)
    )
    slope = ratio * slope - (beta[..., None, None] * residual) @ mean.mT
    return Evidence(
        torch.where(failed > 0, torch.nan, values).sum(-1),
        slope.sum(1, keepdim=True) if features.shape[1] < slope.shape[1] else slope,
        0.5 * (alpha * weights - effective),
        0.5 * (beta * squares + effective - points),
    )
