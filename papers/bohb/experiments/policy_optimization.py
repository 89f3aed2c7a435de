"""Proximal policy optimization on cart-pole (thesis 6.4.4): agents that are trained once, searches on them, and
searches that train agents themselves."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.experiment.context import Context
from core.foundation.errors import UserError
from core.foundation.progress import Progress
from core.foundation.seeds import derive_seed
from core.objectives.base import Configurations
from core.objectives.network_spaces import policy_space
from core.objectives.policy_optimization import PolicySurrogate, PolicyTuning
from core.spaces import CubeEncoding
from core.spaces.sobol import sobol_points
from papers.bohb.experiments.simulated_runs import search
from papers.bohb.settings import LivePolicySearch, PolicySearch, PolicyTable


def ppo_table(context: Context[PolicyTable]) -> pd.DataFrame:
    """Train the configurations of Table C.4 at the points of Sobol's sequence, several trials each.

    A "run" is `settings.configurations` of them, one after the other: run r has those from r * configurations on.

    Returns:
        run, `number` of the point, `trial`, `episodes` until convergence, at most `most_episodes`, `timesteps` of the
        simulator, and `failure`, the reason why no agent could be trained, empty if one was.
    """
    settings = context.settings
    tuning = PolicyTuning(entropy=settings.entropy, most_episodes=settings.most_episodes)
    frames = []
    for done, (run, seed) in enumerate(zip(context.runs, context.shared_seeds("trials"), strict=True)):
        first = run * settings.configurations
        rows = _block(tuning, settings, first, np.random.default_rng(seed), context.progress_of(done))
        frames.append(pd.DataFrame(rows).assign(run=run))
    return pd.concat(frames, ignore_index=True).astype({"number": np.int32, "trial": np.int8, "episodes": np.int32})


def ppo(context: Context[PolicySearch]) -> pd.DataFrame:
    """Expected episodes of the incumbents on the surrogate of `ppo_table`; see `search`.

    Besides its columns: `episodes`, the expected number, in place of `regret`, and the number of `configurations` that
    the surrogate is made from.
    """
    records = context.records("ppo_table")
    surrogate = PolicySurrogate.fit(records)
    rows = search(context, surrogate, surrogate.expected).rename(columns={"regret": "episodes"})
    return rows.assign(configurations=records["number"].nunique())


def ppo_live(context: Context[LivePolicySearch]) -> pd.DataFrame:
    """Episodes of the incumbents when every evaluation trains agents, the thesis' protocol; see `search`.

    Besides its columns: `episodes`, in place of `regret`, the mean of nine further trials of the incumbent, the same
    ones wherever a configuration is the incumbent.
    """
    settings = context.settings
    tuning = PolicyTuning(entropy=settings.entropy, most_episodes=settings.most_episodes)

    def validated(configurations: Configurations) -> NDArray[np.float64]:
        evaluations = [
            tuning.evaluate([each], None, np.random.default_rng(derive_seed("validation", repr(sorted(each.items())))))
            for each in configurations
        ]
        return np.concatenate([each.loss for each in evaluations])

    return search(context, tuning, validated).rename(columns={"regret": "episodes"})


def _block(
    tuning: PolicyTuning, settings: PolicyTable, first: int, generator: np.random.Generator, progress: Progress
) -> list[dict]:
    """The trials of a run's configurations, as rows."""
    encoding, rows = CubeEncoding(policy_space()), []
    configurations = encoding.decode(sobol_points(encoding.dimension, first, settings.configurations))
    for number, configuration in enumerate(configurations):
        for trial, seed in enumerate(generator.integers(2**63, size=settings.trials)):
            row = {"number": first + number, "trial": trial, "episodes": settings.most_episodes, "timesteps": 0}
            failure = ""
            try:
                learnt = tuning.trial(configuration, int(seed))
                row |= {"episodes": learnt.episodes, "timesteps": learnt.timesteps}
                failure = "" if learnt.finite else "not finite"
            except UserError as error:
                failure = str(error)
            rows.append(row | {"failure": failure})
            progress((number * settings.trials + trial + 1) / (len(configurations) * settings.trials))
    return rows
