"""The Gaussian process behind `core.models.gaussian_process`: kernel, prior and likelihood, for many vectors at once.

    k(x, x') = nu (1 + sqrt(5) r + 5/3 r^2) exp(-sqrt(5) r),   r^2 = sum_k (x_k - x'_k)^2 / l_k^2     (thesis Eq. 2.3)

(the thesis prints r^2 as a distance and diag(lambda) where its inverse square belongs). With input warping (Snoek et
al. 2014) each x_k is first warped by the Kumaraswamy distribution function, w(x) = 1 - (1 - x^a)^b, as BoTorch's
`Warp`.

    log p(y | Theta) = -1/2 y' C^-1 y - 1/2 log |C| - N/2 log(2 pi),   C = k(X, X) + sigma^2 I

With a fidelity s, k is multiplied by phi(s)' L L' phi(s') of `core.models.kernels` (thesis Eq. 4.5).

The vector Theta, of length P = d + 2 (3 d + 2 with warping), holds logarithms: log l_k, log nu, log sigma^2, then
log a_k, log b_k, and last the entries of L. Its prior is that of thesis section 4.4.4 where it applies:

    log l_k      uniform on [-10, 2]; inputs lie in the unit cube, so this covers noise to nearly constant (in the
                 authors' code the same interval is that of log l_k^2, so that l_k < 2.7; here l_k < 7.4)
    log nu       normal, mean 0, variance 1
    sigma^2      horseshoe of scale 0.1; kept above 1e-8, the numerical floor of the factorisation
    log a_k, b_k normal, mean 0, variance 0.75 (ours: BoTorch's suggestion, the thesis does not warp)

Instead of the first, estimates can have a prior that grows with the dimension (`dimension_scaled`).

Targets have mean 0 and variance 1. Shapes: X (runs, N, d), y (runs, N), Theta (M, runs, P) for M vectors per run.
With a fidelity, X has the F columns phi(s) after the d of the configuration.

`draw_functions` draws functions drawn from the posterior of a Gaussian process, for Thompson sampling: a draw of the
prior, conditioned on the data (Matheron's rule; Wilson et al. 2020),

    f(x) = g(x) + k(x, X) C^-1 (y - g(X) - e),   e ~ N(0, sigma^2 I)
    g(x) = sqrt(2 nu / F) sum_j v_j cos(w_j' x / l + b_j)

where g has F random features with normal weights; the frequencies of the Matern-5/2 kernel follow a Student-t
distribution with 5 degrees of freedom. Only the prior is approximated by features: the data enter exactly.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from core.compiled.arguments import EDGE, Priors
from core.foundation.randomness import Generators, normal_, uniform_
from core.models import hyperpriors
from core.models.kernels import Basis

LENGTHSCALE = hyperpriors.Row(low=-10, high=2)
LOG_LENGTH, LENGTH_VARIANCE = math.sqrt(2), 3.0  # Hvarfner et al. (2024), for one dimension
LONGEST = 5.0
AMPLITUDE = hyperpriors.Row(low=-10, high=10, mean=0, sd=1)
NOISE = hyperpriors.Row(low=math.log(1e-8), high=5, scale=0.1)
WARP = hyperpriors.Row(low=-5, high=5, mean=0, sd=math.sqrt(0.75))


class Hyperparameters(NamedTuple):
    """Theta (..., P) in its parts; `warp` is (log a, log b), each (..., d), and `factor` L (..., F, F), or None."""

    log_lengthscale: Tensor
    log_amplitude: Tensor
    log_noise: Tensor
    warp: tuple[Tensor, Tensor] | None
    factor: Tensor | None


def unpack(theta: Tensor, d: int, basis: Basis | None = None) -> Hyperparameters:
    """Views of theta (..., d + 2) or (..., 3 d + 2), if there is a basis with the entries of L after these."""
    factor = None
    if basis is not None:
        theta, entries = theta.split([theta.shape[-1] - basis.entries, basis.entries], -1)
        factor = basis.factor(entries)
    warp = (theta[..., d + 2 : 2 * d + 2], theta[..., 2 * d + 2 :]) if theta.shape[-1] > d + 2 else None
    return Hyperparameters(theta[..., :d], theta[..., d], theta[..., d + 1], warp, factor)


def dimension_scaled(d: int) -> hyperpriors.Row:
    """A prior of length scales that grows with the dimension, for estimates: l_k ~ LogNormal(sqrt 2 + log(d) / 2, 3).

    Hvarfner, Hellsten and Nardi (2024), "Vanilla Bayesian Optimization Performs Great in High Dimensions". The density
    is that of l_k, as in BoTorch, whose default it is, not that of log l_k, which has another factor l_k: as a function
    of log l_k it is a normal whose mean is lower by the variance.
    """
    mean = LOG_LENGTH + 0.5 * math.log(d) - LENGTH_VARIANCE
    return hyperpriors.Row(low=-10, high=LONGEST, mean=mean, sd=math.sqrt(LENGTH_VARIANCE))


def priors(d: int, warped: bool, basis: Basis | None = None, lengthscale: hyperpriors.Row = LENGTHSCALE) -> Priors:
    """The prior of every entry of Theta."""
    rows = [lengthscale] * d + [AMPLITUDE, NOISE] + [WARP] * (2 * d * warped)
    return hyperpriors.independent(rows + ([] if basis is None else basis.priors))


def bounds(d: int, warped: bool, basis: Basis | None = None) -> Tensor:
    """Range of every entry of Theta, (2, P) float64."""
    table = priors(d, warped, basis)
    return torch.stack([torch.from_numpy(table.low), torch.from_numpy(table.high)])


def warp(X: Tensor, log_a: Tensor, log_b: Tensor) -> Tensor:
    """Kumaraswamy's distribution function of every input; X in [0, 1] or rounded from it, shapes broadcast."""
    inner = X.clamp(0, 1) * (1 - 2 * EDGE) + EDGE
    return 1 - (1 - inner ** log_a.exp()) ** log_b.exp()


