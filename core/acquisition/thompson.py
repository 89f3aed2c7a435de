"""Thompson sampling (thesis, section 2.2.3) with any model that can draw functions.

    f ~ p(f | D),    a(x) = -f(x)

The thesis prints a(x) = f(x), for maximization; here the next point is the draw's minimum. One function is drawn
for each run and stays fixed, so that the acquisition can be optimized: a member of a sample-based ensemble, or a
function of a Gaussian member of a mixture.
"""

import copy
from collections.abc import Callable
from functools import singledispatch
from typing import ClassVar

import torch
from torch import Tensor

from core.foundation.errors import UserError
from core.foundation.randomness import Generators, uniform_
from core.models.ensemble import EnsembleModel
from core.models.mixture import GaussianMixtureModel
from core.models.pbp.model import ProbabilisticBackpropagation
from core.models.sampled_network import SampledNetwork

Function = Callable[[Tensor], Tensor]


class ThompsonSample:
    """One function draw for each run: -f(x), without observation noise.

    Args:
        model: Fitted model.
        generators: Generators, one per run, or one for all runs.

    Raises:
        UserError: a model that has no functions to draw.
    """

    logarithmic: ClassVar[bool] = False

    def __init__(self, model: EnsembleModel, generators: Generators) -> None:
        self.function = draw_function(model, generators)

    def __call__(self, X: Tensor) -> Tensor:
        """X (..., runs, q, d) to (..., runs, q)."""
        return -self.function(X)


@singledispatch
def draw_function(model: EnsembleModel, generators: Generators) -> Function:
    """A function X (..., runs, q, d) -> (..., runs, q), in the targets' units; for any ensemble, one member per run."""
    members = draw_members(model, 1, generators).squeeze(-1)

    def function(X: Tensor) -> Tensor:
        means, _ = model.predict(X)
        index = members.view(*(1 for _ in range(means.ndim - 2)), -1, 1)
        return means.gather(0, index.expand(1, *means.shape[1:])).squeeze(0)

    return function


@draw_function.register
def _(model: SampledNetwork, generators: Generators) -> Function:
    """One network per run, without the cost of the others."""
    members = draw_members(model, 1, generators).squeeze(-1)
    drawn = copy.copy(model)
    drawn.samples = model.samples[members, torch.arange(model.runs, device=members.device)].unsqueeze(0)
    return lambda X: drawn.predict(X)[0].squeeze(0)


@draw_function.register
def _(model: GaussianMixtureModel, generators: Generators) -> Function:
    functions = model.sample_functions(1, generators)
    return lambda X: functions(X).squeeze(0)


@draw_function.register
def _(model: ProbabilisticBackpropagation, generators: Generators) -> Function:
    raise UserError("ThompsonSample: ProbabilisticBackpropagation predicts moments and has no function to draw")


def draw_members(model: EnsembleModel, draws: int, generators: Generators) -> Tensor:
    """Members drawn uniformly with replacement, (runs, draws) int64, on the model's device."""
    with torch.no_grad():
        means, _ = model.predict(torch.full((1, max(model.dimension, 1)), 0.5, dtype=torch.float64))
    device = generators.device if isinstance(generators, torch.Generator) else generators[0].device
    uniforms = uniform_(torch.empty(model.runs, draws, dtype=torch.float64, device=device), generators)
    return (uniforms * len(means)).long().to(means.device)
