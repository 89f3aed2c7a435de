"""GP-BO on the largest budget alone, all repetitions in lockstep, with the records of the other methods."""

from __future__ import annotations

import numpy as np
import pandas as pd

from core.benchmarks.objective import Objective
from core.experiment.context import Context
from core.experiment.optimization import initial_design, objective_generators
from core.optimizers.proposer import Proposer
from core.randomness import make_generators
from core.spaces import CubeEncoding
from core.study.lockstep import run_in_lockstep
from papers.bohb.experiments.simulated_runs import Regret


def gaussian_process(context: Context, objective: Objective, regret: Regret | None) -> pd.DataFrame:
    """A row for each incumbent, and one at the end, as `search` has them.

    The thesis ran RoBO with hyperparameters integrated out; here by `MarginalisedGP`, its acquisition searched at
    random and locally, since half of the hyperparameters are whole numbers.
    """
    evaluations = int(context.settings.full_evaluations)
    method = context.settings.method
    encoding = CubeEncoding(objective.space)
    proposer = Proposer(
        method.policy(encoding, context.device),
        initial_design(context, encoding, method.initial_design),
        make_generators(context.method_seeds("optimizer"), context.device),
    )
    found = run_in_lockstep(objective, proposer, evaluations, objective_generators(context), context.progress)
    frames = []
    for run, points, losses in zip(context.runs, found.X.cpu().numpy(), found.loss, strict=True):
        changes = np.flatnonzero(np.diff(np.minimum.accumulate(losses), prepend=np.inf))
        incumbent, number = np.append(changes, changes[-1]), np.append(changes, evaluations - 1) + 1
        columns = {"time": number.astype(float), "evaluations": number, "budget": 1.0, "loss": losses[incumbent]}
        rows = pd.DataFrame({**columns, "run": run})
        frames.append(rows if regret is None else rows.assign(regret=regret(encoding.decode(points[incumbent]))))
    return pd.concat(frames, ignore_index=True)
