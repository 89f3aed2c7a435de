"""The mass that a Gaussian has in the positive orthant, by expectation propagation, for a batch of Gaussians at once.

EP replaces each factor Theta(u_i) by an unnormalized Gaussian site exp(nu_i u_i - tau_i u_i^2 / 2) (Cunningham, Hennig
and Lacoste-Julien, "Gaussian probabilities and expectation propagation", 2011). Here all sites are updated at once,
with damping, for all Gaussians together; every step is one batched Cholesky decomposition of

    B = I + S K S,    S = diag(tau)^1/2,    K the covariance of u,

which has eigenvalues of at least 1 for every covariance K, degenerate ones included. A difference of two covariances
may have negative eigenvalues by rounding; sites can then become so precise that B is not positive definite. All results
for such a Gaussian are nan; those of the others in a batch are not affected.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor

SWEEPS = 100
DAMPING = 0.8  # share of each update that is made
CANCELLED = 1e-9  # smallest share of a marginal's precision that a cavity is left with
SHARPEST = 1e12  # largest precision of a site, relative to the prior's: in an orthant without mass it has no bound
FAR = -50.0  # below it the truncated variance cancels, and its series is exact to rounding


class Sites(NamedTuple):
    """EP's fixed point: tau and nu (..., n), and the two parts of the log mass of the orthant, (...); nan if none."""

    tau: Tensor
    nu: Tensor
    rest: Tensor
    log_mass: Tensor


class Tilted(NamedTuple):
    """N(u; m, K) times the sites exp(nu' u - u' T u / 2): its mean and variance, (..., n), and log mass, (...)."""

    mean: Tensor
    variance: Tensor
    log_mass: Tensor


def find_sites(m: Tensor, K: Tensor, tolerance: float) -> Sites:
    """EP's fixed point for each Gaussian of a batch; each stops when its own posterior means have settled.

    They settle later than the log mass, which is stationary at the fixed point, and its derivatives need them.

    Args:
        m: Means of u, (..., n).
        K: Covariances, (..., n, n), positive semidefinite, with positive diagonals.
        tolerance: Tolerance on the change of posterior means in a sweep, in standard deviations of u, times the share
            of the orthant's mass in the total over the last batch axis, so that negligible orthants are left out.
    """
    shape, size = m.shape[:-1], m.shape[-1]
    m, K = m.reshape(-1, size), K.reshape(-1, size, size)
    nothing = torch.zeros_like(m[:, 0])
    sites = Sites(torch.zeros_like(m), torch.zeros_like(m), nothing, nothing.clone())
    active, previous = torch.arange(len(m), device=m.device), torch.full_like(m, torch.inf)
    for sweep in range(SWEEPS):
        active_m, active_K = (m, K) if len(active) == len(m) else (m[active], K[active])
        tau, nu = sites.tau[active], sites.nu[active]
        posterior = tilt(active_m, active_K, tau, nu)
        # Of the cavity; positive, as all sites are log-concave, but for rounding where others contradict the site.
        precision = (1 - tau * posterior.variance).clamp_min(CANCELLED) / posterior.variance
        shift = posterior.mean / posterior.variance - nu
        log_mass, mean, variance = _truncated(shift / precision, 1 / precision)
        rest = (log_mass + _log_partition(precision, shift)).sum(-1)
        rest = rest - _log_partition(1 / posterior.variance, posterior.mean / posterior.variance).sum(-1)
        sites.rest[active], sites.log_mass[active] = rest, posterior.log_mass
        prior = active_K.diagonal(dim1=-2, dim2=-1)
        change = ((posterior.mean - previous).abs() / prior.sqrt()).amax(-1)
        change = change * torch.softmax((sites.rest + sites.log_mass).view(shape), -1).flatten()[active]
        moving = change >= tolerance  # never of nan
        if sweep == SWEEPS - 1 or not moving.any():
            break
        wanted = torch.minimum((1 / variance - precision).clamp_min(0), SHARPEST / prior)
        tau, nu = tau + DAMPING * (wanted - tau), nu + DAMPING * (mean * (precision + wanted) - shift - nu)
        active, previous = active[moving], posterior.mean[moving]
        sites.tau[active], sites.nu[active] = tau[moving], nu[moving]
    return Sites(*(part.reshape(*shape, *part.shape[1:]) for part in sites))


def tilt(m: Tensor, K: Tensor, tau: Tensor, nu: Tensor) -> Tilted:
    """Multiply N(u; m, K) by its sites.

    The covariance is (K^-1 + T)^-1 = K - K S B^-1 S K; the mean moves from m by its product with nu - T m.
    """
    root, factor = factorize(K, tau)
    half = torch.linalg.solve_triangular(factor, root.unsqueeze(-1) * K, upper=False)
    variance = K.diagonal(dim1=-2, dim2=-1) - half.square().sum(-2)
    right = (nu - tau * m).unsqueeze(-1)
    whole, part = K @ right, half @ right
    # With u = m + v the exponent is nu' m - m' T m / 2 + (nu - T m)' v - v' T v / 2.
    constant = (nu * m - 0.5 * tau * m.square()).sum(-1)
    quadratic = (right * whole).sum((-2, -1)) - part.square().sum((-2, -1))
    return Tilted(
        m + (whole - half.mT @ part).squeeze(-1),
        torch.maximum(variance, torch.finfo(m.dtype).eps * K.diagonal(dim1=-2, dim2=-1)),
        constant + 0.5 * quadratic - factor.diagonal(dim1=-2, dim2=-1).log().sum(-1),
    )


def factorize(K: Tensor, tau: Tensor) -> tuple[Tensor, Tensor]:
    """S as a vector, and the Cholesky factor of B, nan where it has none."""
    root = tau.sqrt()
    B = root.unsqueeze(-1) * K * root.unsqueeze(-2) + torch.eye(K.shape[-1], dtype=K.dtype, device=K.device)
    factor, info = torch.linalg.cholesky_ex(B)
    return root, factor if not info.any() else factor.masked_fill((info > 0)[..., None, None], torch.nan)


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
