"""The Gaussian process behind `core.models.gaussian_process`: kernel, prior and likelihood, many vectors at once.

    k(x, x') = nu (1 + sqrt(5) r + 5/3 r^2) exp(-sqrt(5) r),   r^2 = sum_k (x_k - x'_k)^2 / l_k^2     (thesis Eq. 2.3)

(the thesis prints r^2 as a distance and diag(lambda) where its inverse square must stand). With input warping (Snoek et
al. 2014) each x_k is first bent by the Kumaraswamy distribution function, w(x) = 1 - (1 - x^a)^b, as BoTorch's `Warp`.

    log p(y | Theta) = -1/2 y' C^-1 y - 1/2 log |C| - N/2 log(2 pi),   C = k(X, X) + sigma^2 I

The vector Theta, of length P = d + 2 (3 d + 2 with warping), holds logarithms: log l_k, log nu, log sigma^2, then
log a_k, log b_k. Its prior is that of thesis section 4.4.4 where it applies:

    log l_k      uniform on [-10, 2]; inputs lie in the unit cube, so that this covers noise to nearly constant
    log nu       normal, mean 0, variance 1
    sigma^2      horseshoe of scale 0.1; kept above 1e-8, the numerical floor of the factorisation
    log a_k, b_k normal, mean 0, variance 0.75 (ours: BoTorch's suggestion, the thesis does not warp)

Targets have mean 0 and variance 1. Shapes: X (runs, N, d), y (runs, N), Theta (M, runs, P) for M vectors a run.
"""

import math
from typing import NamedTuple

import torch
from torch import Tensor

from core.models import hyperpriors
from core.randomness import Generators, uniform_

LOG_LENGTHSCALE_RANGE = (-10.0, 2.0)
LOG_AMPLITUDE_RANGE = (-10.0, 10.0)
LOG_NOISE_RANGE = (math.log(1e-8), 5.0)
LOG_WARP_RANGE = (-5.0, 5.0)
NOISE_SCALE = 0.1
WARP_SD = math.sqrt(0.75)
EDGE = 1e-7  # inputs are kept this far inside the unit interval, where powers have finite derivatives


class Hyperparameters(NamedTuple):
    """Theta (..., P) in its parts; `warp` is (log a, log b), each (..., d), or None."""

    log_lengthscale: Tensor
    log_amplitude: Tensor
    log_noise: Tensor
    warp: tuple[Tensor, Tensor] | None


def unpack(theta: Tensor, d: int) -> Hyperparameters:
    """Views of theta (..., d + 2) or (..., 3 d + 2): (..., d), (...), (...) and the warps."""
    warp = (theta[..., d + 2 : 2 * d + 2], theta[..., 2 * d + 2 :]) if theta.shape[-1] > d + 2 else None
    return Hyperparameters(theta[..., :d], theta[..., d], theta[..., d + 1], warp)


def bounds(d: int, warped: bool) -> Tensor:
    """Range of every entry of Theta, (2, P) float64."""
    ranges = [LOG_LENGTHSCALE_RANGE] * d + [LOG_AMPLITUDE_RANGE, LOG_NOISE_RANGE] + [LOG_WARP_RANGE] * (2 * d * warped)
    return torch.tensor(ranges, dtype=torch.float64).T


def log_prior(theta: Tensor, d: int) -> Tensor:
    """Log density of the prior, up to a constant, -inf outside `bounds`: (...) for theta (..., P)."""
    parts = unpack(theta, d)
    low, high = bounds(d, parts.warp is not None).to(theta.device)
    value = hyperpriors.normal(parts.log_amplitude, 0, 1) + hyperpriors.horseshoe(parts.log_noise, NOISE_SCALE)
    if parts.warp is not None:
        value = value + sum(hyperpriors.normal(logs, 0, WARP_SD).sum(-1) for logs in parts.warp)
    return value.masked_fill(((theta < low) | (theta > high)).any(-1), -math.inf)


def warp(X: Tensor, log_a: Tensor, log_b: Tensor) -> Tensor:
    """Kumaraswamy's distribution function of every input; X in [0, 1], shapes broadcast."""
    inner = X * (1 - 2 * EDGE) + EDGE
    return 1 - (1 - inner ** log_a.exp()) ** log_b.exp()


def scale_inputs(X: Tensor, parts: Hyperparameters) -> Tensor:
    """Warped inputs divided by their length scales: X (..., runs, q, d) to (M, ..., runs, q, d)."""

    def beside(values: Tensor) -> Tensor:
        return values.reshape(len(values), *(1 for _ in X.shape[:-3]), *values.shape[1:-1], 1, values.shape[-1])

    if parts.warp is not None:
        X = warp(X, *(beside(logs) for logs in parts.warp))
    return X / beside(parts.log_lengthscale.exp())


def kernel(A: Tensor, B: Tensor) -> Tensor:
    """Matern-5/2 with nu = 1 of scaled inputs (..., n, d) and (..., m, d): (..., n, m)."""
    r = math.sqrt(5) * torch.cdist(A, B, compute_mode="donot_use_mm_for_euclid_dist")
    return (1 + r + r.square() / 3) * (-r).exp()


def covariance(X: Tensor, parts: Hyperparameters) -> Tensor:
    """C = k(X, X) + sigma^2 I for X (runs, N, d): (M, runs, N, N)."""
    scaled = scale_inputs(X, parts)
    C = parts.log_amplitude.exp()[..., None, None] * kernel(scaled, scaled)
    return C + torch.diag_embed(parts.log_noise.exp().unsqueeze(-1).expand(C.shape[:-1]))


def log_likelihood(X: Tensor, y: Tensor, theta: Tensor) -> Tensor:
    """Log marginal likelihood of each vector, (M, runs); -inf where C cannot be factorised."""
    factor, info = torch.linalg.cholesky_ex(covariance(X, unpack(theta, X.shape[-1])))
    targets = y.unsqueeze(-1).expand(*factor.shape[:-1], 1)
    whitened = torch.linalg.solve_triangular(factor, targets, upper=False).squeeze(-1)
    log_determinant = factor.diagonal(dim1=-2, dim2=-1).log().sum(-1)
    value = -0.5 * whitened.square().sum(-1) - log_determinant - 0.5 * y.shape[-1] * math.log(2 * math.pi)
    return value.masked_fill((info > 0) | ~torch.isfinite(value), -math.inf)


def log_posterior(X: Tensor, y: Tensor, theta: Tensor) -> Tensor:
    """Log marginal likelihood plus log prior, (M, runs); -inf outside the range of the prior."""
    low, high = bounds(X.shape[-1], theta.shape[-1] > X.shape[-1] + 2).to(theta.device)
    return log_likelihood(X, y, theta.clamp(low, high)) + log_prior(theta, X.shape[-1])


def centre(X: Tensor, warping: bool) -> Tensor:
    """A moderate Theta (P,): length scales of half a cube's diagonal, unit amplitude, noise variance 1e-3, no warp."""
    d = X.shape[-1]
    centre = torch.zeros(3 * d + 2 if warping else d + 2, dtype=X.dtype, device=X.device)
    centre[:d] = min(math.log(0.5 * math.sqrt(d)), 1.5)
    centre[d + 1] = math.log(1e-3)
    return centre


def around(X: Tensor, count: int, warping: bool, generators: Generators) -> Tensor:
    """Starting points (runs, count, P), uniform within half a unit of the centre in each logarithm."""
    middle = centre(X, warping)
    return middle + uniform_(X.new_empty(len(X), count, len(middle)), generators) - 0.5
