"""Thompson sampling (thesis, section 2.2.3) from models that hold a finite set of sampled functions.

    f ~ p(f | D),    a(x) = -f(x)

The thesis prints a(x) = f(x), for maximisation; minimising, the next point is the draw's minimum. A draw is one member
for each run, chosen uniformly and fixed, so that the acquisition is a function that can be optimised.
"""

import copy
from functools import singledispatch
from typing import ClassVar

import torch
from torch import Tensor

from core.models.ensemble import EnsembleModel
from core.models.pbp.model import ProbabilisticBackpropagation
from core.models.sampled_network import SampledNetwork
from core.randomness import Generators, uniform_


class ThompsonSample:
    """One function draw for each run: -f(x), without observation noise.

    Args:
        model: a fitted ensemble.
        generators: one a run, or one for all of them.

    Attributes:
        members: (runs,), which member each run drew.

    Raises:
        TypeError: a model whose predictions are no function draws.
    """

    logarithmic: ClassVar[bool] = False

    def __init__(self, model: EnsembleModel, generators: Generators) -> None:
        self.members = draw_members(model, 1, generators).squeeze(-1)
        self.function = member_function(model, self.members)

    def __call__(self, X: Tensor) -> Tensor:
        """X (..., runs, q, d) to (..., runs, q)."""
        return -self.function(X)


def draw_members(model: EnsembleModel, draws: int, generators: Generators) -> Tensor:
    """Members drawn uniformly with replacement, (runs, draws) int64, on the model's device."""
    with torch.no_grad():
        means, _ = model.predict(torch.full((1, max(model.dimension, 1)), 0.5, dtype=torch.float64))
    device = generators.device if isinstance(generators, torch.Generator) else generators[0].device
    uniforms = uniform_(torch.empty(model.runs, draws, dtype=torch.float64, device=device), generators)
    return (uniforms * len(means)).long().to(means.device)


@singledispatch
def member_function(model: EnsembleModel, members: Tensor):
    """The function X (..., runs, q, d) -> (..., runs, q) that is member `members[r]` in run r: any ensemble's."""

    def function(X: Tensor) -> Tensor:
        means, _ = model.predict(X)
        index = members.view(*(1 for _ in range(means.ndim - 2)), -1, 1)
        return means.gather(0, index.expand(1, *means.shape[1:])).squeeze(0)

    return function


@member_function.register
def _(model: SampledNetwork, members: Tensor):
    """One network a run, without the cost of the others."""
    drawn = copy.copy(model)
    drawn.samples = model.samples[members, torch.arange(model.runs, device=members.device)].unsqueeze(0)
    drawn.noise_variance = torch.zeros(1, model.runs, 1, dtype=torch.float64, device=members.device)  # f, not y
    return lambda X: drawn.predict(X)[0].squeeze(0)


@member_function.register
def _(model: ProbabilisticBackpropagation, members: Tensor):
    raise TypeError("ThompsonSample: ProbabilisticBackpropagation predicts moments, it has no function to draw")
