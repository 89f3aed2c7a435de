"""The log posterior density of Theta (`core.models.matern`) with its gradient, for one run, and its maximum.

With M = alpha alpha' - C^-1 and alpha = C^-1 y, the derivative of log p(y | Theta) is 1/2 tr(M dC) (Rasmussen and
Williams 2006, Eq. 5.9). The inputs z = sqrt(5) w(x) / l, bent and scaled, have distances s, and

    k = (1 + s + s^2 / 3) exp(-s),    dk / d(s^2) = -1/6 (1 + s) exp(-s)

so that with W_ij = M_ij nu/3 (1 + s_ij) exp(-s_ij) the derivatives, all of log p(y | Theta), are

    z_ik          g_ik = -sum_j W_ij (z_ik - z_jk)
    log l_k       sum_{i > j} W_ij (z_ik - z_jk)^2
    log sigma^2   1/2 sigma^2 tr M
    log nu        1/2 (y' alpha - N) - 1/2 sigma^2 tr M,    for the two together scale C
    log a_k, b_k  sum_i g_ik dz_ik

Pairs of points go through compiled loops; LAPACK factorises C and inverts it. The lower triangle of a matrix in the
order of C is the upper triangle of its transpose, which LAPACK takes in place.
"""

import math
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numba
import numpy as np
from scipy.linalg import lapack
from scipy.optimize import minimize

from core.compiled.arguments import EDGE, Priors, fingerprint
from core.compiled.gaussian_process import exponential
from core.compiled.slice import log_prior

IMPOSSIBLE = 1e10  # minus the log density where it does not exist: a line search turns back
REORDER = {"contract", "reassoc", "nsz"}  # sums over pairs may be taken in any order


