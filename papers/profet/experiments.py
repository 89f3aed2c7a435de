"""The chapter's experiments: a shard of repetitions in, a data frame of records out.

Collections of errors and seconds (8.3.1), meta-models of the four classes of tasks that are learned from them (8.2.2),
latent vectors of tasks alone (8.4.1), and methods on generated tasks (8.4.2, 8.4.3). A meta-model's weights are too
large to be records: they are the attachment of its cell, and the records have their digest.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray
from torch import Tensor

from core.experiment.context import Context
from core.experiment.search import kept_proposals
from core.experiment.sobol_tables import collect
from core.foundation.errors import UserError
from core.foundation.randomness import make_generators
from core.models.meta_models import TaskEncoder
from core.objectives.base import Configurations, Evaluation
from core.objectives.generated_tasks import (
    TARGETS,
    ForresterTasks,
    GeneratedTask,
    GeneratedTasks,
    forrester_tasks,
    generated_tasks,
)
from core.objectives.meta_model import MetaModel, TaskFunctions, load, save
from core.objectives.spaces import classifier_space
from core.objectives.svm import svm as support_vector_machines
from core.spaces.points import sobol_points
from core.study.simulated import simulate
from core.study.task_search import search_tasks
from core.training.collector import SMALLER, classifier
from papers.profet.settings import (
    Collect,
    CollectNetworks,
    Encode,
    MetaModelFit,
    Resemblance,
    Samples,
    TaskSearch,
    WallClock,
)


def svm(context: Context[Collect]) -> pd.DataFrame:
    """Train support vector machines; see `core.experiment.sobol_tables.collect`."""
    settings = context.settings
    benchmark = support_vector_machines(catalogued(context.benchmark), 1.0, settings.most_rows)
    return collect(context, benchmark, settings.configurations)


def fcnet(context: Context[CollectNetworks]) -> pd.DataFrame:
    """Train networks of two layers; see `core.experiment.sobol_tables.collect`."""
    settings = context.settings
    benchmark = classifier(catalogued(context.benchmark), settings.most_rows, settings.epochs, settings.half)
    return collect(context, benchmark, settings.configurations)


def catalogued(name: str) -> str:
    """The name in the catalogue; of MNIST the smaller part, since no more rows than it has are drawn."""
    return SMALLER.get(name, name)


DIMENSIONS = {"svm": 2, "fcnet": 6, "xgboost": 8}
COLLECTIONS = {"svm": "svm", "fcnet": "fcnet", "xgboost": "bohamiann/xgboost_tables"}


def meta_model(context: Context[MetaModelFit]) -> pd.DataFrame:
    """Fit a meta-model and write its weights; there is one run.

    Returns:
        run, `task`, the name of the real one, `dimension` from 0, `mean` and `deviation` of the latent vector in it,
        and the `weights`' digest.
    """
    settings, name = context.settings, context.benchmark
    (generator,) = make_generators(context.shared_seeds("meta-model"))
    real = real_tasks(context, name, settings.real_tasks)
    model = MetaModel.fit(
        name,
        real.values,
        real.points,
        real.names,
        generator,
        real.seconds,
        settings.kind,
        settings.dimensions,
        settings.encoder_steps,
        settings.encoder_tolerance,
        widths=settings.widths,
        burn_in=settings.burn_in,
        steps=settings.burn_in + settings.samples * settings.thinning,
        thinning=settings.thinning,
        batch_size=settings.batch_size,
    )
    digest = save(model, context.attachment)
    return latent_rows(model.encoder, real.names).assign(run=context.runs.start, weights=digest)


def encode_halves(context: Context[Encode]) -> pd.DataFrame:
    """Latent vectors of both halves of every data set (Fig 8.3, left); see `latent_rows`."""
    table = context.records("halves")
    names, values = tasks_of(table.assign(benchmark=table["benchmark"] + "/" + table["method"]), "loss")
    return _encoded(context, names, values)


def encode_fractions(context: Context[Encode]) -> pd.DataFrame:
    """Latent vectors of support vector machines on subsets of ten sizes (Fig 8.3, right); see `latent_rows`."""
    grid = context.records("fabolas/grid")
    grid = grid.assign(number=grid.groupby(["C", "gamma"]).ngroup(), benchmark=grid["share"].map("{:.12g}".format))
    names, values = tasks_of(grid, "valid_error")
    order = np.argsort([float(name) for name in names])
    return _encoded(context, [names[place] for place in order], values[order])


class RealTasks(NamedTuple):
    """Names of T tasks, their values and seconds (T, N), and points (N, d) of the unit cube where they are known."""

    names: list[str]
    values: Tensor
    seconds: Tensor | None
    points: Tensor


def real_tasks(context: Context, name: str, count: int | None = None) -> RealTasks:
    """The tasks that a class of tasks is learned from: `count` Forrester functions, or all of a collection."""
    if name == "forrester":
        real = forrester_tasks(count)
        points = torch.from_numpy(sobol_points(1, 0, TARGETS))
        return RealTasks([str(task) for task in range(len(real))], real.targets(), None, points)
    table = context.records(COLLECTIONS[name])
    names, losses = tasks_of(table, "loss")
    points = torch.from_numpy(sobol_points(DIMENSIONS[name], 0, losses.shape[1]))
    return RealTasks(names, torch.from_numpy(losses), torch.from_numpy(tasks_of(table, "seconds")[1]), points)


def tasks_of(records: pd.DataFrame, column: str) -> tuple[list[str], NDArray[np.float64]]:
    """Names of the tasks, which are the records' benchmarks, and their values at the same points, (T, N).

    Raises:
        UserError: a task lacks a point.
    """
    table = records.pivot(index="benchmark", columns="number", values=column).sort_index()
    if table.isna().to_numpy().any():
        lacking = table.index[table.isna().any(axis=1)][0]
        raise UserError(f"{lacking}: lacks the {column} of some points that other tasks have; needed: the same points")
    return list(table.index), np.array(table, float)  # a copy that may be written to, as torch wants


def latent_rows(encoder: TaskEncoder, names: list[str]) -> pd.DataFrame:
    """`task`, `dimension` from 0, `mean` and `deviation` of the latent vector."""
    tasks, dimensions = encoder.means.shape
    return pd.DataFrame(
        {
            "task": np.repeat(names, dimensions),
            "dimension": np.tile(np.arange(dimensions), tasks),
            "mean": encoder.means.numpy().ravel(),
            "deviation": encoder.deviations.numpy().ravel(),
        }
    )


def needed_model(context: Context, name: str) -> tuple[MetaModel, str]:
    """The meta-model whose records a cell needs, and its digest.

    Raises:
        UserError: its file is absent, damaged, or not the one of the records.
    """
    recorded = context.records(f"meta_{name}")["weights"].iloc[0]
    (file,) = (cell.attachment_path(context.root) for cell in context.cell.needs if cell.experiment == f"meta_{name}")
    model, digest = load(file, name)
    if digest != recorded:
        raise UserError(
            f"{file}: its digest is {digest}, that of the records is {recorded}; delete it, and make both with: "
            f"python -m papers run profet/meta_{name} --scale {context.cell.scale}"
        )
    return model, digest


def _encoded(context: Context[Encode], names: list[str], values: NDArray[np.float64]) -> pd.DataFrame:
    settings, frames = context.settings, []
    for done, (run, seed) in enumerate(zip(context.runs, context.shared_seeds("encoder"), strict=True)):
        count = min(settings.configurations or values.shape[1], values.shape[1])
        chosen = np.random.default_rng(seed).choice(values.shape[1], count, replace=False)
        (generator,) = make_generators([seed])
        tasks = torch.from_numpy(values[:, chosen])
        encoder = TaskEncoder.fit(
            tasks,
            generator,
            settings.dimensions,
            steps=settings.encoder_steps,
            tolerance=settings.encoder_tolerance,
        )
        frames.append(latent_rows(encoder, names).assign(run=run))
        context.progress_of(done)(1.0)
    return pd.concat(frames, ignore_index=True)


def resemblance(context: Context[Resemblance]) -> pd.DataFrame:
    """Generate every real task again, once a run: a latent vector from its own q(h_t), and one of the networks.

    Both are compared where the real one is known, in the units that the networks model: errors as they are,
    Forrester's values standardized, other values and seconds by their standardized logarithm.

    Returns:
        run, `task`, the name of the real one, `quantity` ("value" or "seconds"), the mean `squared_error` over the
        points, the `variance` of the real values over them, and the `noise` variance that the network models.
    """
    name, frames = context.benchmark, []
    model, _ = needed_model(context, name)
    real = real_tasks(context, name, len(model.names))
    quantities = {"value": (model.loss, real.values), "seconds": (model.cost, real.seconds)}
    for done, (run, generator) in enumerate(
        zip(context.runs, make_generators(context.shared_seeds("resemblance")), strict=True)
    ):
        for quantity, (functions, values) in quantities.items():
            if functions is not None and values is not None:
                rows = compare(model, functions, values, real.points, generator)
                frames.append(pd.DataFrame({"run": run, "task": real.names, "quantity": quantity, **rows}))
        context.progress_of(done)(1.0)
    return pd.concat(frames, ignore_index=True)


def compare(
    model: MetaModel, functions: TaskFunctions, values: Tensor, points: Tensor, generator: torch.Generator
) -> dict[str, Tensor]:
    """Columns of `resemblance`, (T,) each, of one draw of every task with the real values (T, N) at points (N, d)."""
    latent = model.encoder.draw(1, generator)[0]
    samples = torch.randint(functions.samples, (len(values),), generator=generator)
    tasks, X = functions.at(samples, latent), points.expand(len(values), -1, -1)
    generated = tasks(X) if functions.kind == "error" else tasks.outputs(X)
    real = ((values.log() if functions.kind == "positive" else values) - functions.location) / functions.scale
    return {
        "squared_error": (generated - real).square().mean(1),
        "variance": real.var(1, correction=0),
        "noise": functions.noise[samples],
    }


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
    loss, solved = incumbents.loss.astype(np.float32), incumbents.solved.astype(np.float32)
    kept = np.ones(loss.shape, bool)
    kept[..., 1:-1] = (np.diff(loss) != 0)[..., :-1] | (np.diff(solved) != 0)[..., :-1]
    task, run, place = kept.nonzero()
    number, evaluation = task.astype(np.int32), (place + 1).astype(np.int32)
    columns = {"run": run + context.runs.start, "task": number, "evaluation": evaluation}
    return pd.DataFrame(columns | {"loss": loss[kept], "solved": solved[kept]})


def samples(context: Context[Samples]) -> pd.DataFrame:
    """Values of generated tasks on a regular grid.

    Returns:
        run, `task`, the coordinates `x0` ..., `value` without noise and `observed` with it.
    """
    settings, (seed,) = context.settings, context.shared_seeds("samples")
    tasks = tasks_of_cell(context, settings.tasks)
    axis = np.linspace(0, 1, settings.values)
    grid = np.stack(np.meshgrid(*[axis] * tasks.dimension, indexing="ij"), -1).reshape(-1, tasks.dimension)
    frame = values_on(grid, tasks, seed).assign(run=context.runs.start)
    frame = frame.astype({name: np.float32 for name in frame.columns if name not in ("run", "task")})
    return frame[["run", *frame.columns.drop("run")]]


def values_on(grid: NDArray[np.float64], tasks: GeneratedTasks | ForresterTasks, seed: int) -> pd.DataFrame:
    """`task`, coordinates `x0` ... and `value` and `observed` of every task at every point of a grid (n, d)."""
    normals = np.random.default_rng(seed).standard_normal((len(tasks), len(grid)))
    with torch.no_grad():
        X = torch.from_numpy(grid).expand(len(tasks), -1, -1)
        values, observed = tasks.observe(X, torch.from_numpy(normals))
    columns = {f"x{place}": np.tile(grid[:, place], len(tasks)) for place in range(tasks.dimension)}
    outputs = {"value": values.numpy().ravel(), "observed": observed.numpy().ravel()}
    return pd.DataFrame({"task": np.repeat(np.arange(len(tasks)), len(grid)), **columns, **outputs})


def tasks_of_cell(context: Context, count: int, real: bool = False) -> GeneratedTasks | ForresterTasks:
    """The first tasks of a cell's benchmark: of the class before its first underscore, or real Forrester functions."""
    if real:
        return forrester_tasks(count)
    name = context.benchmark.partition("_")[0]
    return generated_tasks(needed_model(context, name)[0], count)


