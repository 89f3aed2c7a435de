"""What the optimizer maximizes: f on points of the unit cube, for all runs at once, with its maximum and maximizer.

The synthetic functions of `core.objectives.synthetic` are losses, here with the opposite sign. "gaussian_process" is a
different target in every run: a draw from a Gaussian process on [-1, 1] with the kernel exp(-(x - x')^2 / (2 l^2)),

    f(x) = k(x, U) K^-1 f(U),   f(U) ~ N(0, K),   K = k(U, U) + jitter,

where U are equidistant points, so dense that the conditional variance between them is below the jitter. Its maximum is
taken over 5,000 equidistant points.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from core.foundation.randomness import make_generators, normal_
from core.objectives import synthetic

DRAW = "gaussian_process"
JITTER = 1e-8
DENSITY = 8  # points of U per length scale
FINE = 5000


@dataclass(frozen=True)
class Target:
    """f of every run.

    Attributes:
        dimension: Number d of inputs.
        function: Function from points of the unit cube (runs, q, d) or (q, d) to f, (runs, q).
        optimum: Value f(x*), (runs, 1).
        optimizer: Maximizer x* in the unit cube, (runs, 1, d).
    """

    dimension: int
    function: Callable[[Tensor], Tensor]
    optimum: Tensor
    optimizer: Tensor


def make_target(name: str, seeds: Sequence[int], length_scale: float, device: str = "cpu") -> Target:
    """The target of each run; seeds, one per run, matter only to "gaussian_process".

    Raises:
        UnknownNameError: no such synthetic function.
    """
    return _draw(seeds, length_scale, device) if name == DRAW else _synthetic(name, len(seeds), device)


def _synthetic(name: str, runs: int, device: str) -> Target:
    function = synthetic.lookup(name)
    low, high = torch.tensor(function.bounds, dtype=torch.float64, device=device).T
    best = torch.tensor(function.optimizers[0], dtype=torch.float64, device=device)
    optimizer = ((best - low) / (high - low)).expand(runs, 1, -1)

    def value(U: Tensor) -> Tensor:
        return -function.on_cube(U).expand(runs, -1)

    return Target(function.dimension, value, torch.full_like(optimizer[..., 0], -function.optimum), optimizer)


def _draw(seeds: Sequence[int], length_scale: float, device: str) -> Target:
    count = math.ceil(2 / length_scale * DENSITY) + 1
    U = torch.linspace(-1, 1, count, dtype=torch.float64, device=device)

    def kernel(x: Tensor) -> Tensor:
        return (-0.5 * ((x.unsqueeze(-1) - U) / length_scale).square()).exp()

    K = kernel(U) + JITTER * torch.eye(count, dtype=torch.float64, device=device)
    root = torch.linalg.cholesky(K)
    normals = normal_(U.new_empty(len(seeds), count), make_generators(seeds, device))
    # K^-1 f(U) = L'^-1 z with f(U) = L z
    weights = torch.linalg.solve_triangular(root.mT, normals.mT, upper=True)

    def value(points: Tensor) -> Tensor:
        return (kernel(2 * points.squeeze(-1) - 1) @ weights.mT.unsqueeze(-1)).squeeze(-1)

    fine = torch.linspace(0, 1, FINE, dtype=torch.float64, device=device).unsqueeze(-1)
    optimum, place = value(fine).max(-1, keepdim=True)
    return Target(1, value, optimum, fine[place])
