"""The two updates of assumed density filtering: after a factor is multiplied in, match moments again.

A factor with normalizer Z multiplies the approximation q; the result is projected back onto the family of q, keeping
the moments that define it. Both projections need only Z.

Gaussian weight, q = N(w | m, v): the mean and variance of the product are

    m' = m + v dlogZ/dm
    v' = v - v^2 [(dlogZ/dm)^2 - 2 dlogZ/dv]

Gamma precision, q = Gamma(g | shape, rate), with Z_k the normalizer under Gamma(shape + k, rate). As
g Gamma(g | shape, rate) = (shape / rate) Gamma(g | shape + 1, rate), the first two moments of the product are

    E g = Z_1 / Z_0 shape / rate,    E g^2 = Z_2 / Z_0 shape (shape + 1) / rate^2,

and the Gamma with these moments has shape' = 1 / (E g^2 / (E g)^2 - 1) and rate' = shape' / E g.

An update that is not a distribution is dropped and the old values stay: a variance or rate that is not positive,
anything not finite, a shape of at most 1, under which the noise variance 1/g has no mean.
"""

import torch
from torch import Tensor

SMALLEST, LARGEST = 1e-100, 1e100  # variances beyond these bounds could no longer be squared or inverted


def log_evidence(mean: Tensor, variance: Tensor, y: Tensor, shape: Tensor, rate: Tensor) -> Tensor:
    """log Z_0, log Z_1, log Z_2, stacked (3, runs), of an observation y of N(mean, variance) plus noise.

    The predictive Student t is replaced by the Gaussian of the same variance: with k added to the shape,
    Z_k = N(y | mean, variance + rate / (shape + k - 1)). All arguments are (runs,).
    """
    offsets = torch.tensor([[-1.0], [0.0], [1.0]], dtype=shape.dtype, device=shape.device)
    total = variance + rate / (shape + offsets)
    return -0.5 * (torch.log(2 * torch.pi * total) + (y - mean).square() / total)


def update_gaussian(mean: Tensor, variance: Tensor, by_mean: Tensor, by_variance: Tensor) -> None:
    """Multiply a factor into independent Gaussians, in place.

    Args:
        mean, variance: Moments of the weights, (runs, P).
        by_mean, by_variance: Derivatives of log Z with respect to them, (runs, P).
    """
    new_mean = torch.addcmul(mean, variance, by_mean)
    curvature = torch.addcmul(2 * by_variance, by_mean, by_mean, value=-1)
    new_variance = torch.addcmul(variance, variance.square(), curvature)
    valid = (new_variance > SMALLEST) & (new_variance < LARGEST)  # also false if the new mean is not finite
    torch.where(valid, new_mean, mean, out=mean)
    torch.where(valid, new_variance, variance, out=variance)


def update_gamma(shape: Tensor, rate: Tensor, log_z: Tensor) -> None:
    """Multiply a factor into Gammas, in place: shape and rate (runs,), log_z (3, runs)."""
    first = torch.exp(log_z[1] - log_z[0]) * shape / rate
    new_shape = 1 / torch.expm1(log_z[2] - 2 * log_z[1] + log_z[0] + torch.log1p(1 / shape))
    new_rate = new_shape / first
    valid = (new_shape > 1) & (new_shape < LARGEST) & (new_rate > 0) & (new_rate < LARGEST)
    torch.where(valid, new_shape, shape, out=shape)
    torch.where(valid, new_rate, rate, out=rate)