def maximize(X: np.ndarray, y: np.ndarray, priors: Priors, starts: np.ndarray, iterations: int) -> np.ndarray:
    """The best Theta (P,) that L-BFGS-B finds from any of the starts (starts, P); X (d, N), y (N,), float64."""
    density = LogPosterior(X, y, priors)
    bounds = np.stack([priors.low, priors.high], 1)
    optima = [
        minimize(density.negative, start, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": iterations})
        for start in starts
    ]
    return min(optima, key=lambda result: result.fun).x


class LogPosterior:
    """log p(y | Theta) + log p(Theta) for one run: X (d, N), y (N,), float64, and the priors of Theta."""

    def __init__(self, X: np.ndarray, y: np.ndarray, priors: Priors) -> None:
        d, n = X.shape
        self.X, self.y, self.priors = np.ascontiguousarray(X), np.ascontiguousarray(y), priors
        self.scratch = Scratch(np.empty((d, n)), np.empty((2 * d, n)), np.empty((n, n)), np.empty((n, n)))
        self.constant = 0.5 * n * math.log(2 * math.pi)

    def negative(self, theta: np.ndarray) -> tuple[float, np.ndarray]:
        """Minus the density at theta (P,), and the gradient (P,) of that; `IMPOSSIBLE` and 0 where there is none."""
        covary, differentiate = _compile()
        gradient = np.zeros_like(theta)
        value = covary(theta, self.X, self.priors, self.scratch)
        matrix = self.scratch.C.T
        _, failed = lapack.dpotrf(matrix, lower=0, clean=0, overwrite_a=1)
        if failed or not math.isfinite(value):
            return IMPOSSIBLE, gradient
        alpha, _ = lapack.dpotrs(matrix, self.y, lower=0)
        value -= 0.5 * (self.y @ alpha) + np.log(matrix.diagonal()).sum() + self.constant
        lapack.dpotri(matrix, lower=0, overwrite_c=1)
        differentiate(theta, self.y, alpha, self.priors, self.scratch, gradient)
        if not (math.isfinite(value) and np.isfinite(gradient).all()):
            return IMPOSSIBLE, np.zeros_like(theta)
        return -value, -gradient


class Scratch(NamedTuple):
    """Room for one evaluation; of the square matrices the part below the diagonal is used, of C also the diagonal."""

    z: np.ndarray  # (d, N)
    slopes: np.ndarray  # (2 d, N): derivatives of z in log a_k, then in log b_k
    C: np.ndarray  # (N, N): C, its factor, its inverse
    W: np.ndarray  # (N, N): W / M


@cache
def _compile() -> tuple[Callable[..., Any], Callable[..., Any]]:
    sources = fingerprint()

    @numba.njit(cache=True, nogil=True, error_model="numpy")
    def covary(theta, X, priors, scratch):
        """Log prior; writes C and what the derivatives need of it to `scratch`."""
        sources  # noqa: B018
        _scale_inputs(theta, X, scratch)
        _correlate(scratch.z, np.exp(theta[len(X)]), np.exp(theta[len(X) + 1]), scratch.C, scratch.W)
        return log_prior(theta, priors)

    @numba.njit(cache=True, nogil=True, error_model="numpy")
    def differentiate(theta, y, alpha, priors, scratch, gradient):
        """Gradient (P,) of the log posterior, given alpha (N,) and C^-1 in `scratch.C`."""
        sources  # noqa: B018
        z, slopes, inverse = scratch.z, scratch.slopes, scratch.C
        d, n = z.shape
        trace, square = 0.0, 0.0
        for i in range(n):
            trace += alpha[i] ** 2 - inverse[i, i]
            square += y[i] * alpha[i]
        gradient[d + 1] = 0.5 * np.exp(theta[d + 1]) * trace
        gradient[d] = 0.5 * (square - n) - gradient[d + 1]
        g = np.zeros((d, n))
        _gather(alpha, inverse, scratch.W, z, g, gradient)
        if len(theta) > d + 2:
            for k in range(2 * d):
                for i in range(n):
                    gradient[d + 2 + k] += g[k % d, i] * slopes[k, i]
        _add_prior(theta, priors, gradient)

    return covary, differentiate


@numba.njit(error_model="numpy")
def _scale_inputs(theta, X, scratch):
    """z, and its slopes if Theta has warps."""
    d, n = X.shape
    for k in range(d):
        scale = np.sqrt(5) * np.exp(-theta[k])
        if len(theta) == d + 2:
            for i in range(n):
                scratch.z[k, i] = scale * X[k, i]
            continue
        a, b = np.exp(theta[d + 2 + k]), np.exp(theta[2 * d + 2 + k])
        for i in range(n):
            x = X[k, i] * (1 - 2 * EDGE) + EDGE
            rest = 1 - x**a
            power = rest**b
            scratch.z[k, i] = scale * (1 - power)
            scratch.slopes[k, i] = scale * a * b * (power / rest) * (1 - rest) * np.log(x)
            scratch.slopes[d + k, i] = -scale * b * power * np.log(rest)


@numba.njit(error_model="numpy", fastmath={"contract"})
def _correlate(z, amplitude, noise, C, W):
    """C up to its diagonal, and nu/3 (1 + s) exp(-s) below the diagonal of W."""
    d, n = z.shape
    for i in range(n):
        squares, weights = C[i], W[i]
        for j in range(i):
            squares[j] = 0.0
        for k in range(d):
            row, here = z[k], z[k, i]
            for j in range(i):
                squares[j] += (here - row[j]) * (here - row[j])
        for j in range(i):
            square = squares[j]
            s = np.sqrt(square)
            decay = amplitude * exponential(-s)
            weights[j] = (1 + s) * decay * (1 / 3.0)
            squares[j] = (1 + s + square * (1 / 3.0)) * decay
        C[i, i] = amplitude + noise


@numba.njit(error_model="numpy", fastmath=REORDER)
def _gather(alpha, inverse, W, z, g, gradient):
    """W from W / M; g (d, N) and the derivatives in log l_k are added up."""
    d, n = z.shape
    for i in range(n):
        weights, row = W[i], inverse[i]
        for j in range(i):
            weights[j] *= alpha[i] * alpha[j] - row[j]
        for k in range(d):
            here, there, forces = z[k, i], z[k], g[k]
            total, stretch = 0.0, 0.0
            for j in range(i):
                difference = here - there[j]
                force = weights[j] * difference
                forces[j] += force
                total += force
                stretch += force * difference
            forces[i] -= total
            gradient[k] += stretch


@numba.njit(error_model="numpy")
def _add_prior(theta, priors, gradient):
    """Add the gradient of `log_prior`."""
    for k in range(len(theta)):
        gradient[k] -= priors.precision[k] * (theta[k] - priors.mean[k])
        if not np.isnan(priors.log_scale[k]):
            ratio = 3 * np.exp(2 * (priors.log_scale[k] - theta[k]))
            gradient[k] += 1 - 2 * ratio / ((1 + ratio) * np.log1p(ratio))
