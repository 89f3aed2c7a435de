"""Synthetic functions, all minimized, by name and as the lists that experiments run over.

Hartmann's functions: -sum_{i=1..4} alpha_i exp(-sum_j A_ij (x_j - P_ij)^2) on [0, 1]^d, d = 3, 4, 6.

The 4-d one has the first four columns of the 6-d A and P. Brofos et al. maximize its rescaled form (sum - 1.1) / 0.839;
`hartmann4_rescaled` is the negative of that, (1.1 - sum) / 0.839, since everything here is minimized.

Functions of one or two inputs (Levy and Rosenbrock also of more): the formula is in the docstring of each.

Domains are those of ORIGINALS: camelback on [-3, 3] x [-2, 2], Bohachevsky on [-100, 100]^2, Levy of one input on
[-15, 10], the 1-d target of Brofos et al. on [-1, 1].

A synthetic function: its formula, its domain, and what is known of its extremes; an `Objective` of cost 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
import torch
from ConfigSpace import ConfigurationSpace, Float
from torch import Tensor

from core.foundation.errors import UnknownNameError, UserError
from core.objectives.base import Configurations, Evaluation, Fidelity, check_budget
from core.objectives.toys import Sinc


@dataclass(frozen=True)
class SyntheticFunction:
    """A function to minimize, noise-free and differentiable.

    Attributes:
        name: Name in the experiments.
        formula: Function of X (..., d) that returns values (...), elementwise over the leading axes.
        bounds: Domain, d pairs.
        optimum: Global minimum on the domain.
        optimizers: Points at which the minimum is attained, all of them.
        worst_loss: Upper bound of the values on the domain, except for rounding.
    """

    name: str
    formula: Callable[[Tensor], Tensor] = field(repr=False)
    bounds: tuple[tuple[float, float], ...]
    optimum: float
    optimizers: tuple[tuple[float, ...], ...]
    worst_loss: float
    fidelity: ClassVar[Fidelity | None] = None

    @property
    def dimension(self) -> int:
        """d."""
        return len(self.bounds)

    @property
    def space(self) -> ConfigurationSpace:
        """The domain: floats x1, x2, ..., with as many digits as sorting by name needs."""
        space = ConfigurationSpace(name=self.name)
        space.add(*(Float(name, pair) for name, pair in zip(self._names, self.bounds)))
        return space

    def __call__(self, X: Tensor) -> Tensor:
        """The value at points of the domain, (..., d) -> (...), in X's type, on X's device.

        Raises:
            UserError: the last axis is not d long.
        """
        if X.shape[-1] != self.dimension:
            raise UserError(f"{self.name}: points of shape {tuple(X.shape)}; allowed: (..., {self.dimension})")
        return self.formula(X)

    def on_cube(self, U: Tensor) -> Tensor:
        """The value at points of the unit cube, (..., d) -> (...), scaled linearly to the domain."""
        low, high = U.new_tensor(self.bounds).T
        return self(low + (high - low) * U)

    def regret(self, values: Tensor | np.ndarray) -> Tensor | np.ndarray:
        """How far noise-free values are above the minimum, elementwise; negative only by rounding."""
        return values - self.optimum

    def evaluate(
        self, configurations: Configurations, budget: float | None, generator: np.random.Generator
    ) -> Evaluation:
        """The contract of an objective; draws nothing from the generator.

        Raises:
            UserError: a budget was given; these functions have none.
        """
        check_budget(self.fidelity, budget)
        rows = [[configuration[name] for name in self._names] for configuration in configurations]
        X = torch.tensor(rows, dtype=torch.float64).reshape(-1, self.dimension)
        return Evaluation(self(X).numpy(), np.ones(len(rows)), tuple({} for _ in rows))

    @property
    def _names(self) -> list[str]:
        width = len(str(self.dimension))
        return [f"x{i:0{width}}" for i in range(1, self.dimension + 1)]


def _branin(X: Tensor) -> Tensor:
    """(x2 - 5.1/(4 pi^2) x1^2 + 5/pi x1 - 6)^2 + 10 (1 - 1/(8 pi)) cos x1 + 10."""
    x1, x2 = X.unbind(-1)
    parabola = x2 - 5.1 / (4 * math.pi**2) * x1**2 + 5 / math.pi * x1 - 6
    return parabola**2 + 10 * (1 - 1 / (8 * math.pi)) * x1.cos() + 10


branin = SyntheticFunction(
    "branin",
    _branin,
    ((-5.0, 10.0), (0.0, 15.0)),
    0.39788735772973816,
    ((-math.pi, 12.275), (math.pi, 2.275), (3 * math.pi, 2.475)),
    308.1290960116067,
)


def _forrester(X: Tensor) -> Tensor:
    """(6x - 2)^2 sin(12x - 4)."""
    x = X.squeeze(-1)
    return (6 * x - 2) ** 2 * (12 * x - 4).sin()


forrester = SyntheticFunction(
    "forrester", _forrester, ((0.0, 1.0),), -6.020740055767083, ((0.7572487572,),), 15.82973194597412
)


def _bohachevsky(X: Tensor) -> Tensor:
    """x1^2 + 2 x2^2 - 0.3 cos(3 pi x1) - 0.4 cos(4 pi x2) + 0.7."""
    x1, x2 = X.unbind(-1)
    return x1**2 + 2 * x2**2 - 0.3 * (3 * math.pi * x1).cos() - 0.4 * (4 * math.pi * x2).cos() + 0.7


bohachevsky = SyntheticFunction("bohachevsky", _bohachevsky, ((-100.0, 100.0),) * 2, 0.0, ((0.0, 0.0),), 30000.0)


def _camelback(X: Tensor) -> Tensor:
    """(4 - 2.1 x1^2 + x1^4 / 3) x1^2 + x1 x2 + (4 x2^2 - 4) x2^2."""
    x1, x2 = X.unbind(-1)
    return (4 - 2.1 * x1**2 + x1**4 / 3) * x1**2 + x1 * x2 + (4 * x2**2 - 4) * x2**2


camelback = SyntheticFunction(
    "camelback",
    _camelback,
    ((-3.0, 3.0), (-2.0, 2.0)),
    -1.0316284534898774,
    ((-0.0898420131, 0.7126564030), (0.0898420131, -0.7126564030)),
    162.90000000000003,
)


def _goldstein_price(X: Tensor) -> Tensor:
    """(1 + (x1+x2+1)^2 (19 - 14x1 + 3x1^2 - 14x2 + 6x1x2 + 3x2^2))
    * (30 + (2x1-3x2)^2 (18 - 32x1 + 12x1^2 + 48x2 - 36x1x2 + 27x2^2))."""
    x1, x2 = X.unbind(-1)
    first = 19 - 14 * x1 + 3 * x1**2 - 14 * x2 + 6 * x1 * x2 + 3 * x2**2
    second = 18 - 32 * x1 + 12 * x1**2 + 48 * x2 - 36 * x1 * x2 + 27 * x2**2
    return (1 + (x1 + x2 + 1) ** 2 * first) * (30 + (2 * x1 - 3 * x2) ** 2 * second)


goldstein_price = SyntheticFunction(
    "goldstein_price", _goldstein_price, ((-2.0, 2.0),) * 2, 3.0, ((0.0, -1.0),), 1015690.2718
)


def _levy(X: Tensor) -> Tensor:
    """With w = 1 + (x - 1)/4: sin^2(pi w_1) + sum_{i<d} (w_i - 1)^2 (1 + 10 sin^2(pi w_i + 1))
    + (w_d - 1)^2 (1 + sin^2(2 pi w_d))."""
    w = 1 + (X - 1) / 4
    inner, last = w[..., :-1], w[..., -1]
    middle = ((inner - 1) ** 2 * (1 + 10 * (math.pi * inner + 1).sin() ** 2)).sum(-1)
    return (math.pi * w[..., 0]).sin() ** 2 + middle + (last - 1) ** 2 * (1 + (2 * math.pi * last).sin() ** 2)


def levy_of(dimension: int) -> SyntheticFunction:
    """Levy's function of d >= 1 inputs on [-15, 10]^d, minimum 0 at (1, ..., 1).

    Its largest value is known for d = 1; each further input adds at most (w - 1)^2 * 11 = 176, and 1 bounds the sine.
    """
    if dimension < 1:
        raise UserError(f"dimension {dimension}; allowed: 1 or more")
    worst = 28.688312051594647 + (dimension > 1) + 176.0 * (dimension - 1)
    name = "levy" if dimension == 1 else f"levy{dimension}"
    return SyntheticFunction(name, _levy, ((-15.0, 10.0),) * dimension, 0.0, ((1.0,) * dimension,), worst)


levy = levy_of(1)


def _rosenbrock(X: Tensor) -> Tensor:
    """sum_{i<d} 100 (x_{i+1} - x_i^2)^2 + (x_i - 1)^2."""
    x, after = X[..., :-1], X[..., 1:]
    return (100 * (after - x**2) ** 2 + (x - 1) ** 2).sum(-1)


def rosenbrock_of(dimension: int) -> SyntheticFunction:
    """Rosenbrock's function of d >= 2 inputs on [-5, 10]^d, minimum 0 at (1, ..., 1).

    No term exceeds 100 (-5 - 10^2)^2 + 9^2 = 1,102,581; for d = 2 that is the largest value.
    """
    if dimension < 2:
        raise UserError(f"dimension {dimension}; allowed: 2 or more")
    name = "rosenbrock" if dimension == 2 else f"rosenbrock{dimension}"
    worst = 1102581.0 * (dimension - 1)
    return SyntheticFunction(name, _rosenbrock, ((-5.0, 10.0),) * dimension, 0.0, ((1.0,) * dimension,), worst)


rosenbrock = rosenbrock_of(2)


def _sines(X: Tensor) -> Tensor:
    """prod_i 0.5 sin(13 x_i) sin(27 x_i) + 0.5."""
    return (0.5 * (13 * X).sin() * (27 * X).sin() + 0.5).prod(-1)


_SINES_MINIMUM, _SINES_MAXIMUM, _SINES_AT = 0.04292634243364324, 0.975599143811576, 0.6330131648

sin_one = SyntheticFunction("sin_one", _sines, ((0.0, 1.0),), _SINES_MINIMUM, ((_SINES_AT,),), _SINES_MAXIMUM)
sin_two = SyntheticFunction(
    "sin_two", _sines, ((0.0, 1.0),) * 2, _SINES_MINIMUM**2, ((_SINES_AT, _SINES_AT),), _SINES_MAXIMUM**2
)

sinc = SyntheticFunction("sinc", Sinc(), ((0.0, 1.0),), -0.21723362821122166, ((0.3569703350,), (0.6430296650,)), 1.0)


def _brofos_quartic(X: Tensor) -> Tensor:
    """3x (1.5 + 3x) (3x - 1.5) (3x - 2): the negative of the target that Brofos et al. maximize."""
    x = 3 * X.squeeze(-1)
    return x * (1.5 + x) * (x - 1.5) * (x - 2)


brofos_quartic = SyntheticFunction(
    "brofos_quartic", _brofos_quartic, ((-1.0, 1.0),), -3.7765053180021577, ((-0.3153549710,),), 101.25
)


def _gaussian_mixture(X: Tensor) -> Tensor:
    """-(1/3) sum_k Normal(x; m_k, S_k): the negative of the density that Brofos et al. maximize."""
    means = X.new_tensor([[0.9, 0.1], [0.9, 0.9], [0.15, 0.7]])
    covariances = X.new_tensor([[[0.05, 0.0], [0.0, 0.05]], [[0.07, 0.01], [0.01, 0.07]], [[0.03, 0.0], [0.0, 0.03]]])
    residual = X.unsqueeze(-2) - means
    squares = torch.einsum("...ki,kij,...kj->...k", residual, covariances.inverse(), residual)
    return -((-squares / 2).exp() / (2 * math.pi * covariances.det().sqrt())).mean(-1)


gaussian_mixture = SyntheticFunction(
    "gaussian_mixture", _gaussian_mixture, ((-1.0, 1.0),) * 2, -1.7815967178275114, ((0.1523885401, 0.7002830939),), 0.0
)


ALPHA = (1.0, 1.2, 3.0, 3.2)
A3 = ((3.0, 10.0, 30.0), (0.1, 10.0, 35.0), (3.0, 10.0, 30.0), (0.1, 10.0, 35.0))
P3 = (
    (0.3689, 0.1170, 0.2673),
    (0.4699, 0.4387, 0.7470),
    (0.1091, 0.8732, 0.5547),
    (0.0381, 0.5743, 0.8828),
)
A6 = (
    (10.0, 3.0, 17.0, 3.5, 1.7, 8.0),
    (0.05, 10.0, 17.0, 0.1, 8.0, 14.0),
    (3.0, 3.5, 1.7, 10.0, 17.0, 8.0),
    (17.0, 8.0, 0.05, 10.0, 0.1, 14.0),
)
P6 = (
    (0.1312, 0.1696, 0.5569, 0.0124, 0.8283, 0.5886),
    (0.2329, 0.4135, 0.8307, 0.3736, 0.1004, 0.9991),
    (0.2348, 0.1451, 0.3522, 0.2883, 0.3047, 0.6650),
    (0.4047, 0.8828, 0.8732, 0.5743, 0.1091, 0.0381),
)


Matrix = tuple[tuple[float, ...], ...]


def _sum(X: Tensor, precisions: Matrix, centres: Matrix) -> Tensor:
    """sum_i alpha_i exp(-sum_j A_ij (x_j - P_ij)^2), (..., d) -> (...); columns past the d-th are not used."""
    d = X.shape[-1]
    A, P = X.new_tensor(precisions)[:, :d], X.new_tensor(centres)[:, :d]
    return (X.new_tensor(ALPHA) * (-(A * (X.unsqueeze(-2) - P) ** 2).sum(-1)).exp()).sum(-1)


def _hartmann3(X: Tensor) -> Tensor:
    return -_sum(X, A3, P3)


def _hartmann6(X: Tensor) -> Tensor:
    return -_sum(X, A6, P6)


def _hartmann4_rescaled(X: Tensor) -> Tensor:
    return (1.1 - _sum(X, A6, P6)) / 0.839


_AT_4 = (0.1873952699, 0.1941515277, 0.5579177793, 0.2647796240)

hartmann3 = SyntheticFunction(
    "hartmann3",
    _hartmann3,
    ((0.0, 1.0),) * 3,
    -3.862779787332663,
    ((0.1145888608, 0.5556488951, 0.8525469834),),
    0.0,
)
hartmann4 = SyntheticFunction("hartmann4", _hartmann6, ((0.0, 1.0),) * 4, -3.7298405844855935, (_AT_4,), 0.0)
hartmann4_rescaled = SyntheticFunction(
    "hartmann4_rescaled",
    _hartmann4_rescaled,
    ((0.0, 1.0),) * 4,
    (1.1 - 3.7298405844855935) / 0.839,
    (_AT_4,),
    1.1 / 0.839,
)
hartmann6 = SyntheticFunction(
    "hartmann6",
    _hartmann6,
    ((0.0, 1.0),) * 6,
    -3.322368011415515,
    ((0.2016895075, 0.1500106897, 0.4768739743, 0.2753324306, 0.3116516182, 0.6573005336),),
    0.0,
)


# The functions of thesis Fig A.1: the text names three of its eight panels; these ten are the authors' own list.
FIGURE_A1 = (
    branin,
    hartmann3,
    hartmann6,
    camelback,
    goldstein_price,
    rosenbrock,
    sin_one,
    sin_two,
    bohachevsky,
    levy,
)
FUNCTIONS = {
    function.name: function
    for function in (
        *FIGURE_A1,
        hartmann4,
        hartmann4_rescaled,
        forrester,
        sinc,
        brofos_quartic,
        gaussian_mixture,
    )
}


def lookup(name: str) -> SyntheticFunction:
    """A function by its name. Raises UnknownNameError, with the nearest names."""
    if name not in FUNCTIONS:
        raise UnknownNameError("synthetic function", name, FUNCTIONS)
    return FUNCTIONS[name]
