"""A cell that optimizes: an objective, a method by its settings, all repetitions of a shard.

Methods with a policy advance all repetitions in lockstep, and start from the same initial design in the same
repetition. Searches of other libraries run one repetition after the other and have an initial design of their own.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from torch import Tensor

from core.benchmarks.objective import Objective
from core.experiment.context import Context
from core.optimizers.policy import uniform_points
from core.optimizers.proposer import Proposer
from core.randomness import make_generators
from core.spaces import CubeEncoding
from core.study.lockstep import evaluations_of, run_in_lockstep
from core.study.simulated import simulate


def optimize(context: Context, objective: Objective) -> pd.DataFrame:
    """Run a cell's repetitions: one row an evaluation.

    Returns:
        run, evaluation (from 1), loss, regret (loss above the optimum, where that is known), cost, overhead (seconds
        of the proposal), origin, status, message.
    """
    lockstep = context.settings.method.in_lockstep
    records = _in_lockstep(context, objective) if lockstep else _one_by_one(context, objective)
    if objective.optimum is not None:
        records.insert(3, "regret", records["loss"] - objective.optimum)
    return records


def initial_design(context: Context, encoding: CubeEncoding, n: int) -> Tensor:
    """n uniform points of each repetition, (runs, n, d), the same for all methods."""
    return uniform_points(encoding, n, make_generators(context.shared_seeds("initial design"), context.device))


def objective_generators(context: Context) -> list[np.random.Generator]:
    """What the objective draws from in each repetition, the same for all methods."""
    return [np.random.default_rng(seed) for seed in context.shared_seeds("objective")]


def _in_lockstep(context: Context, objective: Objective) -> pd.DataFrame:
    settings, encoding = context.settings, CubeEncoding(objective.space)
    generators = make_generators(context.method_seeds("optimizer"), context.device)
    initial = initial_design(context, encoding, settings.initial_design)
    proposer = Proposer(settings.method.policy(encoding, context.device), initial, generators)
    noise = objective_generators(context)
    return run_in_lockstep(objective, proposer, settings.evaluations, noise, context.progress).frame(context.runs)


def _one_by_one(context: Context, objective: Objective) -> pd.DataFrame:
    settings, noise = context.settings, objective_generators(context)
    seeds = context.method_seeds("optimizer")
    frames = []
    for done, (run, seed, generator) in enumerate(zip(context.runs, seeds, noise, strict=True)):
        optimizer = settings.method.build(objective.space, seed, evaluations=settings.evaluations)
        told = context.progress_of(done)
        records = simulate(optimizer, objective, 1, generator, evaluations=settings.evaluations, progress=told)
        frames.append(evaluations_of(records, run).assign(origin=settings.optimizer))
    return pd.concat(frames, ignore_index=True)
