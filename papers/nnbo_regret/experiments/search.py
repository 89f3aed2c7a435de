"""All runs of a shard in lockstep, and what the theory needs for every query.

    Y_i = r_i - (mu_i(x*) - mu_i(x_i)),   V[Y_i] = k_i(x_i, x_i) + k_i(x*, x*) - 2 k_i(x*, x_i)          (Eqs. 14, 17)

with mu_i and k_i the posterior, in the units of f, from the observations before query i's batch. f is maximized, the
optimizer minimizes -f; what is recorded has the sign of f.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from core.acquisition.maximizers.grid import regular_grid
from core.experiment.context import Context
from core.foundation.progress import Progress, silent
from core.foundation.randomness import make_generators, normal_, uniform_
from core.models.adaptive_least_squares import AdaptiveLeastSquares
from core.optimizers.representation_batch import Batch, RepresentationBatches
from core.study.lockstep import advance
from papers.nnbo_regret.experiments.targets import Target, make_target
from papers.nnbo_regret.settings import RegretSearch


class Queries(NamedTuple):
    """A batch of k queries of every run, each (runs, k) unless stated otherwise.

    value: f(x_i), without noise.
    mean, mean_best: Mu_i(x_i) and mu_i(x*).
    difference: V[Y_i], of f, without observation noise.
    floored: Whether s^2 is at its floor, (runs, 1) bool.
    explored: Chosen by the largest variance, bool.
    """

    value: Tensor
    mean: Tensor
    mean_best: Tensor
    difference: Tensor
    floored: Tensor
    explored: Tensor


class Runs:
    """The runs of a shard.

    Attributes:
        target: Target that is maximized.
        X, y: Observed points of the cube (runs, N, d) and their noisy losses (runs, N).
        initial: f at the initial points, (runs, initial_points).
        rule: Rule by which batches are chosen; `rule.model` is the regression.
        generators: Generators for the rule, one per run.
        batches: Record of each batch.
    """

    def __init__(self, context: Context) -> None:
        settings, device = context.settings, context.device
        self.settings = settings
        self.target = make_target(context.benchmark, context.shared_seeds("target"), settings.length_scale, device)
        self.rule = make_rule(settings, self.target.dimension, device)
        self.generators = make_generators(context.method_seeds("network"), device)
        self._noise = make_generators(context.method_seeds("noise"), device)
        starts = make_generators(context.shared_seeds("initial"), device)
        runs, d = len(context.runs), self.target.dimension
        empty = torch.empty(runs, settings.initial_points, d, dtype=torch.float64, device=device)
        self.X = uniform_(empty, starts)
        self.initial = self.target.function(self.X)
        self.y = self._observe(self.initial)
        self.batches: list[Queries] = []

    def query(self, count: int | None = None, progress: Progress = silent) -> None:
        """Make `count` more queries, by default those of the settings, in whole batches that are all recorded."""
        count = self.settings.queries if count is None else count
        last = self.X.shape[1] + count // self.settings.batch * self.settings.batch
        self.X, self.y = advance(self.next_batch, self._evaluate, self.X, self.y, last, progress)

    def next_batch(self, X: Tensor, y: Tensor) -> Batch:
        """What the rule chooses after these observations."""
        return self.rule.propose(X, y, self.generators)

    def _evaluate(self, batch: Batch) -> Tensor:
        value = self.target.function(batch.points)
        self.batches.append(self._queries(batch.points, value, batch.explored))
        return self._observe(value)

    def _observe(self, value: Tensor) -> Tensor:
        return -(value + self.settings.noise_sd * normal_(torch.empty_like(value), self._noise))

    @torch.no_grad()
    def _queries(self, points: Tensor, value: Tensor, explored: Tensor) -> Queries:
        model = self.rule.model
        mean, covariance = (part[0] for part in model.joint(torch.cat([points, self.target.optimizer], 1)))
        mean, scale = -model.targets.inverse(mean), model.targets.scale.square()
        variance = scale * covariance.diagonal(dim1=-2, dim2=-1)
        across = scale * covariance[..., :-1, -1]
        # The difference of two similar numbers may be below zero by rounding.
        difference = (variance[:, :-1] + variance[:, -1:] - 2 * across).clamp_min(0)
        return Queries(
            value=value,
            mean=mean[:, :-1],
            mean_best=mean[:, -1:].expand_as(value),
            difference=difference,
            floored=model.noise_variance.unsqueeze(-1) <= model.min_noise,
            explored=explored,
        )


def make_rule(settings: RegretSearch, dimension: int, device: str = "cpu") -> RepresentationBatches:
    """The paper's optimizer with an experiment's settings, for a target with `dimension` inputs."""
    model = AdaptiveLeastSquares(
        widths=settings.widths,
        steps=settings.steps,
        refit_every=settings.refit_every,
        at_multiples=settings.refit_at_multiples,
        learning_rate=settings.learning_rate,
        momentum=settings.momentum,
        min_noise=settings.min_noise,
        corrected_noise=settings.corrected_noise,
        intercept=settings.intercept,
        standardize=settings.standardize,
        device=device,
    )
    return RepresentationBatches(regular_grid(dimension, settings.points_per_axis), model, settings.batch)


def regret_of(target: Target, value: Tensor) -> Tensor:
    """r = f(x*) - f(x), Eq. 9; a draw's maximum is known only to the spacing of its fine grid, hence the clamp at 0."""
    return (target.optimum - value).clamp_min(0)
