"""The compiled engine for multi-task BOHAMIANN: `compiled` with a task for every point."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import pad

from core.compiled.layout import padded_rows
from core.compiled.task_gradient import TaskData, TaskLayout, make_task_layout, padded_task_places
from core.compiled.task_sghmc import compile_task_advance
from core.models.engines.compiled import CompiledEngine
from core.models.engines.problem import Problem
from core.models.task_network import TaskNetwork


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
