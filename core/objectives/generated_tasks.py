"""Tasks that a meta-model generates (thesis 8.2.3), all of a class evaluated together, or one by one as objectives.

    tasks = generated_tasks(model, 1000)
    tasks.values(X)                                     # (1000, n) at points X (1000, n, d), differentiable
    minimize(tasks.objective(3, space))

A task is the number of a weight vector, a latent vector, and a seed. The latent vector is drawn from q(h_t) of a real
task t, every t being as likely; the number from all alike: in every M tasks each weight vector occurs once, so that the
tasks share reading them evenly. The first n of many tasks are those of n.

Variations of the Forrester function, a class of tasks that is known (thesis 8.4.2):

    f(x) = (a x - 2)^2 sin(b x - 4),    0 <= x <= 1

The thesis draws a and b from [0, 1], where every function is monotone or nearly so, and plots others. Forrester's own
has a = 6 and b = 12: here both are random shares of these, a uniform in [0, 6] and b in [0, 12].
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import torch
from ConfigSpace import ConfigurationSpace
from numpy.typing import NDArray
from torch import Tensor

from core.foundation.errors import UserError
from core.foundation.seeds import derive_seed
from core.foundation.validation import require_count
from core.objectives.base import Configurations, Evaluation, check_budget
from core.objectives.forrester_function import forrester, random_parameters
from core.objectives.meta_model import FunctionsOfTasks, MetaModel
from core.spaces import CubeEncoding, SpaceLike, as_space
from core.spaces.points import sobol_points

if TYPE_CHECKING:
    from torch import Tensor


TARGETS = 100  # points of the Sobol grid of targets for each dimension (8.3.2)


@dataclass(frozen=True)
class GeneratedTasks:
    """T tasks of a class.

    Attributes:
        samples: Number of each task's weight vector, (T,).
        latent: Latent vectors, (T, Q).
        seeds: Seeds of the noise of the observations, one per task.
    """

    model: MetaModel
    samples: Tensor
    latent: Tensor
    seeds: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.seeds)

    @property
    def dimension(self) -> int:
        """d."""
        return self.model.dimension

    def values(self, X: Tensor) -> Tensor:
        """Noise-free values, (T, n), at points of the unit cube (T, n, d); differentiable in these."""
        return self.losses(X)

    def observe(self, X: Tensor, normals: Tensor) -> tuple[Tensor, Tensor]:
        """Noise-free and noisy values, (T, n) each, given standard normals (T, n)."""
        return self.losses.observe(X, normals)

    def targets(self) -> Tensor:
        """Noise-free values of every task on the Sobol grid of 100 d points, (T, 100 d)."""
        grid = torch.from_numpy(sobol_points(self.model.dimension, 0, TARGETS * self.model.dimension))
        return torch.cat([part.values(grid.expand(len(part), -1, -1)) for part in self._parts()])

    def take(self, chosen: range) -> GeneratedTasks:
        """Some of the tasks."""
        places = list(chosen)
        seeds = tuple(self.seeds[place] for place in places)
        return GeneratedTasks(self.model, self.samples[places], self.latent[places], seeds)

    def repeated(self, runs: int) -> GeneratedTasks:
        """Every task `runs` times, one after the other: (T runs) tasks, those of the first task first."""
        seeds = tuple(seed for seed in self.seeds for _ in range(runs))
        samples, latent = (part.repeat_interleave(runs, 0) for part in (self.samples, self.latent))
        return GeneratedTasks(self.model, samples, latent, seeds)

    def objective(self, number: int, space: SpaceLike, noisy: bool = False) -> GeneratedTask:
        """One task on a space of the model's dimension, also given as for `minimize`.

        Raises:
            UserError: a number that no task has, or a space of another dimension.
        """
        if not 0 <= number < len(self):
            raise UserError(f"task {number}; allowed: 0 to {len(self) - 1}")
        return GeneratedTask(self.take(range(number, number + 1)), as_space(space), noisy)

    def _parts(self) -> list[GeneratedTasks]:
        """At most 50 tasks at a time, so that activations at many points stay small."""
        return [self.take(range(start, min(start + 50, len(self)))) for start in range(0, len(self), 50)]

    @cached_property
    def losses(self) -> FunctionsOfTasks:
        """The tasks' functions."""
        return self.model.loss.at(self.samples, self.latent)

    @cached_property
    def seconds(self) -> FunctionsOfTasks | None:
        """Their costs, None if the model has none; the weight vectors are those of the same numbers."""
        cost = self.model.cost
        return None if cost is None else cost.at(self.samples % cost.samples, self.latent)


@dataclass(frozen=True)
class GeneratedTask:
    """One task as an `Objective`; the cost is that which the meta-model predicts, 1 without a model of it."""

    tasks: GeneratedTasks
    space: ConfigurationSpace
    noisy: bool = False
    fidelity: None = None
    optimum: None = None

    def __post_init__(self) -> None:
        if self.encoding.dimension != self.tasks.model.dimension:
            raise UserError(
                f"space of {self.encoding.dimension} dimensions; the tasks of {self.tasks.model.name!r} have "
                f"{self.tasks.model.dimension}"
            )

    @cached_property
    def encoding(self) -> CubeEncoding:
        """From configurations to points."""
        return CubeEncoding(self.space)

    @property
    def worst_loss(self) -> float:
        """The largest value of the real tasks."""
        return self.tasks.model.worst

    def evaluate(
        self, configurations: Configurations, budget: float | None, generator: np.random.Generator
    ) -> Evaluation:
        """Values of all configurations in one call; `info` has the noise-free ones as "value".

        Raises:
            UserError: a budget, or a configuration outside the space.
        """
        check_budget(None, budget)
        X = torch.from_numpy(self.encoding.encode(configurations))[None]
        normals = generator.standard_normal((1, X.shape[1])) if self.noisy else np.zeros((1, X.shape[1]))
        with torch.no_grad():
            values, observed = self.tasks.observe(X, torch.from_numpy(normals))
            seconds = np.ones(X.shape[1]) if self.tasks.seconds is None else self.tasks.seconds(X)[0].numpy()
        info = tuple({"value": value} for value in values[0].tolist())
        return Evaluation(observed[0].numpy(), seconds, info)


def generated_tasks(model: MetaModel, count: int, seed: int = 0) -> GeneratedTasks:
    """The first tasks of a class.

    Args:
        count: Number T of tasks.
        seed: Seed of the tasks; another seed gives other tasks.

    Raises:
        UserError: a count that is not a positive whole number.
    """
    require_count("tasks", count)
    rng = np.random.default_rng(derive_seed("generated tasks", model.name, seed))
    size, (real, dimensions) = model.loss.samples, model.encoder.means.shape
    samples: list[NDArray[np.int64]] = []
    latent: list[NDArray[np.float64]] = []
    seeds: list[int] = []
    for _ in range(0, count, size):  # whole blocks, so that the first tasks do not depend on how many follow
        samples.append(rng.permutation(size))
        chosen, noise = rng.integers(real, size=size), rng.standard_normal((size, dimensions))
        latent.append(model.encoder.means.numpy()[chosen] + model.encoder.deviations.numpy()[chosen] * noise)
        seeds.extend(rng.integers(2**62, size=size).tolist())
    vectors = torch.from_numpy(np.concatenate(latent)[:count])
    return GeneratedTasks(model, torch.from_numpy(np.concatenate(samples)[:count]), vectors, tuple(seeds[:count]))


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
