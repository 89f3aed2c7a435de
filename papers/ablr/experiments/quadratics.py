"""Fig 1, left: searches on quadratic functions, leaving one task out."""

from __future__ import annotations

import numpy as np
import pandas as pd
import torch

from core.experiment.context import Context
from core.experiment.optimization import rows_of_search
from core.foundation.randomness import make_generators
from core.models.tasks import Task
from core.spaces import CubeEncoding
from papers.ablr.quadratics import BOUND, DIMENSION, contexts, minimum, quadratic, random_points
from papers.ablr.search import Known, search
from papers.ablr.settings import Quadratics


def quadratics(context: Context[Quadratics]) -> pd.DataFrame:
    """One row for each evaluation: run, evaluation, task, loss, and regret, the loss above the task's minimum.

    Run number r has the task r modulo their number; the others are known at random points, drawn anew for each run.
    """
    settings, runs = context.settings, np.asarray(context.runs)
    every = contexts(settings.tasks, settings.seed)
    own = every[runs % settings.tasks]
    # The others of each run: its task's successors, (runs, tasks - 1).
    others = (runs[:, None] + np.arange(1, settings.tasks)) % settings.tasks
    known = Known(_observed(context, every[others]), own)
    encoding = CubeEncoding({f"x{i + 1}": (-BOUND, BOUND) for i in range(DIMENSION)})
    _, outcomes = search(context, encoding, lambda U: quadratic(own, U).unsqueeze(-1), known)
    loss = outcomes[..., 0]
    task = torch.from_numpy(runs % settings.tasks)[:, None].expand_as(loss)
    return rows_of_search(context.runs, {"task": task, "loss": loss, "regret": loss - minimum(own)[:, None]})


def _observed(context: Context[Quadratics], others: torch.Tensor) -> list[Task]:
    """The other tasks of each run at random points, from their contexts (runs, tasks - 1, 3)."""
    generators = make_generators(context.shared_seeds("observations"))
    tasks = []
    for number, values in enumerate(others.unbind(1), start=1):
        U = random_points(len(values), context.settings.observations, generators)
        tasks.append(Task(U, quadratic(values, U), values, f"quadratic {number}"))
    return tasks
