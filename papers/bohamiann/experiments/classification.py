"""Support vector machines and random forests on groups of classification sets (NIPS 6.2)."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import torch

from core.experiment.context import Context
from core.experiment.optimization import optimize
from core.foundation.errors import UserError
from core.models.tasks import Task
from core.objectives.base import failure_of
from core.objectives.forest_tuning import GRID, forest_tuning
from core.objectives.guard import guarded_evaluate
from core.objectives.hpolib import GridTable, table_from_frame
from core.objectives.svm import svm
from core.objectives.svm_grid import grid_values
from core.spaces import CubeEncoding
from papers.bohamiann.settings import ClassificationTable
from papers.bohamiann.task_settings import MultiTaskSearch

PARAMETERS = {"svm": ("C", "gamma"), "forest": tuple(GRID)}


def classification_table(context: Context[ClassificationTable]) -> pd.DataFrame:
    """Errors and seconds of a grid of configurations on one set; run r has every `blocks`-th of them, from r on.

    Returns:
        run, the hyperparameters, `loss`, `seconds`, and `failure`, why an evaluation failed, empty if it did not.

    Raises:
        UserError: more runs than blocks.
    """
    settings = context.settings
    if context.runs.stop > settings.blocks:
        raise UserError(f"{context.cell.name}: {context.runs.stop} runs; allowed: {settings.blocks}, the blocks")
    make = {"svm": svm, "forest": forest_tuning}[context.method]
    objective = make(context.benchmark, most_points=settings.most_points)
    machines = grid_values(settings.values).tolist()
    grid = {"svm": {"C": machines, "gamma": machines}, "forest": GRID}[context.method]
    cells = [dict(zip(grid, values, strict=True)) for values in product(*grid.values())]
    frames = []
    for done, (run, seed) in enumerate(zip(context.runs, context.shared_seeds("objective"), strict=True)):
        chosen = cells[run :: settings.blocks]
        evaluation = guarded_evaluate(objective, chosen, None, np.random.default_rng(seed))
        failures = [failure_of(entry) for entry in evaluation.info]
        columns = {"loss": evaluation.loss, "seconds": evaluation.cost, "failure": failures}
        frames.append(pd.DataFrame(chosen).astype(float).assign(run=run, **columns))
        context.progress_of(done)(1.0)
    return pd.concat(frames, ignore_index=True)


def multitask_search(context: Context[MultiTaskSearch]) -> pd.DataFrame:
    """A search in the table of one set; see `core.experiment.optimization.optimize`.

    Multi-task methods start from random cells of the tables of the group's other sets, the same in a run for both.
    """
    settings = context.settings
    records = context.records("classification_tables")
    records = records[records["method"] == settings.algorithm]
    tables = {name: _table(records, name, settings.algorithm) for name in (settings.target, *settings.others)}
    earlier = []
    if settings.method.learns_from_tasks:
        seeds = context.shared_seeds("earlier tasks")
        generators = [np.random.default_rng(seed) for seed in seeds]
        earlier = [_observed(tables[name], settings.observations, generators) for name in settings.others]
    return optimize(context, tables[settings.target], earlier)


def _table(records: pd.DataFrame, dataset: str, algorithm: str) -> GridTable:
    rows = records[records["benchmark"] == dataset]
    return table_from_frame(f"{algorithm}_{dataset}", rows, PARAMETERS[algorithm], "loss", "seconds")


def _observed(table: GridTable, count: int, generators: list[np.random.Generator]) -> Task:
    """`count` different cells of a table, or all if there are fewer, drawn for each run."""
    encoding, cells = CubeEncoding(table.space), list(product(*table.grid.values()))
    points, losses = [], []
    for generator in generators:
        chosen = generator.choice(len(cells), min(count, len(cells)), replace=False)
        configurations = [dict(zip(table.grid, cells[place], strict=True)) for place in chosen]
        points.append(encoding.encode(configurations))
        losses.append(table.evaluate(configurations, None, generator).loss)
    return Task(*(torch.from_numpy(np.stack(values)) for values in (points, losses)), name=table.name)
