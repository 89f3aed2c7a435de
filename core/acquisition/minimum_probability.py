"""The probability that each of Z jointly Gaussian values is the smallest, by expectation propagation.

    p_min(j) = P(f_j <= f_i for all i) = integral N(f; mu, Sigma) prod_{i != j} Theta(f_i - f_j) df

(thesis, Eq. 4.1), which is the mass that the Gaussian of the differences u_i = f_i - f_j, i != j, has in the positive
orthant. EP replaces each factor by an unnormalized Gaussian site exp(nu_i u_i - tau_i u_i^2 / 2) (Cunningham,
Hennig and Lacoste-Julien, "Gaussian probabilities and expectation propagation", 2011). Here all sites are updated at
once, with damping, for all j and all Gaussians of a batch together; every step is one batched Cholesky decomposition of

    B = I + S K S,    S = diag(tau)^1/2,    K the covariance of u,

which has eigenvalues of at least 1 whatever K is: degenerate covariances are no special case.

At EP's fixed point log p_min does not change with the sites to first order. So its gradient with respect to mu and
Sigma is that of its explicit part alone, with the sites held fixed, which autograd takes.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor

SWEEPS = 100
DAMPING = 0.8  # of each update, the share that is made
TOLERANCE = 1e-8  # on the change of the log probabilities
FLOOR = (
    1e-12  # independent variance of each value, relative to the largest: values that are one share their probability
)
CANCELLED = 1e-9  # smallest share of a marginal's precision that a cavity is left with
SHARPEST = 1e12  # largest precision of a site, relative to the prior's: in an orthant without mass it has no bound
HOPELESS = -300.0  # log probability
FAR = -50.0  # below it the truncated variance cancels, and its series is exact to rounding


def log_minimum_probabilities(mean: Tensor, covariance: Tensor) -> Tensor:
    """log p_min of each value, normalized, differentiable in both arguments.

    Args:
        mean: (..., Z) float64.
        covariance: (..., Z, Z), symmetric positive semidefinite.

    Returns:
        (..., Z); a single value has probability one.

    Raises:
        ValueError: shapes that do not fit, or numbers that are not finite.
    """
    _check(mean, covariance)
    size = mean.shape[-1]
    if size == 1:
        return torch.zeros_like(mean)
    scaled, covariance, _ = _rescaled(mean, covariance)
    m, K = _differences(scaled, covariance)
    m, bound, hopeless = _bounded(m, K)
    with torch.no_grad():
        tau, nu, rest = _sites(m, K)
    return _normalized(rest + _explicit(m, K, tau, nu), bound, hopeless)


class Response(NamedTuple):
    """How log p_min moves with the Gaussian, to second order in the mean and to first order in the covariance.

    log_probability: (..., Z), as `log_minimum_probabilities`.
    slope: derivative g_j of each unnormalized log p_min(j) with respect to the mean, (..., Z, Z), j first.
    bend: W_j, positive semidefinite, (..., Z, Z, Z), j first. The derivative with respect to the covariance is
        (g_j g_j' - W_j) / 2, hence the second derivative with respect to the mean -W_j, for the two are related by
        the heat equation, d p / d Sigma = (d^2 p / d mu^2) / 2.
    """

    log_probability: Tensor
    slope: Tensor
    bend: Tensor


@torch.no_grad()
def linear_response(mean: Tensor, covariance: Tensor) -> Response:
    """log p_min with its derivatives; arguments and errors as for `log_minimum_probabilities`.

    For a value whose probability is next to zero the derivatives are zero.
    """
    _check(mean, covariance)
    size = mean.shape[-1]
    if size == 1:
        return Response(
            torch.zeros_like(mean), torch.zeros_like(covariance), torch.zeros_like(covariance).unsqueeze(-1)
        )
    scaled, covariance, unit = _rescaled(mean, covariance)
    m, K = _differences(scaled, covariance)
    m, bound, hopeless = _bounded(m, K)
    tau, nu, rest = _sites(m, K)
    log_probability = _normalized(rest + _explicit(m, K, tau, nu), bound, hopeless)
    root, factor = _factor(K, tau)
    half = torch.linalg.solve_triangular(factor, torch.diag_embed(root), upper=False)  # of (K + T^-1)^-1 = half' half
    # The slope is K^-1 times the step from the prior's mean to the posterior's; the latter is nu - T times that mean.
    right = (nu - tau * m).unsqueeze(-1)
    slope = right - half.mT @ (half @ (K @ right))
    to_values = _to_values(size, mean)
    spread = half @ to_values
    alive = (~hopeless).to(mean.dtype).unsqueeze(-1)
    slope = (to_values.mT @ slope).squeeze(-1) * alive / unit.unsqueeze(-1)
    bend = (spread.mT @ spread) * alive.unsqueeze(-1) / unit[..., None, None].square()
    return Response(log_probability, slope, bend)


def _to_values(size: int, like: Tensor) -> Tensor:
    """From values to their differences from value j, (Z, Z - 1, Z) with j first."""
    identity = torch.eye(size, dtype=like.dtype, device=like.device)
    kept = ~torch.eye(size, dtype=torch.bool, device=like.device)
    return torch.stack([identity[kept[j]] - identity[j] for j in range(size)])


def _bounded(m: Tensor, K: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Means with those of hopeless values set to zero, the bounds of all log probabilities, and which are hopeless.

    An orthant has no more mass than its half spaces, P(f_j < f_i). Where one has next to none, EP's terms cancel.
    """
    bound = torch.special.log_ndtr(m / K.diagonal(dim1=-2, dim2=-1).sqrt()).amin(-1)
    hopeless = bound < HOPELESS
    return torch.where(hopeless.unsqueeze(-1), 0.0, m), bound, hopeless


def _normalized(found: Tensor, bound: Tensor, hopeless: Tensor) -> Tensor:
    return torch.log_softmax(torch.where(hopeless, bound, torch.minimum(found, bound)), dim=-1)


def _check(mean: Tensor, covariance: Tensor) -> None:
    if mean.ndim < 1 or mean.shape[-1] < 1 or covariance.shape != (*mean.shape, mean.shape[-1]):
        raise ValueError(
            f"log_minimum_probabilities: mean {tuple(mean.shape)} and covariance {tuple(covariance.shape)}, "
            "expected (..., Z) and (..., Z, Z)"
        )
    if not (torch.isfinite(mean).all() and torch.isfinite(covariance).all()):
        raise ValueError("log_minimum_probabilities: a mean or a covariance that is not finite")


def _rescaled(mean: Tensor, covariance: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Both in a unit, (..., 1), in which the largest variance, or without any the spread of the means, is one.

    Two values that are always equal have a difference without variance, of which the sign means nothing: hence FLOOR.
    """
    largest = covariance.detach().diagonal(dim1=-2, dim2=-1).amax(-1, keepdim=True).sqrt()
    spread = (mean.detach() - mean.detach().amin(-1, keepdim=True)).amax(-1, keepdim=True)
    unit = torch.where(largest > FLOOR * spread, largest, spread)
    unit = torch.where(unit > 0, unit, 1.0)
    floor = FLOOR * torch.eye(mean.shape[-1], dtype=mean.dtype, device=mean.device)
    centred = mean - mean.detach().amin(-1, keepdim=True)
    return centred / unit, covariance / unit.unsqueeze(-1) / unit.unsqueeze(-1) + floor, unit


def _differences(mean: Tensor, covariance: Tensor) -> tuple[Tensor, Tensor]:
    """Mean (..., Z, Z - 1) and covariance (..., Z, Z - 1, Z - 1) of f_i - f_j, i != j; the axis of j comes first."""
    size = mean.shape[-1]
    others = torch.arange(size, device=mean.device).expand(size, size)
    others = others[~torch.eye(size, dtype=torch.bool, device=mean.device)].view(size, size - 1)  # of each j
    m = mean[..., others] - mean.unsqueeze(-1)
    own = covariance.diagonal(dim1=-2, dim2=-1)
    cross = covariance.gather(-1, others.expand(*covariance.shape[:-1], size - 1))  # Sigma_j,i
    pairs = covariance[..., others.unsqueeze(-1), others.unsqueeze(-2)]
    K = pairs - cross.unsqueeze(-1) - cross.unsqueeze(-2) + own[..., None, None]
    return m, K


def _sites(m: Tensor, K: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """EP's fixed point: tau and nu (..., Z, Z - 1), and what the sites add to log p_min, (..., Z)."""
    tau, nu = torch.zeros_like(m), torch.zeros_like(m)
    before = torch.full_like(m[..., 0], torch.inf)
    sharpest = SHARPEST / K.diagonal(dim1=-2, dim2=-1)
    for _ in range(SWEEPS):
        posterior_mean, posterior_variance = _marginals(m, K, tau, nu)
        # Of the cavity; positive, as all sites are log-concave, but for rounding where others contradict the site.
        precision = (1 - tau * posterior_variance).clamp_min(CANCELLED) / posterior_variance
        shift = posterior_mean / posterior_variance - nu
        log_mass, mean, variance = _truncated(shift / precision, 1 / precision)
        rest = (log_mass + _log_partition(precision, shift)).sum(-1)
        rest = rest - _log_partition(1 / posterior_variance, posterior_mean / posterior_variance).sum(-1)
        value = rest + _explicit(m, K, tau, nu)
        if (value - before).abs().max() < TOLERANCE:
            break
        before = value
        wanted = torch.minimum((1 / variance - precision).clamp_min(0), sharpest)
        tau, nu = tau + DAMPING * (wanted - tau), nu + DAMPING * (mean * (precision + wanted) - shift - nu)
    return tau, nu, rest


def _marginals(m: Tensor, K: Tensor, tau: Tensor, nu: Tensor) -> tuple[Tensor, Tensor]:
    """Means and variances of the Gaussian times its sites, (K^-1 + T)^-1 = K - K S B^-1 S K, each (..., Z, Z - 1)."""
    root, factor = _factor(K, tau)
    half = torch.linalg.solve_triangular(factor, root.unsqueeze(-1) * K, upper=False)
    variance = K.diagonal(dim1=-2, dim2=-1) - half.square().sum(-2)
    right = (nu - tau * m).unsqueeze(-1)
    step = K @ right - half.mT @ (half @ right)  # the posterior covariance times nu - T m
    smallest = torch.finfo(m.dtype).eps * K.diagonal(dim1=-2, dim2=-1)
    return m + step.squeeze(-1), torch.maximum(variance, smallest)


def _explicit(m: Tensor, K: Tensor, tau: Tensor, nu: Tensor) -> Tensor:
    """log of the integral of N(u; m, K) exp(nu' u - u' T u / 2), (..., Z)."""
    root, factor = _factor(K, tau)
    right = (nu - tau * m).unsqueeze(-1)
    solved = torch.linalg.solve_triangular(factor, root.unsqueeze(-1) * (K @ right), upper=False)
    # With u = m + v the exponent is nu' m - m' T m / 2 + (nu - T m)' v - v' T v / 2.
    quadratic = (right.mT @ K @ right).squeeze(-1).squeeze(-1) - solved.square().sum((-2, -1))
    constant = (nu * m - 0.5 * tau * m.square()).sum(-1)
    return constant + 0.5 * quadratic - factor.diagonal(dim1=-2, dim2=-1).log().sum(-1)


def _factor(K: Tensor, tau: Tensor) -> tuple[Tensor, Tensor]:
    """S as a vector, and the Cholesky factor of B."""
    root = tau.sqrt()
    B = root.unsqueeze(-1) * K * root.unsqueeze(-2) + torch.eye(K.shape[-1], dtype=K.dtype, device=K.device)
    return root, torch.linalg.cholesky(B)


def _log_partition(precision: Tensor, shift: Tensor) -> Tensor:
    """log of the integral of exp(shift u - precision u^2 / 2), but for log(2 pi) / 2."""
    return 0.5 * (shift.square() / precision - precision.log())


def _truncated(mean: Tensor, variance: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """log mass, mean and variance of N(mean, variance) on the positive half of the line."""
    deviation = variance.sqrt()
    z = mean / deviation
    hazard = math.sqrt(2 / math.pi) / torch.special.erfcx(-z / math.sqrt(2))  # phi(z) / Phi(z)
    far = torch.where(z < FAR, z, FAR).square()
    shrink = torch.where(z < FAR, (1 - 6 / far + 50 / far.square()) / far, 1 - hazard * (z + hazard))
    moved = torch.where(z < FAR, (1 - 2 / far + 10 / far.square()) / far.sqrt(), z + hazard)
    return torch.special.log_ndtr(z), deviation * moved, variance * shrink
