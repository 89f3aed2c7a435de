"""Log densities of priors on positive hyperparameters, each given and sampled as a logarithm u = log z.

The density of u is that of z times z (the Jacobian), and every function here is a density of u, up to a constant:

    uniform      u in [low, high], -inf outside
    normal       u ~ N(mean, sd^2), so z is log-normal; also for hyperparameters that are not logarithms
    horseshoe    z | t ~ N+(0, t^2 scale^2), t ~ C+(0, 1) (Carvalho et al. 2009). Its density has no closed form; with
                 r = (scale / z)^2 it lies between log(1 + 4 r) / 2 and log(1 + 2 r), times a constant, and as in
                 Spearmint log(1 + 3 r) replaces it: the same pole at zero, the same tail 1 / z^2.

A model's hyperparameters are independent a priori: its prior is a table with one row each, the product of the above.
"""

import math
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from core.compiled.arguments import Priors


class Row(NamedTuple):
    """Prior of one hyperparameter: a range, and inside it a normal, a horseshoe or, if neither is given, a constant."""

    low: float = -math.inf
    high: float = math.inf
    mean: float = 0.0
    sd: float = math.inf
    scale: float = math.nan


def independent(rows: list[Row]) -> Priors:
    """The product of the rows' priors."""
    low, high, mean, sd, scale = np.array(rows, dtype=np.float64).reshape(-1, 5).T.copy()
    return Priors(low, high, mean, 1 / sd**2, np.log(scale))


def log_density(theta: Tensor, priors: Priors) -> Tensor:
    """Log density of theta (..., P), up to a constant, -inf outside the ranges: (...)."""
    low, high, mean, precision, log_scale = (torch.as_tensor(column, device=theta.device) for column in priors)
    shrunk = ~log_scale.isnan()
    value = -0.5 * (precision * (theta - mean).square()).sum(-1) + horseshoe(theta[..., shrunk], log_scale[shrunk])
    return value.masked_fill(((theta < low) | (theta > high)).any(-1), -math.inf)


def horseshoe(log_value: Tensor, log_scale: Tensor) -> Tensor:
    """Sum over the last axis of log densities of log z for z under horseshoes: (...) for (..., H) and (H,).

    Far above the scale log(1 + 3 r) is computed as such (log1p), so the tail keeps its precision.
    """
    ratio = 3 * (2 * (log_scale - log_value)).exp()
    return (torch.log1p(ratio).log() + log_value).sum(-1)
