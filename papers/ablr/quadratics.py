"""The quadratic functions of section 3.1: f(x) = 1/2 a |x|^2 + b 1'x + c in three dimensions.

The context of a task is (a, b, c), uniform in [0.1, 10]. The text at hand lost the formula's numbers; these are
those of the repository's list of corrections, and the domain, which no source gives, is [-5, 5] in each coordinate:
the minimum at -b/a is inside it for most tasks.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from core.foundation.randomness import uniform_

DIMENSION, LOW, HIGH = 3, 0.1, 10.0
BOUND = 5.0


def contexts(tasks: int, seed: int) -> Tensor:
    """(a, b, c) of each task, (tasks, 3)."""
    drawn = np.random.default_rng(seed).uniform(LOW, HIGH, (tasks, 3))
    return torch.from_numpy(drawn)


def quadratic(context: Tensor, U: Tensor) -> Tensor:
    """Values at points of the unit cube (runs, n, 3), with one context for each run, (runs, 3): (runs, n)."""
    X = BOUND * (2 * U - 1)
    a, b, c = context.to(U).unsqueeze(-1).unbind(1)
    return 0.5 * a * X.square().sum(-1) + b * X.sum(-1) + c


def minimum(context: Tensor) -> Tensor:
    """The smallest value on the domain, (runs,)."""
    a, b, _ = context.unbind(-1)
    best = (-b / a).clamp(-BOUND, BOUND)
    U = (best / BOUND + 1) / 2
    return quadratic(context, U[:, None, None].expand(-1, 1, DIMENSION)).squeeze(1)


def random_points(runs: int, n: int, generators: list[torch.Generator]) -> Tensor:
    """Uniform points of the cube, (runs, n, 3)."""
    return uniform_(torch.empty(runs, n, DIMENSION, dtype=torch.float64), generators)
