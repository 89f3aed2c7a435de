"""Meta-models of the four classes of tasks, and latent vectors of tasks alone (8.2.2, 8.4.1).

A meta-model's weights are too large to be records: they are the attachment of its cell, and the records have their
digest.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray
from torch import Tensor

from core.experiment.context import Context
from core.foundation.errors import UserError
from core.foundation.randomness import make_generators
from core.models.task_encoder import TaskEncoder
from core.objectives.forrester import forrester_tasks
from core.objectives.generated_tasks import TARGETS
from core.objectives.meta_model import MetaModel
from core.objectives.meta_model_files import load, save
from core.spaces.sobol import sobol_points
from papers.profet.settings import Encode, MetaModelFit

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
    chain = {
        "widths": settings.widths,
        "burn_in": settings.burn_in,
        "steps": settings.burn_in + settings.samples * settings.thinning,
        "thinning": settings.thinning,
        "batch_size": settings.batch_size,
    }
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
        **chain,
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
