"""The five basis functions of LC-Net's last layer (thesis section 5.3, Table B.2): residuals phi(t) of a learning curve
from its value at t = 1, where each of them vanishes. Parameters are in [0, 1], t in (0, 1].

    vapor pressure   exp(-a - b/(10 t) - c/10 ln t) - exp(-a - b/10)
    power            a (t^b - 1)
    log power        2 a [1/(1 + e^(-c b/10)) - 1/(1 + e^(c (ln t - b/10)))]
    exponential      a (e^(-10 b) - e^(-10 b t))
    hill 3           a [1/((c/100)^b t^-b + 1) - 1/((c/100)^b + 1)]

Table B.2 prints three of the five, and not as residuals: its vapor pressure and hill 3 do not vanish at t = 1. In its
log function, 10 c + a/2 ln(b t), the residual is a/2 ln t whatever b and c are, the limit of power functions with small
b. Here log power replaces it, as in the authors' earlier code, from which power and exponential are also taken. In
that code log power and hill 3 do not vanish at t = 1 either; the forms above are theirs with the factors put right.

Rates are those of the whole curve: only vapor pressure and hill 3 can fall by more than 1 - e^-10t within t. Curves
whose fall ends after a few of many epochs lie outside the family, and LC-Net's asymptote is then too confident.

All functions rise to 0, and stay in [-1, 0] but for vapor pressure, which can exceed 0 as t^-c/10 does.
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor


def vapor_pressure(t: Tensor, a: Tensor, b: Tensor, c: Tensor) -> Tensor:
    """exp(-a - b/(10 t) - c/10 ln t) - exp(-a - b/10)."""
    return torch.exp(-a - b / (10 * t) - c / 10 * t.log()) - torch.exp(-a - b / 10)


def power(t: Tensor, a: Tensor, b: Tensor) -> Tensor:
    """a (t^b - 1)."""
    return a * (t**b - 1)


def log_power(t: Tensor, a: Tensor, b: Tensor, c: Tensor) -> Tensor:
    """2 a [1/(1 + e^(-c b/10)) - 1/(1 + e^(c (ln t - b/10)))]."""
    shift = b / 10  # the same in both, or rounding leaves something at t = 1
    return 2 * a * (torch.sigmoid(c * shift) - torch.sigmoid(c * (shift - t.log())))


def exponential(t: Tensor, a: Tensor, b: Tensor) -> Tensor:
    """a (e^(-10 b) - e^(-10 b t))."""
    return a * (torch.exp(-10 * b) - torch.exp(-10 * b * t))


def hill_3(t: Tensor, a: Tensor, b: Tensor, c: Tensor) -> Tensor:
    """a [1/((c/100)^b t^-b + 1) - 1/((c/100)^b + 1)]."""
    half = (c / 100) ** b
    return a * (1 / (half * t**-b + 1) - 1 / (half + 1))


@dataclass(frozen=True)
class BasisFunction:
    """A residual by name, with its number of parameters."""

    name: str
    evaluate: Callable[..., Tensor]
    parameters: int

    @property
    def formula(self) -> str:
        """The formula as given in the function's docstring."""
        return (self.evaluate.__doc__ or "").removesuffix(".")


BASIS = (
    BasisFunction("vapor pressure", vapor_pressure, 3),
    BasisFunction("power", power, 2),
    BasisFunction("log power", log_power, 3),
    BasisFunction("exponential", exponential, 2),
    BasisFunction("hill 3", hill_3, 3),
)
PARAMETERS = sum(function.parameters for function in BASIS)


def residuals(t: Tensor, parameters: Tensor) -> Tensor:
    """All functions at t.

    Args:
        t: Times (...) in (0, 1].
        parameters: Parameters (..., PARAMETERS) in [0, 1], function by function in the order of `BASIS`.

    Returns:
        (..., 5), differentiable.
    """
    by_function = parameters.split([function.parameters for function in BASIS], -1)
    values = [function.evaluate(t, *theta.unbind(-1)) for function, theta in zip(BASIS, by_function, strict=True)]
    return torch.stack(torch.broadcast_tensors(*values), -1)
