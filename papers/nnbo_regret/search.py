"""All runs of a shard in lockstep: what they maximize, and what the theory needs for every query.

    Y_i = r_i - (mu_i(x*) - mu_i(x_i)),   V[Y_i] = k_i(x_i, x_i) + k_i(x*, x*) - 2 k_i(x*, x_i)          (Eqs. 14, 17)

with mu_i and k_i the posterior, in the units of f, from the observations before query i's batch. f is maximized, the
optimizer minimizes -f; what is recorded has the sign of f.

A target is f on points of the unit cube, for all runs at once, with its maximum and maximizer. The synthetic functions
of `core.objectives.synthetic` are losses, here with the opposite sign. "gaussian_process" is a different target in
every run: a draw from a Gaussian process on [-1, 1] with the kernel exp(-(x - x')^2 / (2 l^2)),

    f(x) = k(x, U) K^-1 f(U),   f(U) ~ N(0, K),   K = k(U, U) + jitter,

where U are equidistant points, so dense that the conditional variance between them is below the jitter. Its maximum is
taken over 5,000 equidistant points.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from core.acquisition.maximizers.base import regular_grid
from core.experiment.context import Context
from core.foundation.progress import Progress, silent
from core.foundation.randomness import make_generators, normal_, uniform_
from core.models.least_squares import AdaptiveLeastSquares
from core.objectives import synthetic
from core.optimizers.representation import Batch, RepresentationBatches
from core.study.lockstep import advance
from papers.nnbo_regret.settings import RegretSearch

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
