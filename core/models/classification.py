"""Bayesian linear classification on fixed features for DNGO's constraint network (section 3.2), batched over runs.

    w ~ N(0, I / alpha),   P[c_n = 1 | w] = l(a_n),   a_n = w' psi_n,   s_n = +1 where c_n = 1, -1 elsewhere

logistic: l(a) = 1 / (1 + exp(-a)), by Laplace's approximation (Bishop 2006, section 4.5): a normal at the mode of the
posterior with its curvature, and the corresponding evidence,

    H = alpha I + Psi' diag(l_n (1 - l_n)) Psi,   log p(c | alpha) =~ sum_n log l(s_n a_n) - alpha/2 w' w
                                                                      + D/2 log alpha - 1/2 log |H|

step: l(a) = 1 where a > 0. The paper covers it with the same sentence about Laplace, but the posterior is then the
prior restricted to the cone of all w that classify every point correctly: its mode is the tip w = 0 and its logarithm
has no curvature. What we need is the cone's mean and covariance, which expectation propagation gives (Minka 2001, the
"Bayes point machine"; Rasmussen and Williams 2006, section 3.6): exp(nu_n a_n - tau_n a_n^2 / 2) replaces every step,
with the moments of the true product matched one point at a time. Only the direction of w matters, so alpha is 1. The
step is blurred to Phi(a / SLACK), since features that cannot separate the classes would leave an empty cone.

Shapes: Psi (runs, N, D), s (runs, N), alpha (G,); posteriors (G, runs, ...), G = 1 for the step.
"""

import math
from typing import NamedTuple

import torch
from torch import Tensor

SLACK = 1e-2
NEWTON_STEPS = 50
STEP_LENGTHS = (1.0, 0.5, 0.25, 0.1, 0.01, 0.0)
SWEEPS = 200
DAMPING = 0.5
PRECISION = 1e-8


class Posterior(NamedTuple):
    """Normal approximations N(mean, precision^-1) of p(w | c, alpha): (G, runs, D) and (G, runs, D, D).

    `factor` is the lower triangular factor of the precision; log evidences are (G, runs).
    """

    mean: Tensor
    factor: Tensor
    log_evidence: Tensor

    def activation(self, features: Tensor) -> tuple[Tensor, Tensor]:
        """Mean and variance of a = w' psi at features (..., runs, q, D): (G, ..., runs, q) each."""
        between = tuple(1 for _ in features.shape[:-3])
        mean = self.mean.view(len(self.mean), *between, *self.mean.shape[1:], 1)
        factor = self.factor.view(len(self.mean), *between, *self.factor.shape[1:])
        whitened = torch.linalg.solve_triangular(factor, features.mT, upper=False)
        return (features @ mean).squeeze(-1), whitened.square().sum(-2)


def logistic_posterior(features: Tensor, signs: Tensor, alphas: Tensor) -> Posterior:
    """Laplace's approximation for the logistic likelihood, by Newton steps with the best of several lengths."""
    runs, _, width = features.shape
    alphas = alphas.view(-1, 1, 1)
    signed = signs.unsqueeze(-1) * features
    w = features.new_zeros(len(alphas), runs, width)

    def objective(w: Tensor) -> Tensor:
        fit = torch.nn.functional.logsigmoid((signed @ w.unsqueeze(-1)).squeeze(-1)).sum(-1)
        return fit - 0.5 * alphas.squeeze(-1) * w.square().sum(-1)

    lengths = features.new_tensor(STEP_LENGTHS).view(-1, 1, 1, 1)
    for _ in range(NEWTON_STEPS):
        margins, factor = _curvature(w, signed, features, alphas)
        gradient = (signed.mT @ torch.sigmoid(-margins).unsqueeze(-1)).squeeze(-1) - alphas * w
        direction = torch.cholesky_solve(gradient.unsqueeze(-1), factor).squeeze(-1)
        candidates = w + lengths * direction
        best = objective(candidates).argmax(0)
        moved = candidates.gather(0, best[None, ..., None].expand(1, *w.shape)).squeeze(0)
        done = (moved - w).abs().max() < PRECISION
        w = moved
        if done:
            break
    factor = _curvature(w, signed, features, alphas)[1]
    log_determinant = factor.diagonal(dim1=-2, dim2=-1).log().sum(-1)
    return Posterior(w, factor, objective(w) + 0.5 * width * alphas.squeeze(-1).log() - log_determinant)


def _curvature(w: Tensor, signed: Tensor, features: Tensor, alphas: Tensor) -> tuple[Tensor, Tensor]:
    """s_n a_n (G, runs, N) and the Cholesky factor of H."""
    margins = (signed @ w.unsqueeze(-1)).squeeze(-1)
    probability = torch.sigmoid(margins)
    weights = probability * (1 - probability)
    identity = torch.eye(features.shape[-1], dtype=features.dtype, device=features.device)
    H = features.mT @ (weights.unsqueeze(-1) * features) + alphas.unsqueeze(-1) * identity
    return margins, torch.linalg.cholesky(H)


def step_posterior(features: Tensor, signs: Tensor) -> Posterior:
    """Expectation propagation for the step likelihood, all points at once with damping; G = 1, no evidence (zeros)."""
    signed = signs.unsqueeze(-1) * features
    precision, shift = torch.zeros_like(signs), torch.zeros_like(signs)  # tau and nu for s_n a_n
    identity = torch.eye(features.shape[-1], dtype=features.dtype, device=features.device)
    for _ in range(SWEEPS):
        factor = torch.linalg.cholesky(signed.mT @ (precision.unsqueeze(-1) * signed) + identity)
        w = torch.cholesky_solve(signed.mT @ shift.unsqueeze(-1), factor)
        mean = (signed @ w).squeeze(-1)
        variance = torch.linalg.solve_triangular(factor, signed.mT, upper=False).square().sum(-2)
        new_precision, new_shift = _match(mean, variance, precision, shift)
        change = ((new_precision - precision).abs() / (1 + precision)).max()
        precision = precision + DAMPING * (new_precision - precision)
        shift = shift + DAMPING * (new_shift - shift)
        if change < PRECISION:
            break
    return Posterior(w.squeeze(-1).unsqueeze(0), factor.unsqueeze(0), mean.new_zeros(1, len(features)))


def _match(mean: Tensor, variance: Tensor, precision: Tensor, shift: Tensor) -> tuple[Tensor, Tensor]:
    """New tau and nu from the marginals of s_n a_n: the cavity, its product with the blurred step, its moments."""
    cavity_precision = (1 / variance - precision).clamp(min=1e-12)
    cavity_variance = 1 / cavity_precision
    cavity_mean = (mean / variance - shift) * cavity_variance
    total = cavity_variance + SLACK**2
    z = cavity_mean / total.sqrt()
    ratio = (-0.5 * z.square() - 0.5 * math.log(2 * math.pi) - torch.special.log_ndtr(z)).exp()
    # With curvature k = ratio (z + ratio) in (0, 1), the matched variance is v - v^2 k / total.
    curvature = (ratio * (z + ratio)).clamp(0, 1)
    new_precision = curvature / (SLACK**2 + cavity_variance * (1 - curvature))
    matched = cavity_mean + cavity_variance * ratio / total.sqrt()
    new_shift = matched * (cavity_precision + new_precision) - cavity_mean * cavity_precision
    return new_precision, new_shift
