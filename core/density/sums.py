"""The sums over the data in densities, compiled. For each point x of a kernel density

    log sum_i exp( -1/2 sum_j (x_j - X_ji)^2 + sum_k M[row_k, i] )

where row_k is the row of the choice that x takes in the categorical coordinate k; and for each number x and each
coordinate j of a mixture

    sum_i w_ji exp( -1/2 ((x_j - m_ji) p_ji)^2 ).

Everything is laid out so that the innermost loops run over the data i and are vectorized; the compiler has no
vectorized exponential, so one is written out: e^t = 2^q e^r with q = round(t / ln 2) and the Taylor polynomial of e^r,
|r| <= ln(2) / 2, of degree 12, accurate to the last digit or two. All functions are in one file, since numba's cache
notices changes of one file only.

Normal distributions truncated to [0, 1].
"""

from __future__ import annotations

from math import factorial

import numba
import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

LOG2E = 1.4426950408889634
LN2 = (float.fromhex("0x1.62e42fee00000p-1"), float.fromhex("0x1.a39ef35793c76p-33"))  # in two parts, the first short
ROUNDER = 1.5 * 2.0**52  # added to a small number, it leaves the nearest whole number in the lowest bits
ONE = 1023 << 52  # the bits of 1.0
SMALLEST = -700.0  # e^-700 is negligible beside e^0
TAYLOR = tuple(1 / factorial(k) for k in range(12, -1, -1))


@numba.njit(cache=True, error_model="numpy")
def log_sums(x, scaled, rows, matches):
    """The logarithms of the sums at n points.

    Args:
        x: Points (n, continuous), in units of the bandwidths.
        scaled: Data (continuous, N) in the same units.
        rows: Rows of `matches`, (n, categorical) int64.
        matches: Terms (choices of all coordinates, N) that agreement with a choice adds at each datum.

    Returns:
        (n,) float64.
    """
    out = np.empty(len(x))
    exponents, powers = np.empty(scaled.shape[1]), np.empty(scaled.shape[1])
    bits = powers.view(np.int64)
    for point in range(len(x)):
        exponents[:] = 0.0
        for j in range(x.shape[1]):
            _subtract_half_square(exponents, x[point, j], scaled[j])
        for k in range(rows.shape[1]):
            _add(exponents, matches[rows[point, k]])
        largest = _largest(exponents)
        _exponentials(exponents, largest, powers, bits)
        out[point] = np.log(_sum_of_products(exponents, powers)) + largest
    return out


@numba.njit(cache=True, error_model="numpy")
def mixture_sums(x, means, inverses, weights):
    """The sums of d mixtures at m numbers each.

    Args:
        x: Numbers (d, m).
        means, inverses, weights: Means, inverse deviations and weights, (d, N) each.

    Returns:
        (d, m) float64.
    """
    out = np.empty(x.shape)
    exponents, powers = np.empty(means.shape[1]), np.empty(means.shape[1])
    bits = powers.view(np.int64)
    for j in range(x.shape[0]):
        for point in range(x.shape[1]):
            _half_scaled_squares(exponents, x[j, point], means[j], inverses[j])
            _exponentials(exponents, 0.0, powers, bits)
            out[j, point] = _weighted_sum_of_products(weights[j], exponents, powers)
    return out


@numba.njit(error_model="numpy", fastmath={"contract"})
def _subtract_half_square(exponents, value, scaled):
    for i in range(len(exponents)):
        difference = value - scaled[i]
        exponents[i] -= 0.5 * difference * difference


@numba.njit(error_model="numpy", fastmath={"contract"})
def _half_scaled_squares(exponents, value, means, inverses):
    """exponents <- minus the halves of the squares of the scaled differences."""
    for i in range(len(exponents)):
        difference = (value - means[i]) * inverses[i]
        exponents[i] = -0.5 * difference * difference


@numba.njit(error_model="numpy")
def _add(exponents, matches):
    for i in range(len(exponents)):
        exponents[i] += matches[i]


@numba.njit(error_model="numpy", fastmath=True)
def _largest(values):
    largest = values[0]
    for i in range(len(values)):
        largest = values[i] if values[i] > largest else largest
    return largest


@numba.njit(error_model="numpy", fastmath={"contract"})
def _exponentials(exponents, largest, powers, bits):
    """exponents <- e^r and powers <- 2^q, whose products are e^(exponents - largest); `bits` are those of `powers`."""
    for i in range(len(exponents)):
        t = exponents[i] - largest
        t = t if t > SMALLEST else SMALLEST
        rounded = t * LOG2E + ROUNDER
        q = rounded - ROUNDER
        r = (t - q * LN2[0]) - q * LN2[1]
        e = TAYLOR[0]
        for coefficient in TAYLOR[1:]:
            e = e * r + coefficient
        exponents[i], powers[i] = e, rounded
    for i in range(len(exponents)):
        bits[i] = (bits[i] << 52) + ONE


@numba.njit(error_model="numpy", fastmath=True)
def _sum_of_products(a, b):
    total = 0.0
    for i in range(len(a)):
        total += a[i] * b[i]
    return total


@numba.njit(error_model="numpy", fastmath=True)
def _weighted_sum_of_products(weights, a, b):
    total = 0.0
    for i in range(len(a)):
        total += weights[i] * a[i] * b[i]
    return total


def truncated_normal(
    mean: NDArray[np.float64], deviation: NDArray[np.float64], uniforms: NDArray[np.float64]
) -> NDArray[np.float64]:
    """One draw for each of `uniforms` in [0, 1), by inversion; means in [0, 1], deviations positive; broadcast."""
    below = ndtr(-mean / deviation)
    inside = ndtr((1.0 - mean) / deviation) - below
    draws: NDArray[np.float64] = mean + deviation * ndtri(below + inside * uniforms)
    return np.clip(draws, 0.0, 1.0)


def mass_inside(mean: NDArray[np.float64], deviation: NDArray[np.float64]) -> NDArray[np.float64]:
    """The probability that a normal number lies in [0, 1]."""
    mass: NDArray[np.float64] = ndtr((1.0 - mean) / deviation) - ndtr(-mean / deviation)
    return mass
