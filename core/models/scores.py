"""Scores of probabilistic predictions: the error of the mean, and the likelihood of the held-out targets.

A prediction is an equally weighted mixture of Gaussians, one component per posterior sample (Eq. 4 of NIPS 2016, Eq.
3.3 of the thesis); a model with a single Gaussian prediction is a mixture of one component. Two log-likelihoods are
common and differ, so both are recorded: that of the mixture itself, and that of the one Gaussian with the mixture's
mean and variance (Eq. 5 / 3.4), which is what Bayesian optimization sees.

Shapes: means (samples, runs, n); noise variances the same or anything that broadcasts to it; targets y (runs, n).
Scores are (runs,), in the units of the targets (log-likelihoods in nats per point). A prediction that is not finite
gives a score that is not finite: a diverged chain is a result, not an error.
"""

import math

import torch
from torch import Tensor

from core.foundation.errors import UserError


def moments(means: Tensor, noise_variances: Tensor) -> tuple[Tensor, Tensor]:
    """Mean and variance of the mixture (Eq. 5 / 3.4), each (runs, n); the noise is averaged over the samples too.

    Raises:
        UserError: shapes that do not fit together.
    """
    noise_variances = _broadcast_noise(means, noise_variances)
    mean = means.mean(0)
    return mean, ((means - mean).square() + noise_variances).mean(0)


def rmse(means: Tensor, y: Tensor) -> Tensor:
    """Root mean squared error of the mixture's mean, (runs,).

    Raises:
        UserError: shapes that do not fit together.
    """
    _check_targets(means, y)
    return (means.mean(0) - y).square().mean(-1).sqrt()


def mixture_log_likelihood(means: Tensor, noise_variances: Tensor, y: Tensor) -> Tensor:
    """Mean over the points of log [1/M sum_i N(y | mean_i, noise_i)], (runs,).

    Raises:
        UserError: shapes that do not fit together.
    """
    _check_targets(means, y)
    noise_variances = _broadcast_noise(means, noise_variances)
    components = _gaussian_log_density(y, means, noise_variances)
    return (components.logsumexp(0) - math.log(len(means))).mean(-1)


def moment_matched_log_likelihood(means: Tensor, noise_variances: Tensor, y: Tensor) -> Tensor:
    """Mean over the points of log N(y | mu, sigma^2) with the mixture's mean and variance, (runs,).

    Raises:
        UserError: shapes that do not fit together.
    """
    _check_targets(means, y)
    return _gaussian_log_density(y, *moments(means, noise_variances)).mean(-1)


def noise_log_likelihood(means: Tensor, noise_variances: Tensor, y: Tensor) -> Tensor:
    """Mean over the points of log N(y | mu, mean noise variance): the spread between the samples is left out, (runs,).

    Not Eq. 5 / 3.4, which includes that spread; kept because published numbers turn out to be this quantity.

    Raises:
        UserError: shapes that do not fit together.
    """
    _check_targets(means, y)
    noise = _broadcast_noise(means, noise_variances).mean(0)
    return _gaussian_log_density(y, means.mean(0), noise).mean(-1)


def _gaussian_log_density(y: Tensor, mean: Tensor, variance: Tensor) -> Tensor:
    return -0.5 * ((y - mean).square() / variance + variance.log() + math.log(2 * math.pi))


def _broadcast_noise(means: Tensor, noise_variances: Tensor) -> Tensor:
    try:
        return torch.as_tensor(noise_variances, dtype=means.dtype, device=means.device).expand(means.shape)
    except RuntimeError as error:
        shapes = f"{tuple(noise_variances.shape)}, expected a shape that broadcasts to the means' {tuple(means.shape)}"
        raise UserError(f"scores: noise variances have shape {shapes}") from error


def _check_targets(means: Tensor, y: Tensor) -> None:
    if means.ndim != 3 or means.shape[1:] != y.shape or 0 in means.shape:
        raise UserError(
            f"scores: means have shape {tuple(means.shape)} and y {tuple(y.shape)}, "
            "expected (samples, runs, n) and (runs, n), none of them 0"
        )
