"""Deep deterministic policy gradient on two control tasks (NIPS 6.4): searches, and the agents that they end with."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pandas as pd

from core.control.ddpg import DDPG
from core.experiment.context import Context
from core.experiment.optimization import in_lockstep
from core.objectives.agent_tuning import AgentTuning
from core.spaces import CubeEncoding
from papers.bohamiann.settings import Agents, AgentSearch

ORIGINAL = "original"


def control(context: Context[AgentSearch]) -> pd.DataFrame:
    """A search for hyperparameters that learn a task in few episodes.

    Returns:
        The columns of `core.experiment.optimization.optimize`, whose loss is a number of episodes, and one column for
        each hyperparameter.
    """
    settings = context.settings
    objective = AgentTuning(
        context.benchmark, settings.most_episodes, settings.most_units, settings.most_rows, settings.most_updates
    )
    histories = in_lockstep(context, objective, settings.evaluations, settings.initial_design)
    encoding = CubeEncoding(objective.space)
    points = histories.X.cpu().numpy().reshape(-1, encoding.dimension)
    configurations = pd.DataFrame([dict(each) for each in encoding.decode(points)]).astype(np.float64)
    return pd.concat([histories.trace(context.runs).evaluations(), configurations], axis=1)


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
