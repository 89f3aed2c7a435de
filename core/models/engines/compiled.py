"""The compiled CPU engine: the whole step of SGHMC and scale-adapted SGHMC in machine code, one thread, float32.

The state of the chains is in flat arrays in the padded layout (`core.compiled.perceptron`); `sghmc.advance` moves it.

Those for multi-task BOHAMIANN, with a task for every point, and for LC-Net, with batches of curves, are of the same
kind.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import pad

from core.compiled import sghmc
from core.compiled.curve_sghmc import (
    CurveData,
    CurveLayout,
    compile_curve_advance,
    make_curve_layout,
    padded_curve_places,
)
from core.compiled.elementary import seed_states
from core.compiled.perceptron import make_regression_layout, padded_regression_places, padded_rows
from core.compiled.sghmc import TaskData, TaskLayout, compile_task_advance, make_task_layout, padded_task_places
from core.foundation.randomness import chain_seeds
from core.models.engines.problem import PaddedEngine, PaddedSampler, PaddedState, Problem
from core.models.network import MLP, ChainNetwork, TaskNetwork


class CompiledEngine(PaddedEngine):
    """Chains in flat float32 arrays, one padded parameter vector per chain.

    A subclass for another network has its own layout, data and compiled steps (`_prepare` and `compile`).
    """

    compile = staticmethod(sghmc.compile_advance)
    chains: sghmc.Chains

    def __init__(
        self,
        problem: Problem[ChainNetwork],
        sampler: PaddedSampler,
        state: PaddedState,
        generators: Sequence[torch.Generator],
    ) -> None:
        super().__init__(problem, sampler)
        self.layout, places, self.data = self._prepare()
        self.places = torch.from_numpy(places)
        self.target = self._make_target()
        self.chains = self._start(state, chain_seeds(generators, problem.chains))
        self.frozen = self.coefficients(state)

    def advance(self, steps: int, precision: Tensor) -> None:
        """Move all chains; `precision` (chains,) is that of the weight prior."""
        advance = self.compile()
        values = precision.to(torch.float32).numpy()
        advance(steps, self.adapting, self.layout, self.data, self.target, values, self.chains, self.frozen)

    def pack(self, values: Tensor, padding: float = 0.0) -> NDArray[np.float32]:
        """A tensor (chains, P_w + 1) as a flat array in the padded layout."""
        padded = torch.full((len(values), self.layout.size), padding)
        padded[:, self.places] = values.to(torch.float32)
        return padded.numpy().reshape(-1)

    def unpack(self, padded: NDArray[np.float32]) -> Tensor:
        """The inverse of `pack`."""
        return torch.from_numpy(padded).view(-1, self.layout.size)[:, self.places]

    def _prepare(self) -> tuple[Any, NDArray[np.int64], Any]:
        """The layout, the places in it of theta's entries, and the data."""
        layout = make_regression_layout(self.problem.network.sizes, self.problem.batch)
        X, y = self.problem.X.to(torch.float32), self.problem.y.to(torch.float32)
        data = sghmc.Data(
            padded_rows(X.numpy()),
            y.numpy(),
            self.problem.batch,
            self.problem.chains_per_run,
            float(self.problem.weight),
            self.problem.mean == "sigmoid",
        )
        return layout, padded_regression_places(layout), data

    def _make_target(self) -> sghmc.Target:
        (covered, valid), prior = self.masks(), self.problem.noise_prior
        return sghmc.Target(
            covered=covered,
            valid=valid,
            noise_mean=float(prior.mean),
            noise_variance=float(prior.variance),
            step_size=float(self.sampler.step_size),
            momentum_decay=float(self.sampler.momentum_decay),
            noise_correction=float(getattr(self.sampler, "noise_correction", False)),
        )

    def _start(self, state: PaddedState, seeds: NDArray[np.uint64]) -> sghmc.Chains:
        lanes, shufflers = seed_states(seeds)
        return sghmc.Chains(
            **self.starting(state),
            order=np.tile(np.arange(self.problem.points, dtype=np.int32), (len(state.position), 1)),
            batches_done=np.zeros(len(state.position), np.int64),
            lanes=lanes,
            shufflers=shufflers,
        )


@dataclass(frozen=True)
class CurveProblem(Problem[MLP]):
    """The posterior of networks given curves: `y` is (R, n, T), 0 where not observed; a batch consists of curves.

    Attributes:
        lengths: Numbers of observed epochs of each curve, (R, n) int64, at least 0.
        times: Times t of the epochs, (T,).
        amplitude: Factor A of the residuals in each run, (R,).
    """

    lengths: Tensor
    times: Tensor
    amplitude: Tensor


class CurveEngine(CompiledEngine):
    """Chains of LC-Nets in flat float32 arrays."""

    problem: CurveProblem
    compile = staticmethod(compile_curve_advance)

    def _prepare(self) -> tuple[CurveLayout, NDArray[np.int64], CurveData]:
        problem = self.problem
        layout = make_curve_layout(problem.network.sizes, problem.batch)
        lengths, times = problem.lengths.numpy(), problem.times.double().numpy()
        y = problem.y.numpy()
        seen = np.arange(y.shape[-1]) < lengths[..., None]
        time = padded_rows(times)
        time[len(times) :] = 1.0
        data = CurveData(
            X=padded_rows(problem.X.numpy()),
            y=padded_rows(np.where(seen, y, 0.0)),
            seen=padded_rows(seen.astype(np.float32)),
            lengths=lengths,
            time=time,
            log_time=np.log(time),
            inverse_time=1 / time,
            amplitude=problem.amplitude.numpy().astype(np.float32),
            batch=problem.batch,
            chains_per_run=problem.chains_per_run,
        )
        return layout, padded_curve_places(layout), data


@dataclass(frozen=True)
class TaskProblem(Problem[TaskNetwork]):
    """The posterior of networks given the points of several tasks; X is (R, N, d + c).

    The weights of the network include the features of every task.

    Attributes:
        task: Task number of each point, (N,) int64.
    """

    task: Tensor


class TaskEngine(CompiledEngine):
    """Chains of networks and of the tasks' features in flat float32 arrays."""

    problem: TaskProblem
    compile = staticmethod(compile_task_advance)

    def _prepare(self) -> tuple[TaskLayout, NDArray[np.int64], TaskData]:
        problem, network = self.problem, self.problem.network
        layout = make_task_layout(network.sizes, problem.batch, network.tasks, network.features)
        X, y = pad(problem.X.float(), (0, network.features)).numpy(), problem.y.float().numpy()
        data = TaskData(padded_rows(X), y, problem.task.numpy(), problem.batch, problem.chains_per_run)
        return layout, padded_task_places(layout), data
