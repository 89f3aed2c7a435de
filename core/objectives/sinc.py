"""The sinc toy of the thesis' Fig. 3.1: 20 noise-free observations of a function of one input.

The thesis gives neither the scaling of the function nor the interval. Ours are those of the examples that its authors
published with their code: f(x) = sin(pi u) / (pi u) with u = 10 x - 5, on [0, 1], which ends at the fifth zero on each
side of the peak. Points are uniform at random in [0, 1]; predictions are evaluated on a grid over [-1, 2], whose
middle third lies between data and whose rest is extrapolation.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd
import torch
from torch import Tensor

from core.foundation.randomness import Generators, uniform_


@dataclass(frozen=True)
class Sinc:
    """Training data and evaluation grid; inputs carry a feature axis of length 1.

    Args:
        points: Number of observations per run.
        interval: Interval in which the observations lie.
        extent: Interval in which predictions are evaluated.
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


def prediction_records(
    runs: Sequence[int], X: Tensor, y: Tensor, grid: Tensor, mean: Tensor, variance: Tensor
) -> pd.DataFrame:
    """Records of a fit: rows of part "data" hold the training points (sd 0), those of part "grid" the prediction.

    Args:
        runs: Numbers of the repetitions.
        X, y: Inputs and targets as returned by `Sinc.observations`.
        grid: Inputs of the grid, (size, 1).
        mean, variance: Mean and variance of the prediction on the grid, (runs, size), or (1, size) if all repetitions
            share it.
    """
    mean, variance = (values.detach().cpu().expand(len(runs), -1) for values in (mean, variance))
    frames = []
    for index, run in enumerate(runs):
        data = {"x": X[index, :, 0], "mean": y[index], "sd": 0.0}
        prediction = {"x": grid[:, 0], "mean": mean[index], "sd": variance[index].sqrt()}
        for part, columns in (("data", data), ("grid", prediction)):
            frames.append(pd.DataFrame({"run": run, "part": part, **columns}))
    return pd.concat(frames, ignore_index=True)