def scale_inputs(X: Tensor, parts: Hyperparameters) -> Tensor:
    """Warped inputs divided by length scales, then loadings L' phi: X (..., runs, q, d + F) to (M, ..., q, d + F)."""
    d = parts.log_lengthscale.shape[-1]
    X, features = X[..., :d], X[..., d:]
    leading = [1] * (X.ndim - 3)  # axes of X as given: warping adds the axis of the members

    def beside(values: Tensor) -> Tensor:
        return values.reshape(len(values), *leading, *values.shape[1:-1], 1, values.shape[-1])

    if parts.warp is not None:
        X = warp(X, *(beside(logs) for logs in parts.warp))
    scaled = X / beside(parts.log_lengthscale.exp())
    if parts.factor is None:
        return scaled
    factor = parts.factor.reshape(len(parts.factor), *leading, *parts.factor.shape[1:])
    return torch.cat([scaled, features @ factor], -1)


class Matern(torch.autograd.Function):
    """k of scaled inputs, with a gradient that is one product: dk / d(r^2) = -5/6 (1 + s) exp(-s), s = sqrt(5) r."""

    @staticmethod
    def forward(ctx: Any, A: Tensor, B: Tensor) -> Tensor:
        s = math.sqrt(5) * torch.cdist(A, B, compute_mode="donot_use_mm_for_euclid_dist")
        decay = s.neg().exp_()
        slope = torch.addcmul(decay, s, decay)
        ctx.save_for_backward(A, B, slope)
        return torch.addcmul(slope, s.square_(), decay, value=1 / 3)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, Tensor | None]:
        A, B, slope = ctx.saved_tensors
        weight = gradient * slope * (-5 / 3)
        to_A, to_B = (
            (W.sum(-1, keepdim=True) * own - W @ other).sum_to_size(own.shape) if needed else None
            for W, own, other, needed in zip((weight, weight.mT), (A, B), (B, A), ctx.needs_input_grad, strict=True)
        )
        return to_A, to_B


_matern: Callable[[Tensor, Tensor], Tensor] = Matern.apply


def kernel(A: Tensor, B: Tensor, d: int | None = None) -> Tensor:
    """k with nu = 1 of scaled inputs (..., n, d) and (..., m, d): (..., n, m); after the first d come loadings."""
    if d is None or A.shape[-1] == d:
        return _matern(A, B)
    return _matern(A[..., :d], B[..., :d]) * (A[..., d:] @ B[..., d:].mT)


def own_variance(A: Tensor, d: int) -> Tensor:
    """k(x, x) with nu = 1 of scaled inputs (..., n, d): (..., n) or (..., 1); after the first d come loadings."""
    return A[..., d:].square().sum(-1) if A.shape[-1] > d else torch.ones_like(A[..., :1, 0])


def beside(values: Tensor, scaled: Tensor) -> Tensor:
    """Give values (M, runs, ...) the batch axes of scaled inputs (M, ..., runs, q, d)."""
    return values.reshape(len(values), *(1 for _ in scaled.shape[1:-3]), *values.shape[1:])


def covariance(X: Tensor, parts: Hyperparameters) -> Tensor:
    """C = k(X, X) + sigma^2 I for X (runs, N, d): (M, runs, N, N)."""
    scaled = scale_inputs(X, parts)
    C = parts.log_amplitude.exp()[..., None, None] * kernel(scaled, scaled, parts.log_lengthscale.shape[-1])
    return C + torch.diag_embed(parts.log_noise.exp().unsqueeze(-1).expand(C.shape[:-1]))


