"""Section 3.1.1: GP-based Bayesian optimization of DNGO's architecture, one to four layers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from core.experiment.context import Context
from core.foundation.randomness import make_generators
from core.optimizers.policy import uniform_points
from core.spaces import CubeEncoding
from core.study.lockstep import run_in_lockstep
from core.study.methods.bayesian import IntegratedGPSettings
from papers.dngo.experiments.relative_loss import RelativeLoss, published_architecture
from papers.dngo.settings import Architecture


def architecture(context: Context[Architecture]) -> pd.DataFrame:
    """Section 3.1.1: the search over one number of layers, and fresh runs of the best architecture found.

    Rows of `part` "search" hold the evaluations of the outer optimization in order: the average relative `loss` on the
    shared seeds. Rows of "confirmation" hold relative losses of the best architecture, one per `function` and `seed`,
    with the same seeds for all numbers of layers. Both have the architecture's hyperparameters as columns.
    """
    settings = context.settings
    frames = [
        _search_architecture(context, settings, run, shared, own)
        for run, shared, own in zip(
            context.runs, context.shared_seeds("problems"), context.method_seeds("search"), strict=True
        )
    ]
    return pd.concat(frames, ignore_index=True)


def _search_architecture(context: Context, settings: Architecture, run: int, shared: int, own: int) -> pd.DataFrame:
    problems = np.random.default_rng(shared).integers(2**62, size=settings.seeds + settings.confirmations).tolist()
    objective = RelativeLoss(
        settings.layers,
        settings.functions,
        tuple(problems[: settings.seeds]),
        settings.evaluations,
        settings.initial_design,
        settings.epochs,
        context.device,
    )
    searched = pd.DataFrame()
    best = published_architecture(settings.layers)
    if settings.search:
        encoding = CubeEncoding(objective.space)
        (generator,) = make_generators([own], context.device)
        initial = uniform_points(encoding, settings.search_design, [generator])
        histories = run_in_lockstep(
            objective,
            IntegratedGPSettings(maximizer="gradient").policy(encoding, context.device),
            initial,
            [generator],
            settings.search_evaluations,
            [np.random.default_rng(own)],
            context.progress,
        )
        configurations = encoding.decode(histories.X[0].cpu().numpy())
        best = configurations[int(histories.loss[0].argmin())]
        records = histories.trace([run]).evaluations().drop(columns="cost").join(pd.DataFrame(configurations))
        searched = records.assign(part="search", function="average", seed=-1)
    fresh = replace(objective, seeds=tuple(problems[settings.seeds :])).losses(best)
    confirmed = pd.DataFrame(
        {
            "run": run,
            "evaluation": 0,
            "overhead": 0.0,
            "origin": "confirmation",
            "status": "ok",
            "message": "",
            "part": "confirmation",
            "function": np.repeat(settings.functions, settings.confirmations),
            "seed": np.tile(np.arange(settings.confirmations), len(settings.functions)),
            "loss": fresh.ravel(),
            **best,
        }
    )
    return pd.concat([searched, confirmed], ignore_index=True)
