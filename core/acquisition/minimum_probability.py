"""The probability that each of Z jointly Gaussian values is the smallest, by expectation propagation.

    p_min(j) = P(f_j <= f_i for all i) = integral N(f; mu, Sigma) prod_{i != j} Theta(f_i - f_j) df

(thesis, Eq. 4.1), which is the mass that the Gaussian of the differences u_i = f_i - f_j, i != j, has in the positive
orthant: `core.acquisition.orthant` finds it by EP, for all j and all Gaussians of a batch together.

At EP's fixed point log p_min does not change with the sites to first order. So its gradient with respect to mu and
Sigma is that of its explicit part alone, with the sites held fixed, which autograd takes.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from core.acquisition.orthant import factorize, find_sites, tilt

TOLERANCE = 1e-8  # on the change of posterior means in a sweep, in standard deviations of the Gaussian
FLOOR = 1e-12  # independent variance of each value, relative to the largest: equal values share their probability
HOPELESS = -300.0  # log probability


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
        sites = find_sites(m, K, TOLERANCE)
    return _normalized(sites.rest + tilt(m, K, sites.tau, sites.nu).log_mass, bound, hopeless)


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
def linear_response(mean: Tensor, covariance: Tensor, tolerance: float = TOLERANCE) -> Response:
    """log p_min with its derivatives; arguments and errors as for `log_minimum_probabilities`.

    Args:
        tolerance: on the change of posterior means in a sweep of EP, in standard deviations of the Gaussian, weighted
            by the probability.

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
    tau, nu, rest, log_mass = find_sites(m, K, tolerance, weighted=True)
    log_probability = _normalized(rest + log_mass, bound, hopeless)
    root, factor = factorize(K, tau)
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
