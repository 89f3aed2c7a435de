"""Residual networks on CIFAR-10 (NIPS 6.3), and deep deterministic policy gradient on two control tasks (NIPS 6.4).

Of both, searches for hyperparameters, and what they end with, trained anew beside the original.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pandas as pd

from core.control.ddpg import DDPG
from core.experiment.context import Context
from core.experiment.image_tasks import best_configuration, images_of, remembered, retrained
from core.experiment.search import search
from core.objectives.agents import AgentTuning
from core.objectives.image_classification import ImageClassification
from core.objectives.image_networks import Residual
from papers.bohamiann.settings import Agents, AgentSearch, ResidualNetworks, ResidualSearch

ORIGINAL = "original"


def residual_search(context: Context[ResidualSearch]) -> pd.DataFrame:
    """Validation errors of configurations that are evaluated side by side; see `Searches.evaluations`."""
    kept = remembered(context, _objective(context.settings, context.device))
    return search(context, kept).evaluations(configurations=True)


def residual_networks(context: Context[ResidualNetworks]) -> pd.DataFrame:
    """Test errors of the best configurations of a search, or of He et al.'s; see `retrained`.

    Run r has the best configuration of the search's run r, modulo the number of its runs.

    Besides its columns, only for He et al.'s: `validation_error`, trained without the validation images.
    """
    settings = context.settings
    objective = _objective(settings, context.device)

    def configuration(run: int) -> Mapping[str, Any]:
        if context.method == ORIGINAL:
            return original(settings.most_blocks)
        return best_configuration(context.records("resnet"), context.method, run, objective.space)

    frame = retrained(context, objective, configuration, settings.epochs)
    if context.method != ORIGINAL:
        return frame
    seeds = context.shared_seeds("validation")
    known = [configuration(0)]
    errors = [objective.evaluate(known, None, np.random.default_rng(seed)).loss[0] for seed in seeds]
    return frame.assign(validation_error=errors)


def _objective(settings: ResidualSearch | ResidualNetworks, device: str) -> ImageClassification:
    family = Residual(settings.most_blocks, settings.most_rows, settings.width)
    return ImageClassification(family, images_of(settings), settings.epochs, device=device)


def original(blocks: int) -> dict[str, Any]:
    """ResNet-32, with five blocks in a stage, as He et al. (2016, 4.2) trained it by hand."""
    return {
        "learning_rate": 0.1,
        "weight_decay": 1e-4,
        "rate_factor": 0.1,
        "momentum": 0.9,
        "batch_size": 128,
        "blocks": blocks,
        "shared": 0.0,
        "reduction": "stride",
    }


def control(context: Context[AgentSearch]) -> pd.DataFrame:
    """A search for hyperparameters that learn a task in few episodes.

    Returns:
        The columns of `Searches.evaluations`, whose loss is a number of episodes, with those of the configurations.
    """
    settings = context.settings
    objective = AgentTuning(
        context.benchmark, settings.most_episodes, settings.most_units, settings.most_rows, settings.most_updates
    )
    return search(context, objective).evaluations(configurations=True)


def control_agents(context: Context[Agents]) -> pd.DataFrame:
    """Agents with the original hyperparameters, or with those that a search ended with, trained anew.

    Run r has the best configuration of the search's run r, modulo the number of its runs. Training goes on after the
    task has been learned, so that learning curves have one length.

    Returns:
        run, `episode`, after every `settings.every` of them, with the mean `reward` of `settings.tests` test episodes;
        and in all rows of a run `episodes` until its task was learned, at most `settings.most_episodes`, and whether it
        was `learned`.
    """
    settings, frames = context.settings, []
    for done, (run, seed) in enumerate(zip(context.runs, context.shared_seeds("agent"), strict=True)):
        agent, curve = _agent(context, run), []
        progress = context.progress_of(done)

        def watch(episode: int, rewards, curve=curve, progress=progress) -> None:
            if episode % settings.every == 0:
                curve.append((episode, float(rewards(settings.tests).mean())))
            progress(episode / settings.most_episodes)

        learnt = agent.learn(context.benchmark, seed, settings.most_episodes, each=watch, go_on=True)
        frames.append(
            pd.DataFrame(curve, columns=["episode", "reward"]).assign(
                run=run, episodes=learnt.episodes, learned=learnt.learned
            )
        )
    return pd.concat(frames, ignore_index=True)


def _agent(context: Context[Agents], run: int) -> DDPG:
    settings = context.settings
    if context.method == ORIGINAL:
        agent = DDPG()
        widest = settings.most_units
        return replace(agent, units_1=min(agent.units_1, widest), units_2=min(agent.units_2, widest))
    records = context.records("control")
    records = records[records["method"] == context.method]
    chosen = records[records["run"] == run % records["run"].nunique()]
    best = chosen.loc[chosen["loss"].idxmin()]
    return DDPG(**{each.name: type(each.default)(best[each.name]) for each in fields(DDPG)})
