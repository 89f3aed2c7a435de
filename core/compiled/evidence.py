"""Slice sampling of the hyperparameters of `core.models.linear_regression` and `core.models.dngo`, compiled.

A vector Theta is (log alpha, log 1/beta), or with the prior mean of DNGO's Eq. 9 (log alpha, log 1/beta, lambda,
log Lambda_kk, c_k). Its log posterior density is that of `Regression.log_evidence` (Eq. 8 in singular values) plus the
prior; one evaluation costs O(D C) for D features and C columns.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numba
import numpy as np

from core.compiled.arguments import Priors, fingerprint
from core.compiled.slice import DONE, STUCK, VALUE, begin, copy, log_prior, new_walk, require_moving, tell, usable


class Decomposition(NamedTuple):
    """The arrays of `core.models.linear_regression.Regression`, float64."""

    singular: np.ndarray  # (runs, D)
    inside: np.ndarray  # (runs, D, C)
    outside: np.ndarray  # (runs, K, C)
    points: int


def sample(
    decomposition: Decomposition,
    priors: Priors,
    start: np.ndarray,
    width: np.ndarray,
    seeds: np.ndarray,
    sweeps: tuple[int, int, int],
) -> np.ndarray:
    """Draws (samples, chains, P) from starts (chains, P), with equally many chains for each run, side by side.

    Args:
        width: (P,), typical sizes of slices.
        seeds: (chains,) uint64.
        sweeps: Numbers of sweeps discarded first, samples kept, and sweeps from one sample to the next.

    Raises:
        RuntimeError: the density is nan or infinite where a chain starts.
    """
    kept = np.empty((sweeps[1], *start.shape))
    require_moving(_compile()(decomposition, priors, start, new_walk(width), seeds, sweeps, kept))
    return kept


@cache
def _compile() -> Callable[..., Any]:
    sources = fingerprint()

    @numba.njit(cache=True, nogil=True, error_model="numpy")
    def run(decomposition, priors, start, walk, seeds, sweeps, kept):
        sources  # noqa: B018
        chains, length = start.shape
        coefficients = np.ones(decomposition.inside.shape[2])
        burn_in, samples, thinning = sweeps
        for chain in range(chains):
            which = chain * len(decomposition.singular) // chains
            state = seeds[chain]
            copy(start[chain], walk.position)
            walk.numbers[VALUE] = log_posterior(walk.position, which, decomposition, priors, coefficients)
            if not usable(walk.numbers[VALUE]):
                return chain
            for sweep in range(1, burn_in + samples * thinning + 1):
                for coordinate in range(length):
                    state = begin(walk, coordinate, state)
                    while walk.phase[0] > DONE:
                        value = log_posterior(walk.point, which, decomposition, priors, coefficients)
                        state = tell(walk, value, state)
                    if walk.phase[0] == STUCK:
                        return chain
                if sweep > burn_in and (sweep - burn_in) % thinning == 0:
                    copy(walk.position, kept[(sweep - burn_in) // thinning - 1, chain])
        return -1

    return run


@numba.njit(error_model="numpy")
def log_posterior(theta, run, decomposition, priors, coefficients):
    """Log evidence plus log prior; `coefficients` (C,) is scratch space that starts with ones."""
    value = log_prior(theta, priors)
    if value == -np.inf:
        return value
    columns = len(coefficients)
    if len(theta) > 2:
        _residual_coefficients(theta, coefficients)
    log_beta = -theta[1]
    ratio = np.exp(log_beta - theta[0])
    singular, inside, outside = decomposition.singular[run], decomposition.inside[run], decomposition.outside[run]
    quadratic = 0.0
    log_determinant = 0.0
    for i in range(len(singular)):
        q = 0.0
        for c in range(columns):
            q += inside[i, c] * coefficients[c]
        shrinkage = ratio * singular[i] ** 2
        log_determinant += np.log1p(shrinkage)
        quadratic += q * q / (1 + shrinkage)
    for k in range(len(outside)):
        rest = 0.0
        for c in range(columns):
            rest += outside[k, c] * coefficients[c]
        quadratic += rest * rest
    points = decomposition.points
    return value + 0.5 * (points * (log_beta - np.log(2 * np.pi)) - log_determinant - np.exp(log_beta) * quadratic)


@numba.njit
def _residual_coefficients(theta, coefficients):
    """The coefficients of `core.models.dngo.residual_coefficients`, after the leading 1."""
    d = (len(theta) - 3) // 2
    offset = theta[2]
    for k in range(d):
        curvature, centre = np.exp(theta[3 + k]), theta[3 + d + k]
        offset += curvature * centre**2
        coefficients[2 + k] = 2 * curvature * centre
        coefficients[2 + d + k] = -curvature
    coefficients[1] = -offset
