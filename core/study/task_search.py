"""One method on many tasks at once: every run on every task advances in lockstep, and all are evaluated in one call.

A lane is one run on one task. Methods with a policy propose for all lanes in one batch; the others, which ask and tell,
are asked lane by lane, which costs far less than their evaluation one by one would.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import torch
from ConfigSpace import ConfigurationSpace, Float
from numpy.typing import NDArray
from torch import Tensor

from core.foundation.progress import Progress, silent
from core.foundation.randomness import make_generators
from core.foundation.seeds import derive_seed
from core.optimizers.policy import uniform_points
from core.optimizers.settings import MethodSettings
from core.spaces import CubeEncoding
from core.study.curves import solved_share, value_of_incumbent
from core.study.lockstep import KeptProposals, run_on_cube

Observe = Callable[[Tensor, int], Tensor]
"""From points (lanes, k, d) and the number of the first evaluation to observations (lanes, k)."""


class Tasks(Protocol):
    """Tasks of one class on the unit cube, see `core.objectives.generated_tasks.GeneratedTasks`."""

    seeds: tuple[int, ...]

    @property
    def dimension(self) -> int: ...
    def __len__(self) -> int: ...
    def observe(self, X: Tensor, normals: Tensor) -> tuple[Tensor, Tensor]: ...
    def targets(self) -> Tensor: ...
    def repeated(self, runs: int) -> Tasks: ...


@dataclass(frozen=True)
class Incumbents:
    """The configuration of each lane with the smallest observation so far, after each evaluation.

    Attributes:
        loss: Noise-free value of the incumbent, (tasks, runs, n).
        solved: Share of the task's targets that this value reaches, (tasks, runs, n); under noise it may fall, see
            `core.study.curves`.
    """

    loss: NDArray[np.float64]
    solved: NDArray[np.float64]


def search_tasks(
    tasks: Tasks,
    method: MethodSettings,
    evaluations: int,
    starts: Sequence[int],
    seeds: Sequence[int],
    initial: int,
    noisy: bool = False,
    progress: Progress = silent,
    device: str = "cpu",
    kept: KeptProposals | None = None,
) -> Incumbents:
    """Run a method on all tasks, R times.

    Args:
        evaluations: Number n of evaluations of each lane.
        starts: Seeds of the initial design and of the noise, (R,), which all methods share.
        seeds: Seeds of the method, (R,).
        initial: Number of uniform points at the start, for methods with a policy; all others have their own.
        noisy: Whether the method sees noisy values.
        device: Device of a method with a policy; tasks are evaluated on the CPU.
        kept: Where its proposals are kept, from which an interrupted search continues.
    """
    runs, size = len(seeds), len(tasks) * len(seeds)
    lanes = tasks.repeated(runs)
    own = [derive_seed("lane", seed, task) for task in tasks.seeds for seed in seeds]
    shared = [derive_seed("lane", start, task) for task in tasks.seeds for start in starts]
    noise = np.stack([np.random.default_rng(seed).standard_normal(evaluations) for seed in shared])
    normals = torch.from_numpy(noise if noisy else np.zeros_like(noise))
    values, observed = torch.empty(size, evaluations).double(), torch.empty(size, evaluations).double()

    def evaluate(X: Tensor, number: int) -> Tensor:
        """Observations of the points of all lanes (lanes, k, d), the evaluations from `number` on."""
        columns = slice(number, number + X.shape[1])
        with torch.no_grad():
            values[:, columns], observed[:, columns] = lanes.observe(X, normals[:, columns])
        progress((number + X.shape[1]) / evaluations)
        return observed[:, columns].clone()

    space = cube(tasks.dimension)
    if method.in_lockstep:
        encoding = CubeEncoding(space)
        start = uniform_points(encoding, max(1, initial), make_generators(shared)).to(device)
        policy, generators = method.policy(encoding, device), make_generators(own, device)
        run_on_cube(_counted(evaluate), policy, start, generators, evaluations, kept)
    else:
        _by_asking(method, space, evaluate, evaluations, own)
    losses = value_of_incumbent(observed.numpy(), values.numpy()).reshape(len(tasks), runs, -1)
    targets = tasks.targets().numpy()
    solved = np.stack([solved_share(own, reached) for own, reached in zip(losses, targets, strict=True)])
    return Incumbents(losses, solved)


def cube(dimension: int) -> ConfigurationSpace:
    """The unit cube: tasks are functions of the encoded configuration."""
    space = ConfigurationSpace(name="cube")
    space.add(*(Float(f"x{number:02d}", (0.0, 1.0)) for number in range(dimension)))
    return space


def _counted(evaluate: Observe) -> Callable[[Tensor], Tensor]:
    """The observations of points on any device, which knows the number of the first by itself."""
    done = 0

    def function(X: Tensor) -> Tensor:
        nonlocal done
        losses = evaluate(X.cpu(), done)
        done += X.shape[1]
        return losses.to(X.device)

    return function


def _by_asking(
    method: MethodSettings, space: ConfigurationSpace, evaluate: Observe, evaluations: int, seeds: Sequence[int]
) -> None:
    optimizers = [method.build(space, seed, evaluations=evaluations) for seed in seeds]
    names = list(space)
    for number in range(evaluations):
        trials = [optimizer.ask(1)[0] for optimizer in optimizers]
        points = np.array([[trial.configuration[name] for name in names] for trial in trials])
        losses = evaluate(torch.from_numpy(points).unsqueeze(1), number)[:, 0].tolist()
        for optimizer, trial, loss in zip(optimizers, trials, losses, strict=True):
            optimizer.tell(trial, loss)
