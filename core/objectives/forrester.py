"""Variations of the Forrester function, a class of tasks that is known (thesis 8.4.2):

    f(x) = (a x - 2)^2 sin(b x - 4),    0 <= x <= 1

The thesis draws a and b from [0, 1], where every function is monotone or nearly so, and plots others. Forrester's own
has a = 6 and b = 12: here both are random shares of these, a uniform in [0, 6] and b in [0, 12].
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from core.objectives.forrester_function import forrester, random_parameters
from core.objectives.generated_tasks import TARGETS
from core.spaces.points import sobol_points


@dataclass(frozen=True)
class ForresterTasks:
    """T tasks; without noise.

    Attributes:
        parameters: Values of a and b, (T, 2) float64.
        seeds: Seeds, one per task.
    """

    parameters: Tensor
    seeds: tuple[int, ...]

    dimension = 1

    def __len__(self) -> int:
        return len(self.seeds)

    def values(self, X: Tensor) -> Tensor:
        """(T, n) at points (T, n, 1)."""
        a, b = self.parameters.unsqueeze(-1).unbind(1)
        x = X[..., 0]
        return forrester(x, a, b, torch.sin)

    def observe(self, X: Tensor, normals: Tensor) -> tuple[Tensor, Tensor]:
        """The values twice: observations have no noise."""
        values = self.values(X)
        return values, values

    def targets(self) -> Tensor:
        """Values on the grid of 100 points, (T, 100)."""
        return self.values(torch.from_numpy(sobol_points(1, 0, TARGETS)).expand(len(self), -1, -1))

    def take(self, chosen: range) -> ForresterTasks:
        """Some of the tasks."""
        places = list(chosen)
        return ForresterTasks(self.parameters[places], tuple(self.seeds[place] for place in places))

    def repeated(self, runs: int) -> ForresterTasks:
        """Every task `runs` times, one after the other."""
        seeds = tuple(seed for seed in self.seeds for _ in range(runs))
        return ForresterTasks(self.parameters.repeat_interleave(runs, 0), seeds)


def forrester_tasks(count: int, seed: int = 0) -> ForresterTasks:
    """The first tasks of the class.

    Raises:
        UserError: a count that is not a positive whole number.
    """
    return ForresterTasks(torch.from_numpy(random_parameters(count, seed)), tuple(range(count)))
