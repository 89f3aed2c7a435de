"""Hartmann's functions: -sum_{i=1..4} alpha_i exp(-sum_j A_ij (x_j - P_ij)^2) on [0, 1]^d, d = 3, 4, 6.

The 4-d one has the first four columns of the 6-d A and P. Brofos et al. maximize its rescaled form (sum - 1.1) / 0.839;
`hartmann4_rescaled` is the negative of that, (1.1 - sum) / 0.839, since everything here is minimized.
"""

from __future__ import annotations

from torch import Tensor

from core.objectives.synthetic.function import SyntheticFunction

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