def log_likelihood(X: Tensor, y: Tensor, theta: Tensor, basis: Basis | None = None) -> Tensor:
    """Log marginal likelihood of each vector, (M, runs); -inf if C cannot be factorised."""
    factor, info = torch.linalg.cholesky_ex(covariance(X, unpack(theta, _dimension(X, basis), basis)))
    targets = y.unsqueeze(-1).expand(*factor.shape[:-1], 1)
    whitened = torch.linalg.solve_triangular(factor, targets, upper=False).squeeze(-1)
    log_determinant = factor.diagonal(dim1=-2, dim2=-1).log().sum(-1)
    value: Tensor = -0.5 * whitened.square().sum(-1) - log_determinant - 0.5 * y.shape[-1] * math.log(2 * math.pi)
    return value.masked_fill((info > 0) | ~torch.isfinite(value), -math.inf)


def log_posterior(X: Tensor, y: Tensor, theta: Tensor, basis: Basis | None = None) -> Tensor:
    """Log marginal likelihood plus log prior, (M, runs); -inf outside the range of the prior."""
    d = _dimension(X, basis)
    warped = theta.shape[-1] > d + 2 + (0 if basis is None else basis.entries)
    table = priors(d, warped, basis)
    low, high = bounds(d, warped, basis).to(theta.device)
    return log_likelihood(X, y, theta.clamp(low, high), basis) + hyperpriors.log_density(theta, table)


def centre(X: Tensor, warping: bool, basis: Basis | None = None) -> Tensor:
    """A moderate Theta (P,): length scales of half a cube's diagonal, unit amplitude, noise variance 1e-3, no warp.

    Entries of L have their prior means.
    """
    d = _dimension(X, basis)
    centre = torch.from_numpy(1 * priors(d, warping, basis).mean).to(X)
    centre[:d] = min(math.log(0.5 * math.sqrt(d)), 1.5)
    centre[d + 1] = math.log(1e-3)
    return centre


def around(X: Tensor, count: int, warping: bool, generators: Generators, basis: Basis | None = None) -> Tensor:
    """Starting points (runs, count, P), uniform within half a unit of the centre in each entry."""
    middle = centre(X, warping, basis)
    return middle + uniform_(X.new_empty(len(X), count, len(middle)), generators) - 0.5


def _dimension(X: Tensor, basis: Basis | None) -> int:
    """d, the number of columns of X but for the features."""
    return X.shape[-1] - (0 if basis is None else basis.size)


FEATURES = 1024


def draw_functions(
    X: Tensor, y: Tensor, parts: Hyperparameters, factor: Tensor, generators: Generators
) -> Callable[[Tensor], Tensor]:
    """One function for each vector of hyperparameters.

    Args:
        X, y: Inputs (runs, N, d) and standardized targets (runs, N).
        parts: Hyperparameters, (count, runs, ...).
        factor: Cholesky factor of C, (count, runs, N, N).

    Returns:
        at (..., runs, q, d) -> (count, ..., runs, q).
    """
    frequencies, phases, weights, errors = _prior_draw(X, factor.shape[0], generators)
    weights = weights * (2 / FEATURES * parts.log_amplitude.exp()).sqrt().unsqueeze(-1)

    def prior(scaled: Tensor) -> Tensor:
        waves = (scaled @ beside(frequencies.mT, scaled) + beside(phases.unsqueeze(-2), scaled)).cos()
        return (waves @ beside(weights.unsqueeze(-1), scaled)).squeeze(-1)

    scaled_data = scale_inputs(X, parts)
    residual = y - prior(scaled_data) - parts.log_noise.mul(0.5).exp().unsqueeze(-1) * errors
    correction = torch.cholesky_solve(residual.unsqueeze(-1), factor)
    correction = parts.log_amplitude.exp()[..., None, None] * correction

    def function(at: Tensor) -> Tensor:
        scaled = scale_inputs(at, parts)
        update = kernel(scaled, beside(scaled_data, scaled)) @ beside(correction, scaled)
        return prior(scaled) + update.squeeze(-1)

    return function


def _prior_draw(X: Tensor, count: int, generators: Generators) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Frequencies (count, runs, F, d), phases and weights (count, runs, F), and unit errors (count, runs, N)."""
    runs, n, d = X.shape
    normals = normal_(X.new_empty(runs, count, FEATURES * (d + 6) + n), generators).transpose(0, 1)
    features, errors = normals.split([FEATURES * (d + 6), n], -1)
    z, chi, weights = features.unflatten(-1, (FEATURES, d + 6)).split([d, 5, 1], -1)
    phases = uniform_(X.new_empty(runs, count, FEATURES), generators).transpose(0, 1) * (2 * math.pi)
    return z * (5 / chi.square().sum(-1, keepdim=True)).sqrt(), phases, weights.squeeze(-1), errors
