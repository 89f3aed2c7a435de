"""How closely the generated tasks of a class resemble the real ones that it was learned from."""

from __future__ import annotations

import pandas as pd
import torch
from torch import Tensor

from core.experiment.context import Context
from core.foundation.randomness import make_generators
from core.objectives.meta_model import MetaModel
from core.objectives.sampled_tasks import TaskFunctions
from papers.profet.experiments.meta_models import needed_model, real_tasks
from papers.profet.settings import Resemblance


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
