"""Fig 2, left, on two collections, and a second case of Fig 2, right: searches on surrogates of stored evaluations."""

from __future__ import annotations

import numpy as np
import pandas as pd
import torch

from core.experiment.context import Context
from core.experiment.optimization import rows_of_search
from core.objectives.task_tables import task_table
from papers.ablr.search import Known, search
from papers.ablr.settings import Tables


def tables(context: Context[Tables]) -> pd.DataFrame:
    """One row for each evaluation: run, evaluation, task, loss and regret.

    Run number r searches the surrogate of task r modulo their number; evaluations of the others are known. Tasks differ
    in scale, so `regret` is relative: 0 at the smallest loss that the surrogate predicts at the stored configurations
    of the task, 1 at the median.
    """
    settings, table, runs = context.settings, task_table(context.benchmark), np.asarray(context.runs)
    count = len(table.names) if settings.tasks is None else min(settings.tasks, len(table.names))
    own = runs % count
    seeds = context.shared_seeds("observations")
    known = table.others(own, count, count - 1, settings.observations, seeds) if settings.transfer else ()
    _, outcomes = search(context, table.encoding, table.objective(own), Known(known))
    loss = outcomes[..., 0]
    surrogates = [table.surrogate(int(task)) for task in own]
    smallest, typical = (loss.new_tensor([[getattr(s, name)] for s in surrogates]) for name in ("smallest", "typical"))
    regret = (loss - smallest) / (typical - smallest)
    task = torch.from_numpy(own)[:, None].expand_as(loss)
    return rows_of_search(context.runs, {"task": task, "loss": loss, "regret": regret})
