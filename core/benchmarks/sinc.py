"""The sinc toy of the thesis' Fig. 3.1: 20 noise-free observations of a function of one input.

The thesis gives neither the scaling of the function nor the interval. Ours are those of the examples that its authors
published with their code: f(x) = sin(pi u) / (pi u) with u = 10 x - 5, on [0, 1], which ends at the fifth zero to each
side of the peak. Points are uniform at random in [0, 1]; predictions are evaluated on a grid over [-1, 2], of which the
middle third lies between data and the rest is extrapolation.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from core.randomness import Generators, uniform_


@dataclass(frozen=True)
class Sinc:
    """Training data and evaluation grid; inputs carry a feature axis of length 1.

    Args:
        points: observations a run.
        interval: where observations lie.
        extent: where predictions are evaluated.
    """

    points: int = 20
    interval: tuple[float, float] = (0.0, 1.0)
    extent: tuple[float, float] = (-1.0, 2.0)

    def __call__(self, X: Tensor) -> Tensor:
        """f at X (..., 1): (...)."""
        return torch.sinc(10 * X.squeeze(-1) - 5)

    def observations(self, generators: Generators, runs: int = 1) -> tuple[Tensor, Tensor]:
        """Uniform inputs (runs, points, 1) and noise-free targets (runs, points), float64 on the CPU."""
        low, high = self.interval
        X = low + (high - low) * uniform_(torch.empty(runs, self.points, 1, dtype=torch.float64), generators)
        return X, self(X)

    def grid(self, size: int = 601) -> Tensor:
        """Equally spaced inputs over the extent, (size, 1)."""
        return torch.linspace(*self.extent, size, dtype=torch.float64).unsqueeze(-1)
