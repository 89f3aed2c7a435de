"""The eleven parametric functions of learning curves of Domhan et al. (IJCAI 2015, Table 1), and their least-squares
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

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

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
