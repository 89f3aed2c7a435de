"""Normal distributions truncated to [0, 1]."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri


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
