"""LC-Extrapolation (Domhan et al., IJCAI 2015; thesis section 5.1): each curve on its own, as a weighted sum of the
eleven functions below, whose parameters are sampled.

    f(t) = sum_k w_k phi_k(t; theta_k),   y_t ~ N(f(t), sigma^2)                                     (Eqs. 5.1, 5.3)
    prior: theta_k, w_k and log sigma uniform on their ranges where 0 <= f(1) <= f(T) <= 1, else 0
    prediction: mean and variance over the samples of f, plus the mean of sigma^2                        (Eq. 5.4)

(the thesis prints the sum of the sigma^2 in the variance). As in the thesis, nothing forces f(T) above the last
observed value. The sampler is emcee's stretch move, the ensembles of all curves in lockstep. It starts around the
functions' least-squares fits, equally weighted. Walkers that start where the prior is 0 and never leave are not
samples: predictions leave them out.

The functions describe accuracies. Curves are therefore mapped into [0, 1], with a margin of half the range of the
observed values on either side, and flipped if most of them fall.

The eleven parametric functions of learning curves of Domhan et al. (IJCAI 2015, Table 1), and their least-squares
fits to many curves at once. They describe accuracies, which rise, at the epochs x = 1, 2, ...

    vapor pressure    exp(a + b/x + c ln x)                   pow3       c - a x^-alpha
    log log linear    ln(a ln x + b)                          pow4       c - (a x + b)^-alpha
    Hill3             y / (1 + (kappa/x)^eta)                 exp4       c - exp(-a x^alpha + b)
    log power         a / (1 + (x/e^b)^c)                     MMF        alpha - (alpha - beta) / (1 + (kappa x)^delta)
    Janoschek         alpha - (alpha - beta) e^(-kappa x^delta)
    Weibull           alpha - (alpha - beta) e^(-(kappa x)^delta)
    ilog2             c - a / ln(x + 1)

Each parameter has a range, wide for curves in [0, 1], and a value from which a fit starts.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from core.foundation.randomness import make_generators, normal_
from core.foundation.validation import require_count
from core.models.curves.base import CurveModel, CurvePrediction
from core.models.curves.data import ObservedCurves
from core.models.ensemble import check_scale
from core.samplers.stretch import stretch_sample

Range = tuple[float, float, float]  # lowest, start, highest
DAMPING = 1e-2
STEP = 1e-5  # of the differences, relative to a parameter's range


@dataclass(frozen=True)
class CurveFunction:
    """A function of ln x and its parameters by name and in order.

    Attributes:
        evaluate: Function (ln x, *parameters) -> values, all broadcast together; nan where it is undefined.
        ranges: Tuple (lowest, start, highest) of each parameter.
    """

    name: str
    evaluate: Callable[..., Tensor]
    ranges: tuple[Range, ...]


ASYMPTOTE, LEVEL = (0.0, 0.8, 2.0), (-1.0, 0.2, 1.0)
SLOPE, EXPONENT = (0.0, 0.5, 10.0), (0.0, 0.7, 5.0)
FUNCTIONS = (
    CurveFunction(
        "vapor pressure",
        lambda x, a, b, c: torch.exp(a + b * torch.exp(-x) + c * x),
        ((-10.0, -0.5, 2.0), (-10.0, -0.5, 2.0), (-1.0, 0.05, 2.0)),
    ),
    CurveFunction("pow3", lambda x, c, a, alpha: c - a * torch.exp(-alpha * x), (ASYMPTOTE, SLOPE, EXPONENT)),
    CurveFunction("log log linear", lambda x, a, b: torch.log(a * x + b), ((0.0, 0.2, 5.0), (0.0, 1.3, 5.0))),
    CurveFunction(
        "Hill3",
        lambda x, y, eta, kappa: y * torch.sigmoid(eta * (x - kappa)),
        (ASYMPTOTE, EXPONENT, (-5.0, 1.0, 7.0)),  # ln kappa, uniform
    ),
    CurveFunction(
        "log power",
        lambda x, a, b, c: a * torch.sigmoid(c * (b - x)),
        (ASYMPTOTE, (-5.0, 1.0, 7.0), (-5.0, -0.7, 0.0)),
    ),
    CurveFunction(
        "pow4",
        lambda x, c, a, b, alpha: c - torch.exp(-alpha * torch.log(a * torch.exp(x) + b)),
        (ASYMPTOTE, SLOPE, (0.0, 1.0, 20.0), EXPONENT),
    ),
    CurveFunction(
        "MMF",
        lambda x, alpha, beta, kappa, delta: alpha - (alpha - beta) * torch.sigmoid(-delta * (kappa + x)),
        (ASYMPTOTE, LEVEL, (-7.0, -1.0, 3.0), EXPONENT),  # ln kappa, uniform
    ),
    CurveFunction(
        "exp4",
        lambda x, c, a, b, alpha: c - torch.exp(b - a * torch.exp(alpha * x)),
        (ASYMPTOTE, SLOPE, (-5.0, -0.2, 3.0), EXPONENT),
    ),
    CurveFunction(
        "Janoschek",
        lambda x, alpha, beta, kappa, delta: alpha - (alpha - beta) * torch.exp(-kappa * torch.exp(delta * x)),
        (ASYMPTOTE, LEVEL, (0.0, 0.3, 5.0), EXPONENT),
    ),
    CurveFunction(
        "Weibull",
        lambda x, alpha, beta, kappa, delta: alpha - (alpha - beta) * torch.exp(-torch.exp(delta * (kappa + x))),
        (ASYMPTOTE, LEVEL, (-7.0, -1.5, 3.0), EXPONENT),  # ln kappa, uniform
    ),
    CurveFunction("ilog2", lambda x, c, a: c - a / torch.log1p(torch.exp(x)), (ASYMPTOTE, (0.0, 0.4, 3.0))),
)


def least_squares(function: CurveFunction, log_x: Tensor, y: Tensor, seen: Tensor, iterations: int = 60) -> Tensor:
    """Levenberg-Marquardt from the function's start, within its ranges, for all curves at once.

    Args:
        log_x: Logarithms of the epochs, (T,).
        y: Values (n, T), with any finite number where `seen` (n, T) is false.

    Returns:
        Parameters (n, p).
    """
    low, start, high = torch.tensor(function.ranges, dtype=y.dtype).unbind(1)
    theta, damping = start.expand(len(y), -1), y.new_full((len(y), 1, 1), DAMPING)
    steps = STEP * (high - low)

    def errors(parameters: Tensor) -> Tensor:
        values = function.evaluate(log_x, *parameters.unsqueeze(-1).unbind(1))
        return torch.where(seen, values - y, 0.0)

    error = errors(theta)
    for _ in range(iterations):
        columns = [(errors(theta + steps * unit) - error) / step for step, unit in zip(steps, torch.eye(len(steps)))]
        jacobian = torch.stack(columns, -1) * (high - low)  # in units of the ranges
        normal = jacobian.mT @ jacobian + damping * torch.eye(len(steps), dtype=y.dtype)
        move = torch.linalg.solve(normal, -(jacobian.mT @ error.unsqueeze(-1))).squeeze(-1)
        proposal = (theta + move * (high - low)).clamp(low, high)
        proposed = errors(proposal)
        better = proposed.square().sum(-1) < error.square().sum(-1)
        theta = torch.where(better[:, None], proposal, theta)
        error = torch.where(better[:, None], proposed, error)
        damping = (damping * torch.where(better, 0.3, 4.0)[:, None, None]).clamp(1e-9, 1e6)
    return theta


SIZES = [len(function.ranges) for function in FUNCTIONS]
LOWEST, _, HIGHEST = torch.tensor(
    [row for function in FUNCTIONS for row in function.ranges]
    + [(0.0, 0.0, 2.0)] * len(FUNCTIONS)
    + [(math.log(1e-4), 0.0, 0.0)],
    dtype=torch.float32,
).unbind(1)
"""Ranges of (theta, w, log sigma)."""
SPREAD = 0.02  # of the walkers at the start, relative to the ranges


class Extrapolation(CurveModel):
    """Sampled sums of parametric functions.

    Args:
        walkers: Number of walkers in each curve's ensemble, even and more than 48.
        burn_in: Number of sweeps before the first sample.
        samples: Number of samples kept from each walker.
        thinning: Number of sweeps from one kept sample to the next.

    Raises:
        UserError: a setting out of range.
    """

    def __init__(self, *, walkers: int = 100, burn_in: int = 500, samples: int = 20, thinning: int = 25) -> None:
        require_count("walkers", walkers, least=len(LOWEST) + 1)
        for name, value, least in (("burn_in", burn_in, 0), ("samples", samples, 1), ("thinning", thinning, 1)):
            require_count(name, value, least=least)
        self.walkers = walkers + walkers % 2
        self.burn_in, self.samples, self.thinning = burn_in, samples, thinning

    def _fit(self, observed: ObservedCurves, seed: int) -> None:
        seen = torch.from_numpy(observed.seen)
        low, high = np.nanmin(observed.values), np.nanmax(observed.values)
        with np.errstate(over="ignore"):
            span = high - low if high > low else 1.0
        check_scale("curves", *torch.tensor([low, high, 2 * span]).double())
        rises = (observed.last - observed.values[:, 0]).mean() > 0
        self.scale = 2 * span if rises else -2 * span
        self.offset = low - span / 2 if rises else high + span / 2
        y = torch.where(seen, torch.from_numpy((observed.values - self.offset) / self.scale), 0.0)
        log_x = torch.arange(1, observed.epochs + 1, dtype=torch.float64).log()
        generators = make_generators([seed])
        start = torch.cat([least_squares(function, log_x, y, seen) for function in FUNCTIONS], -1)
        start = torch.cat([start, y.new_full((len(y), len(FUNCTIONS)), 1 / len(FUNCTIONS))], -1)
        error = torch.where(seen, _sums(start, log_x) - y, 0.0).square().sum(-1, keepdim=True)
        deviation = (error / seen.sum(-1, keepdim=True)).sqrt().clamp(2e-4, 0.5)
        start = torch.cat([start, deviation.log()], -1).unsqueeze(1).float()
        noise = normal_(start.new_empty(len(y), self.walkers, len(LOWEST)), generators[0])
        position = (start + SPREAD * (HIGHEST - LOWEST) * noise).clamp(LOWEST, HIGHEST)
        position[:, 0] = start[:, 0]
        longest = int(observed.lengths.max())
        log_x, y = log_x.float(), y.float()
        kept = stretch_sample(
            lambda walkers: _log_density(walkers, log_x, y[:, :longest], seen[:, :longest]),
            position,
            generators[0],
            self.samples,
            self.burn_in,
            self.thinning,
        )
        self.walks = kept.transpose(0, 1).flatten(1, 2)
        self.inside = _log_density(self.walks, log_x, y[:, :longest], seen[:, :longest]).isfinite()

    def _extrapolate(self, observed: ObservedCurves, times: NDArray[np.float64]) -> CurvePrediction:
        walks, inside = self.walks.double(), self.inside.unsqueeze(-1)
        values = _sums(walks[..., :-1], torch.from_numpy(times * observed.epochs).log())

        def average(numbers: Tensor) -> Tensor:
            return torch.where(inside, numbers, 0.0).sum(1) / inside.sum(1)

        mean = average(values)
        variance = average((values - mean.unsqueeze(1)).square()) + average((2 * walks[..., -1:]).exp())
        return CurvePrediction((mean * self.scale + self.offset).numpy(), (variance * self.scale**2).numpy())


def _sums(parameters: Tensor, log_x: Tensor) -> Tensor:
    """f at the epochs, (..., k), for (theta, w) (..., P)."""
    by_parameter = parameters.movedim(-1, 0).contiguous().unsqueeze(-1)  # contiguous: a third of the time
    *theta, weights = by_parameter.split([*SIZES, len(FUNCTIONS)])
    total: Tensor = weights[0] * FUNCTIONS[0].evaluate(log_x, *theta[0])
    for function, part, weight in zip(FUNCTIONS[1:], theta[1:], weights[1:], strict=True):
        total.addcmul_(weight, function.evaluate(log_x, *part))
    return total


def _log_density(parameters: Tensor, log_x: Tensor, y: Tensor, seen: Tensor) -> Tensor:
    """Log posterior of walkers (n, W, P), given y (n, k), the first epochs of all log_x (T,): (n, W)."""
    inside = (parameters == parameters.clamp(LOWEST, HIGHEST)).all(-1)
    places = torch.cat([log_x[: y.shape[1]], log_x[-1:]])
    values, log_sigma = _sums(parameters[..., :-1], places), parameters[..., -1]
    first, last = values[..., 0], values[..., -1]
    squares = (values[..., :-1] - y.unsqueeze(1)).mul_(seen.unsqueeze(1)).square_().sum(-1)
    density = -0.5 * squares * (-2 * log_sigma).exp() - seen.sum(-1, keepdim=True) * log_sigma
    return torch.where(inside & (first >= 0) & (first <= last) & (last <= 1), density, -torch.inf)
