"""Support vector machines on tasks of OpenML: a second case of searches that start from other data sets (NIPS 6.2)."""

from __future__ import annotations

import numpy as np
import pandas as pd
import torch

from core.experiment.context import Context
from core.experiment.optimization import initial_design, kept_proposals, rows_of_search
from core.foundation.randomness import make_generators
from core.objectives.task_tables import task_table
from core.study.lockstep import run_on_cube
from papers.bohamiann.task_settings import OpenMLSearch


def openml_search(context: Context[OpenMLSearch]) -> pd.DataFrame:
    """Searches on the surrogates of stored evaluations, each run on a task of its own.

    Multi-task methods start from stored evaluations of the tasks that follow, the same in a run for both.

    Returns:
        run, evaluation (from 1), task (its number on OpenML), loss (error rate), and regret above the smallest loss
        that the surrogate predicts at the task's stored configurations.

    Raises:
        DataUnavailableError: the table is not at hand.
    """
    settings, table = context.settings, task_table(context.benchmark)
    tasks = np.asarray(context.runs) % settings.tasks
    earlier = []
    if settings.method.learns_from_tasks:
        seeds = context.shared_seeds("earlier tasks")
        earlier = table.others(tasks, settings.tasks, settings.others, settings.observations, seeds)
    policy = settings.method.policy(table.encoding, context.device, None, earlier)
    functions, design = table.objective(tasks), initial_design(context, table.encoding, settings.initial_design)
    kept = kept_proposals(context, design.tolist(), settings.evaluations)
    generators = make_generators(context.method_seeds("optimizer"), context.device)
    _, losses = run_on_cube(lambda X: functions(X)[..., 0], policy, design, generators, settings.evaluations, kept)
    smallest = losses.new_tensor([[table.surrogate(int(task)).smallest] for task in tasks])
    numbers = torch.tensor([[int(table.names[task])] for task in tasks]).expand_as(losses)
    return rows_of_search(context.runs, {"task": numbers, "loss": losses, "regret": losses - smallest})
