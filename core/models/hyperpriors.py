"""Log densities of priors on positive hyperparameters, each given and sampled as a logarithm u = log z.

The density of u is that of z times z (the Jacobian), and every function here is a density of u, up to a constant:

    uniform      u in [low, high], -inf outside
    normal       u ~ N(mean, sd^2), that is z log-normal; also for hyperparameters that are not logarithms
    horseshoe    z | t ~ N+(0, t^2 scale^2), t ~ C+(0, 1) (Carvalho et al. 2009). Its density has no closed form; with
                 r = (scale / z)^2 it lies between log(1 + 4 r) / 2 and log(1 + 2 r), times a constant, and as in
                 Spearmint log(1 + 3 r) stands for it: the same pole at zero, the same tail 1 / z^2.
"""

import math

import torch
from torch import Tensor


def uniform(value: Tensor, low: float, high: float) -> Tensor:
    """0 where low <= value <= high, -inf elsewhere; same shape as `value`."""
    outside = (value < low) | (value > high)
    return torch.zeros_like(value).masked_fill(outside, -math.inf)


def normal(value: Tensor, mean: float, sd: float) -> Tensor:
    """Normal log density without its constant; same shape as `value`."""
    return -0.5 * ((value - mean) / sd).square()


def horseshoe(log_value: Tensor, scale: float) -> Tensor:
    """Log density of log z for z under a horseshoe of the given scale; same shape as `log_value`.

    Far above the scale log(1 + 3 r) is computed as such (log1p), so the tail keeps its precision.
    """
    ratio = 3 * (2 * (math.log(scale) - log_value)).exp()
    return torch.log1p(ratio).log() + log_value