def wall_clock(context: Context[WallClock]) -> pd.DataFrame:
    """Run one method on tasks of networks, one repetition after the other, each on a task of its own.

    Returns:
        run, `count` of evaluations, and processor seconds: `proposals` of the optimizer, `evaluations` of the task, and
        `training`, the meta-model's prediction for training the networks that were proposed.
    """
    settings, rows = context.settings, []
    tasks = generated_tasks(needed_model(context, context.benchmark)[0], context.runs.stop)
    seeds = zip(context.method_seeds("optimizer"), context.shared_seeds("tasks"), strict=True)
    for done, (run, (seed, noise)) in enumerate(zip(context.runs, seeds, strict=True)):
        task = Timed(tasks.objective(run, classifier_space()))
        optimizer = settings.method.build(task.space, seed, evaluations=settings.evaluations)
        start = time.process_time()
        generator, progress = np.random.default_rng(noise), context.progress_of(done)
        records = simulate(optimizer, task, 1, generator, evaluations=settings.evaluations, progress=progress)
        seconds = time.process_time() - start
        training = sum(record.cost for record in records)
        costs = {"proposals": seconds - task.seconds, "evaluations": task.seconds, "training": training}
        rows.append({"run": run, "count": len(records), **costs})
    return pd.DataFrame(rows)


@dataclass
class Timed:
    """A task that adds up the processor seconds of its evaluations."""

    task: GeneratedTask
    seconds: float = field(default=0.0, init=False)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.task, name)

    def evaluate(
        self, configurations: Configurations, budget: float | None, generator: np.random.Generator
    ) -> Evaluation:
        """The task's own."""
        start = time.process_time()
        evaluation = self.task.evaluate(configurations, budget, generator)
        self.seconds += time.process_time() - start
        return evaluation
