"""The priors of `core.models.hyperpriors`, compiled."""

import numba
import numpy as np


@numba.njit(error_model="numpy")
def log_prior(theta, priors):
    """Log density of theta (P,), up to a constant, -inf outside the ranges."""
    value = 0.0
    for k in range(len(theta)):
        u = theta[k]
        if not priors.low[k] <= u <= priors.high[k]:
            return -np.inf
        value -= 0.5 * priors.precision[k] * (u - priors.mean[k]) ** 2
        if not np.isnan(priors.log_scale[k]):
            value += np.log(np.log1p(3 * np.exp(2 * (priors.log_scale[k] - u)))) + u
    return value
