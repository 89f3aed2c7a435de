"""Fig 2, left, on two collections, and a second case of Fig 2, right: searches on surrogates of stored evaluations."""

from __future__ import annotations

import numpy as np
import pandas as pd
import torch
from torch import Tensor

from core.experiment.context import Context
from core.models.tasks import Task
from papers.ablr.search import Known, rows_of_search, search, stacked
from papers.ablr.settings import Tables
from papers.ablr.task_tables import TaskTable, task_table


def tables(context: Context[Tables]) -> pd.DataFrame:
    """One row for each evaluation: run, evaluation, task, loss and regret.

    Run number r searches the surrogate of task r modulo their number; evaluations of the others are known. Tasks differ
    in scale, so `regret` is relative: 0 at the smallest loss that the surrogate predicts at the stored configurations
    of the task, 1 at the median.
    """
    settings, table, runs = context.settings, task_table(context.benchmark), np.asarray(context.runs)
    count = len(table.names) if settings.tasks is None else min(settings.tasks, len(table.names))
    own = runs % count
    surrogates = [table.surrogate(int(task)) for task in own]

    def evaluate(points: Tensor) -> Tensor:
        pairs = zip(surrogates, points.cpu().numpy(), strict=True)
        return stacked([surrogate.predict(part) for surrogate, part in pairs]).to(points)

    known = Known(_others(context, table, own, count) if settings.transfer else ())
    _, outcomes = search(context, table.encoding, evaluate, known)
    loss = outcomes[..., 0]
    smallest, typical = (loss.new_tensor([[getattr(s, name)] for s in surrogates]) for name in ("smallest", "typical"))
    regret = (loss - smallest) / (typical - smallest)
    task = torch.from_numpy(own)[:, None].expand_as(loss)
    return rows_of_search(context.runs, {"task": task, "loss": loss, "regret": regret})


def _others(context: Context[Tables], table: TaskTable, own: np.ndarray, count: int) -> list[Task]:
    """The others of the first `count` tasks, with as many evaluations as the settings say or the smallest task has."""
    smallest = min(len(X) for X in table.X[:count])
    size = min(context.settings.observations or smallest, smallest)
    generators = [np.random.default_rng(seed) for seed in context.shared_seeds("observations")]
    tasks = []
    for step in range(1, count):
        chosen = (own + step) % count
        rows = [g.choice(len(table.X[task]), size, replace=False) for g, task in zip(generators, chosen, strict=True)]
        X = [table.X[task][row] for task, row in zip(chosen, rows, strict=True)]
        y = [table.outputs[task][row, 0] for task, row in zip(chosen, rows, strict=True)]
        tasks.append(Task(stacked(X), stacked(y), name=f"table {step}"))
    return tasks
