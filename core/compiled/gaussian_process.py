"""Slice sampling of the hyperparameters of `core.models.gaussian_process`, compiled: kernel, factorisation and prior of
`core.models.matern` for one vector Theta and one run, and the factor of `core.models.kernels` if there are features.

The kernel of all pairs of points is a few long loops that the compiler turns into vector instructions; C is factorised
by LAPACK. y is appended below C as a further row, which the factorisation turns into L^-1 y: with a corner z^2 larger
than y' C^-1 y, [[C, y], [y', z^2]] has the factor [[L, 0], [(L^-1 y)', .]].
"""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numba
import numpy as np
from llvmlite import ir
from numba.core import types
from numba.core.extending import intrinsic

from core.compiled.arguments import EDGE, Priors, fingerprint
from core.compiled.slice import DONE, STUCK, VALUE, begin, copy, log_prior, new_walk, require_moving, tell, usable

CORNER = 1e300
LOG2_E = 1.4426950408889634
LN2_HIGH, LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10
ROUND = 1.5 * 2.0**52  # added to |x| < 2^51, it leaves x rounded to a whole number in the lowest bits
LOWEST = -700.0  # its exp is 1e-304


class Data(NamedTuple):
    """Inputs by coordinate (runs, d, N), features phi (runs, F, N) and standardized targets (runs, N), float64.

    Without features, F = 0, the kernel is that of the inputs alone. The rank is the number of columns of L that have
    entries below the diagonal.
    """

    X: np.ndarray
    features: np.ndarray
    y: np.ndarray
    rank: int


def sample(
    data: Data, priors: Priors, start: np.ndarray, width: np.ndarray, seeds: np.ndarray, sweeps: tuple[int, int, int]
) -> np.ndarray:
    """Draws (samples, chains, P); arguments and errors as for `core.compiled.evidence.sample`."""
    kept = np.empty((sweeps[1], *start.shape))
    require_moving(_compile()(data, priors, start, new_walk(width), seeds, sweeps, kept))
    return kept


class Scratch(NamedTuple):
    """Room for one evaluation; the pairs (i, j), j < i, of the N points are in one row, i after i."""

    squares: np.ndarray  # (d, pairs): (x_ik - x_jk)^2, warped if Theta has warps
    warps: np.ndarray  # (d, 2): log a_k and log b_k with which `squares` were computed
    pairs: np.ndarray  # (pairs,)
    loadings: np.ndarray  # (F, N): L' phi
    C: np.ndarray  # (N + 1, N + 1)


