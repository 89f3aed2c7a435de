"""Bayesian optimization: of functions (NIPS 6.1, thesis 3.6.1), and searches that may start from other data sets.

The latter are for hyperparameters of XGBoost on regression sets (thesis 3.6.2 and A.2), and of support vector machines
and random forests on groups of classification sets and on tasks of OpenML (NIPS 6.2).
"""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np
import pandas as pd
import torch

from core.experiment.context import Context
from core.experiment.search import (
    improvements,
    initial_design,
    kept_proposals,
    rows_of_search,
    search,
)
from core.experiment.sobol_tables import collect
from core.foundation.errors import UserError
from core.foundation.randomness import make_generators
from core.models.tasks import Task
from core.objectives import objective
from core.objectives.base import failure_of
from core.objectives.classifiers import GRID, forest_tuning
from core.objectives.guard import guarded_evaluate
from core.objectives.hpolib import GridTable, table_from_frame
from core.objectives.svm import grid_values, svm
from core.objectives.task_tables import task_table
from core.objectives.xgboost import space, xgboost
from core.spaces import CubeEncoding
from core.study.lockstep import run_on_cube
from papers.bohamiann.settings import (
    ClassificationTable,
    FitAfterOptimization,
    MultiTaskSearch,
    OpenMLSearch,
    Search,
    XGBoostSearch,
    XGBoostTable,
)

PARAMETERS = {"svm": ("C", "gamma"), "forest": tuple(GRID)}


def optimization(context: Context[Search]) -> pd.DataFrame:
    """Regret of one method on one objective; see `core.experiment.search` for the columns."""
    records = search(context, objective(context.benchmark)).evaluations()
    return improvements(records) if context.settings.record == "improvements" else records


def fit_after_optimization(context: Context[FitAfterOptimization]) -> pd.DataFrame:
    """NIPS Fig 1 right: BOHAMIANN's fit to the points that its own optimization evaluated, in one dimension.

    Rows: part ("grid", "data"), x in the unit cube, value (of the function), mean and sd of an observation.
    """
    settings, function = context.settings, objective(context.benchmark)
    history = search(context, function).histories
    y = torch.as_tensor(history.loss).to(history.X)
    model = settings.method.model(settings.evaluations, context.device).fit(history.X, y, history.generators)
    grid = torch.linspace(0, 1, settings.grid, dtype=torch.float64, device=context.device)[:, None]
    with torch.no_grad():
        mean, variance = (values.cpu() for values in model.moments(grid))
    frames = []
    for index, run in enumerate(context.runs):
        on_grid = {"x": grid[:, 0].cpu(), "value": function.on_cube(grid).cpu()}
        frames.append(
            pd.DataFrame({"run": run, "part": "grid", **on_grid, "mean": mean[index], "sd": variance[index].sqrt()})
        )
        data = {"x": history.X[index, :, 0].cpu(), "value": history.loss[index], "mean": history.loss[index], "sd": 0.0}
        frames.append(pd.DataFrame({"run": run, "part": "data", **data}))
    return pd.concat(frames, ignore_index=True)


def xgboost_table(context: Context[XGBoostTable]) -> pd.DataFrame:
    """XGBoost's errors and seconds at 100 D points on one set (thesis 8.3.1); see `core.experiment.sobol_tables`."""
    settings = context.settings
    return collect(context, xgboost(context.benchmark, settings.most_rows), settings.configurations)


def xgboost_search(context: Context[XGBoostSearch]) -> pd.DataFrame:
    """A search for XGBoost's hyperparameters with live training; see `core.experiment.search`.

    Besides its columns: `earlier`, the set that a run of a multi-task method starts from, empty for the others.
    """
    settings = context.settings
    benchmark, names, earlier = xgboost(context.benchmark, settings.most_rows), [""] * len(context.runs), []
    if settings.method.learns_from_tasks:
        names, task = _on_other_sets(context)
        earlier = [task]
    records = search(context, benchmark, earlier).evaluations()
    return records.assign(earlier=records["run"].map(dict(zip(context.runs, names, strict=True))))


def _on_other_sets(context: Context[XGBoostSearch]) -> tuple[list[str], Task]:
    """Random configurations, each run's on a set drawn at random, the same for all methods; and the sets' names."""
    settings, encoding = context.settings, CubeEncoding(space())
    others = [name for name in settings.others if name != context.benchmark] or list(settings.others)
    benchmark = cache(lambda name: xgboost(name, settings.most_rows))
    names, points, losses = [], [], []
    for seed in context.shared_seeds("earlier task"):
        generator = np.random.default_rng(seed)
        names.append(str(generator.choice(others)))
        points.append(encoding.sample(settings.observations, generator))
        evaluation = guarded_evaluate(benchmark(names[-1]), encoding.decode(points[-1]), None, generator)
        losses.append(evaluation.loss)
    return names, Task(*(torch.from_numpy(np.stack(values)) for values in (points, losses)), name="another set")


def classification_table(context: Context[ClassificationTable]) -> pd.DataFrame:
    """Errors and seconds of a grid of support vector machines or random forests on one set (NIPS 6.2).

    Run r has every `blocks`-th of the configurations, from r on.

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
    """A search in the table of one set; see `core.experiment.search`.

    Multi-task methods start from random cells of the tables of the group's other sets, the same in a run for both.
    """
    settings = context.settings
    records = context.records("classification_tables")
    records = records[records["method"] == settings.algorithm]
    tables, earlier = {}, []
    for name in (settings.target, *settings.others):
        rows, parameters = records[records["benchmark"] == name], PARAMETERS[settings.algorithm]
        tables[name] = table_from_frame(f"{settings.algorithm}_{name}", rows, parameters, "loss", "seconds")
    if settings.method.learns_from_tasks:
        seeds = context.shared_seeds("earlier tasks")
        generators = [np.random.default_rng(seed) for seed in seeds]
        earlier = [_observed(tables[name], settings.observations, generators) for name in settings.others]
    return search(context, tables[settings.target], earlier).evaluations()


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


def openml_search(context: Context[OpenMLSearch]) -> pd.DataFrame:
    """A second case of NIPS 6.2: searches on surrogates of stored evaluations, each run on a task of OpenML of its own.

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
