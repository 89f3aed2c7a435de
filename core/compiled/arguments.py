"""What models pass to the compiled densities of their hyperparameters; importing it does not import numba."""

from typing import NamedTuple

import numpy as np

EDGE = 1e-7  # warped inputs are kept this far inside the unit interval, where powers have finite derivatives


class Priors(NamedTuple):
    """Independent priors of P hyperparameters, see `core.models.hyperpriors`: float64 arrays (P,)."""

    low: np.ndarray
    high: np.ndarray
    mean: np.ndarray
    precision: np.ndarray  # 1 / sd^2, 0 if none
    log_scale: np.ndarray  # of the horseshoe, nan if none
