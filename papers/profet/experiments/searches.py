"""Methods on generated tasks and on real Forrester functions (8.4.2, 8.4.3), and what generated tasks look like."""

from __future__ import annotations

import numpy as np
import pandas as pd
import torch

from core.experiment.context import Context
from core.experiment.optimization import kept_proposals
from core.objectives.forrester import ForresterTasks, forrester_tasks
from core.objectives.generated_tasks import GeneratedTasks, generated_tasks
from core.study.task_search import Incumbents, search_tasks
from papers.profet.experiments.meta_models import needed_model
from papers.profet.settings import Samples, TaskSearch


def search(context: Context[TaskSearch]) -> pd.DataFrame:
    """Run one method on every task; all runs and tasks advance together.

    Returns:
        run, `task` (its number), `evaluation` from 1, the noise-free `loss` of the incumbent, which has the smallest
        value that the method saw, and `solved`, the share of the task's targets that it reaches itself, whatever those
        before it reached. Only evaluations that change one of them have a row, and the first and the last.
    """
    settings, starts = context.settings, context.shared_seeds("tasks")
    incumbents = search_tasks(
        tasks_of_cell(context, settings.tasks, settings.real),
        settings.method,
        settings.evaluations,
        starts,
        context.method_seeds("optimizer"),
        settings.initial_design,
        settings.noisy,
        context.progress,
        context.device,
        kept_proposals(context, starts, settings.evaluations),
    )
    return _changes(incumbents, context.runs)


def samples(context: Context[Samples]) -> pd.DataFrame:
    """Values of generated tasks on a regular grid.

    Returns:
        run, `task`, the coordinates `x0` ..., `value` without noise and `observed` with it.
    """
    settings, (seed,) = context.settings, context.shared_seeds("samples")
    tasks = tasks_of_cell(context, settings.tasks)
    axis = np.linspace(0, 1, settings.values)
    grid = np.stack(np.meshgrid(*[axis] * tasks.dimension, indexing="ij"), -1).reshape(-1, tasks.dimension)
    normals = np.random.default_rng(seed).standard_normal((len(tasks), len(grid)))
    with torch.no_grad():
        X = torch.from_numpy(grid).expand(len(tasks), -1, -1)
        values, observed = tasks.observe(X, torch.from_numpy(normals))
    columns = {f"x{place}": np.tile(grid[:, place], len(tasks)) for place in range(tasks.dimension)}
    outputs = {"value": values.numpy().ravel(), "observed": observed.numpy().ravel()}
    number = np.repeat(np.arange(len(tasks)), len(grid))
    frame = pd.DataFrame({"run": context.runs.start, "task": number, **columns, **outputs})
    return frame.astype(dict.fromkeys([*columns, *outputs], np.float32))


def tasks_of_cell(context: Context, count: int, real: bool = False) -> GeneratedTasks | ForresterTasks:
    """The first tasks of a cell's benchmark: of the class before its first underscore, or real Forrester functions."""
    if real:
        return forrester_tasks(count)
    name = context.benchmark.partition("_")[0]
    return generated_tasks(needed_model(context, name)[0], count)


def _changes(incumbents: Incumbents, runs: range) -> pd.DataFrame:
    loss, solved = incumbents.loss.astype(np.float32), incumbents.solved.astype(np.float32)
    kept = np.ones(loss.shape, bool)
    kept[..., 1:-1] = (np.diff(loss) != 0)[..., :-1] | (np.diff(solved) != 0)[..., :-1]
    task, run, place = kept.nonzero()
    return pd.DataFrame(
        {
            "run": run + runs.start,
            "task": task.astype(np.int32),
            "evaluation": (place + 1).astype(np.int32),
            "loss": loss[kept],
            "solved": solved[kept],
        }
    )
