"""Functions drawn from the posterior of a Gaussian process, for Thompson sampling: a draw of the prior, conditioned on
the data (Matheron's rule; Wilson et al. 2020),

    f(x) = g(x) + k(x, X) C^-1 (y - g(X) - e),   e ~ N(0, sigma^2 I)
    g(x) = sqrt(2 nu / F) sum_j v_j cos(w_j' x / l + b_j)

where g has F random features with normal weights; the frequencies of the Matern-5/2 kernel follow a Student-t
distribution with 5 degrees of freedom. Only the prior is approximated by features: the data enter exactly.
"""

import math
from collections.abc import Callable

import torch
from torch import Tensor

from core.foundation.randomness import Generators, normal_, uniform_
from core.models import matern
from core.models.matern import Hyperparameters, beside

FEATURES = 1024


def draw_functions(
    X: Tensor, y: Tensor, parts: Hyperparameters, factor: Tensor, generators: Generators
) -> Callable[[Tensor], Tensor]:
    """One function for each vector of hyperparameters.

    Args:
        X, y: Inputs (runs, N, d) and standardized targets (runs, N).
        parts: Hyperparameters, (count, runs, ...).
        factor: Cholesky factor of C, (count, runs, N, N).

    Returns:
        at (..., runs, q, d) -> (count, ..., runs, q).
    """
    frequencies, phases, weights, errors = _prior_draw(X, factor.shape[0], generators)
    weights = weights * (2 / FEATURES * parts.log_amplitude.exp()).sqrt().unsqueeze(-1)

    def prior(scaled: Tensor) -> Tensor:
        waves = (scaled @ beside(frequencies.mT, scaled) + beside(phases.unsqueeze(-2), scaled)).cos()
        return (waves @ beside(weights.unsqueeze(-1), scaled)).squeeze(-1)

    scaled_data = matern.scale_inputs(X, parts)
    residual = y - prior(scaled_data) - parts.log_noise.mul(0.5).exp().unsqueeze(-1) * errors
    correction = torch.cholesky_solve(residual.unsqueeze(-1), factor)
    correction = parts.log_amplitude.exp()[..., None, None] * correction

    def function(at: Tensor) -> Tensor:
        scaled = matern.scale_inputs(at, parts)
        update = matern.kernel(scaled, beside(scaled_data, scaled)) @ beside(correction, scaled)
        return prior(scaled) + update.squeeze(-1)

    return function


def _prior_draw(X: Tensor, count: int, generators: Generators) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Frequencies (count, runs, F, d), phases and weights (count, runs, F), and unit errors (count, runs, N)."""
    runs, n, d = X.shape
    normals = normal_(X.new_empty(runs, count, FEATURES * (d + 6) + n), generators).transpose(0, 1)
    features, errors = normals.split([FEATURES * (d + 6), n], -1)
    z, chi, weights = features.unflatten(-1, (FEATURES, d + 6)).split([d, 5, 1], -1)
    phases = uniform_(X.new_empty(runs, count, FEATURES), generators).transpose(0, 1) * (2 * math.pi)
    return z * (5 / chi.square().sum(-1, keepdim=True)).sqrt(), phases, weights.squeeze(-1), errors