@cache
def _compile() -> Callable[..., Any]:
    sources = fingerprint()

    @numba.njit(cache=True, nogil=True, error_model="numpy")
    def run(data, priors, start, walk, seeds, sweeps, kept):
        sources  # noqa: B018
        chains, length = start.shape
        burn_in, samples, thinning = sweeps
        scratch = new_scratch(data.X.shape[1], data.X.shape[2], data.features.shape[1])
        for chain in range(chains):
            which = chain * len(data.X) // chains
            X, features, y = data.X[which], data.features[which], data.y[which]
            for k in range(len(X)):
                scratch.warps[k, 0] = np.nan
            state = seeds[chain]
            copy(start[chain], walk.position)
            walk.numbers[VALUE] = log_posterior(walk.position, X, features, y, data.rank, priors, scratch)
            if not usable(walk.numbers[VALUE]):
                return chain
            for sweep in range(1, burn_in + samples * thinning + 1):
                for coordinate in range(length):
                    state = begin(walk, coordinate, state)
                    while walk.phase[0] > DONE:
                        state = tell(walk, log_posterior(walk.point, X, features, y, data.rank, priors, scratch), state)
                    if walk.phase[0] == STUCK:
                        return chain
                if sweep > burn_in and (sweep - burn_in) % thinning == 0:
                    copy(walk.position, kept[(sweep - burn_in) // thinning - 1, chain])
        return -1

    return run


@numba.njit
def new_scratch(d, n, features):
    """Room for N points in d dimensions; `squares` are computed if the first of `warps` is nan."""
    pairs = n * (n - 1) // 2
    loadings = np.empty((features, n))
    return Scratch(np.empty((d, pairs)), np.empty((d, 2)), np.zeros(pairs), loadings, np.empty((n + 1, n + 1)))


@numba.njit(error_model="numpy")
def log_posterior(theta, X, features, y, rank, priors, scratch):
    """Log marginal likelihood plus log prior; -inf outside the prior's range and if C cannot be factorised."""
    value = log_prior(theta, priors)
    if value == -np.inf:
        return value
    d, n = X.shape
    entries = 0  # of the Cholesky factor, the last of theta
    for r in range(1, len(features)):
        entries += min(r, rank) + 1
    warped = len(theta) > d + 2 + entries
    for k in range(d):
        log_a = theta[d + 2 + k] if warped else 0.0
        log_b = theta[2 * d + 2 + k] if warped else 0.0
        if scratch.warps[k, 0] != log_a or scratch.warps[k, 1] != log_b:
            scratch.warps[k, 0], scratch.warps[k, 1] = log_a, log_b
            _square_differences(X[k], warped, np.exp(log_a), np.exp(log_b), scratch.squares[k])
    amplitude, noise = np.exp(theta[d]), np.exp(theta[d + 1])
    _correlate(theta, scratch.squares, amplitude, scratch.pairs)
    _load(theta[len(theta) - entries :], features, rank, scratch.loadings)
    C, start = scratch.C, 0
    for i in range(n):
        for j in range(i):
            C[i, j] = scratch.pairs[start + j]
        C[i, i] = amplitude
        C[n, i] = y[i]
        if len(features):
            _weight(scratch.loadings, i, C[i])
        C[i, i] += noise
        start += i
    C[n, n] = CORNER
    try:
        L = np.linalg.cholesky(C)
    except Exception:
        return -np.inf
    square, log_determinant = 0.0, 0.0
    for j in range(n):
        square += L[n, j] ** 2
        log_determinant += np.log(L[j, j])
    value += -0.5 * square - log_determinant - 0.5 * n * np.log(2 * np.pi)
    return value if np.isfinite(value) else -np.inf


@numba.njit(error_model="numpy")
def _square_differences(x, warped, a, b, squares):
    """(w(x_i) - w(x_j))^2 of one coordinate (N,), for all pairs."""
    bent = np.empty(len(x))
    start = 0
    for i in range(len(x)):
        bent[i] = 1 - (1 - (x[i] * (1 - 2 * EDGE) + EDGE) ** a) ** b if warped else x[i]
        for j in range(i):
            squares[start + j] = (bent[i] - bent[j]) * (bent[i] - bent[j])
        start += i


@numba.njit(error_model="numpy", fastmath={"contract"})
def _correlate(theta, squares, amplitude, pairs):
    """nu k(x_i, x_j) for all pairs."""
    for k in range(len(squares)):
        row, precision, kept = squares[k], 5 * np.exp(-2 * theta[k]), min(k, 1)
        for p in range(len(pairs)):
            pairs[p] = kept * pairs[p] + precision * row[p]
    for p in range(len(pairs)):
        square = pairs[p]
        r = np.sqrt(square)
        pairs[p] = amplitude * (1.0 + r + square * (1.0 / 3.0)) * exponential(-r)


@numba.njit(error_model="numpy")
def _load(entries, features, rank, loadings):
    """L' phi, where L has the rows (1), (entries[0], exp entries[1]), (entries[2], entries[3], exp entries[4]), ...

    Between the first `rank` columns and the diagonal there are zeros, which are no entries.
    """
    place = 0
    for r in range(len(features)):
        for i in range(features.shape[1]):
            loadings[r, i] = 0.0
        for k in range(r + 1):
            if rank <= k < r:
                continue
            weight = 1.0 if r == 0 else np.exp(entries[place]) if k == r else entries[place]
            for i in range(features.shape[1]):
                loadings[k, i] += weight * features[r, i]
            place += min(r, 1)


@numba.njit(error_model="numpy", fastmath={"contract"})
def _weight(loadings, i, row):
    """Multiply the entries of row i up to its diagonal by phi_i' L L' phi_j."""
    for j in range(i + 1):
        product = 0.0
        for k in range(len(loadings)):
            product += loadings[k, i] * loadings[k, j]
        row[j] *= product


@numba.njit(forceinline=True)
def exponential(x):
    """exp of x <= 0 to 2e-16, without branches or calls: 2^k exp(f) with |f| <= log(2) / 2, a Taylor series."""
    x = max(x, LOWEST)
    shifted = x * LOG2_E + ROUND
    k = shifted - ROUND
    f = x - k * LN2_HIGH - k * LN2_LOW
    p = f * (1 / 6227020800.0) + 1 / 479001600.0
    p = p * f + 1 / 39916800.0
    p = p * f + 1 / 3628800.0
    p = p * f + 1 / 362880.0
    p = p * f + 1 / 40320.0
    p = p * f + 1 / 5040.0
    p = p * f + 1 / 720.0
    p = p * f + 1 / 120.0
    p = p * f + 1 / 24.0
    p = p * f + 1 / 6.0
    p = p * f + 0.5
    p = p * f + 1.0
    p = p * f + 1.0
    return times_power_of_two(p, shifted)


@intrinsic
def times_power_of_two(typingctx, number, shifted):
    """number * 2^k, where k is in the lowest bits of k + ROUND and is added to the exponent's bits."""
    if not (number == types.float64 and shifted == types.float64):
        return None

    def codegen(context, builder, sig, args):
        integer = ir.IntType(64)
        exponent = builder.shl(builder.bitcast(args[1], integer), ir.Constant(integer, 52))
        return builder.bitcast(builder.add(builder.bitcast(args[0], integer), exponent), ir.DoubleType())

    return types.float64(number, shifted), codegen
