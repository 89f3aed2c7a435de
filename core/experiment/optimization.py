"""A cell that optimizes: an objective, a method given by its settings, and all repetitions of a shard.

Methods with a policy advance all repetitions in lockstep, and start from the same initial design in the same
repetition. Searches of other libraries run one repetition after the other and have an initial design of their own.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
from torch import Tensor

from core.experiment import provenance
from core.experiment.context import Context
from core.experiment.finished import PROPOSALS, unfinished_file
from core.foundation.randomness import make_generators
from core.models.tasks import Task
from core.objectives.base import Objective
from core.optimizers.base import Optimizer
from core.optimizers.fidelities import configurations_of, initial_evaluations
from core.optimizers.policy import Policy, uniform_points
from core.spaces import CubeEncoding
from core.study.lockstep import Histories, KeptProposals, run_in_lockstep
from core.study.record import Record
from core.study.simulated import simulate
from core.study.trace import Trace


def optimize(context: Context, objective: Objective, earlier: Sequence[Task] = ()) -> pd.DataFrame:
    """Run a cell's repetitions: one row per evaluation.

    Args:
        earlier: Known evaluations of other tasks, for a method that learns from them.

    Returns:
        run, evaluation (from 1), loss, regret (loss above the optimum, if that is known), cost, overhead (seconds of
        the proposal), origin (where the proposal comes from; for another library's search, the cell's method), status,
        message.
    """
    settings = context.settings
    if settings.method.in_lockstep:
        histories = in_lockstep(context, objective, settings.evaluations, settings.initial_design, earlier=earlier)
        records = histories.trace(context.runs).evaluations()
    else:
        records = _one_by_one(context, objective)
    if objective.optimum is not None:
        records.insert(3, "regret", records["loss"] - objective.optimum)
    return records


def improvements(records: pd.DataFrame) -> pd.DataFrame:
    """The evaluations with a smaller loss than all earlier ones of their run, those that failed, and each run's last.

    A record of these is a tenth of the size, and enough wherever incumbents alone are drawn.
    """
    losses = records.groupby("run", sort=False)["loss"]
    best_before = losses.cummin().groupby(records["run"], sort=False).shift(fill_value=np.inf)
    last = ~records["run"].duplicated(keep="last")
    return records[(records["loss"] < best_before) | (records["status"] == "failed") | last].reset_index(drop=True)


def in_lockstep(
    context: Context,
    objective: Objective,
    evaluations: int,
    initial: int,
    policy: Policy | None = None,
    earlier: Sequence[Task] = (),
) -> Histories:
    """Run a shard's repetitions in lockstep, from an initial design that all methods share.

    Args:
        evaluations: Number of evaluations per repetition, including the initial design.
        initial: Number of points of the initial design; with a fidelity each is evaluated as its encoding says.
        policy: Policy that proposes the other points; by default that of the cell's method.
        earlier: Known evaluations of other tasks, for the cell's method.
    """
    if policy is None:
        method, fidelity = context.settings.method, objective.fidelity
        budgets = (fidelity.minimum, fidelity.maximum) if method.needs_budgets and fidelity is not None else None
        method.check_budgets(budgets)
        policy = method.policy(CubeEncoding(objective.space), context.device, budgets, earlier)
    design = initial_evaluations(policy.encoding, initial_design(context, configurations_of(policy.encoding), initial))
    kept = kept_proposals(context, design.tolist(), evaluations)
    return run_in_lockstep(
        objective,
        policy,
        design,
        make_generators(context.method_seeds("optimizer"), context.device),
        evaluations,
        objective_generators(context),
        context.progress,
        kept,
    )


def kept_proposals(context: Context, start: Sequence[Any], evaluations: int) -> KeptProposals | None:
    """Where a shard's proposals are kept, for the same commit, settings and kind of device; None if it is not known.

    Args:
        start: What tells this search from others of the shard, such as its initial design.
        evaluations: Number of evaluations.
    """
    if not provenance.is_known(context.commits):
        return None
    cell, kind = context.cell, context.device.partition(":")[0]
    digest = hashlib.sha256(repr(start).encode()).hexdigest()
    key = " ".join([context.commits, cell.settings_hash, kind, str(context.runs), str(evaluations), digest])
    return KeptProposals(unfinished_file(cell, context.runs, context.root, PROPOSALS), key, context.resumed)


def initial_design(context: Context, encoding: CubeEncoding, n: int) -> Tensor:
    """n uniform points per repetition, (runs, n, d), the same for all methods."""
    points = uniform_points(encoding, n, make_generators(context.shared_seeds("initial design")))
    return points.to(context.device)  # drawn on the CPU: generators of other devices have other numbers


def objective_generators(context: Context) -> list[np.random.Generator]:
    """The generators that the objective draws from in each repetition, the same for all methods."""
    return [np.random.default_rng(seed) for seed in context.shared_seeds("objective")]


def one_by_one(
    context: Context,
    objective: Objective,
    build: Callable[[int], Optimizer],
    workers: int = 1,
    until: float | None = None,
    evaluations: int | None = None,
) -> Iterator[list[Record]]:
    """The records of a shard's repetitions, each on simulated workers and a clock of its own.

    Args:
        build: Function from a seed to the optimizer of a repetition.
        workers, until: Arguments of `core.study.simulate`.
        evaluations: Number of evaluations per repetition, for an optimizer that does not end by itself.
    """
    seeds = context.method_seeds("optimizer")
    for done, (seed, noise) in enumerate(zip(seeds, objective_generators(context), strict=True)):
        optimizer, progress = build(seed), context.progress_of(done)
        most = None if optimizer.ends else evaluations
        yield simulate(optimizer, objective, workers, noise, until=until, evaluations=most, progress=progress)
        progress(1.0)  # an optimizer that ends by itself has no limit to measure progress by


def _one_by_one(context: Context, objective: Objective) -> pd.DataFrame:
    method, n = context.settings.method, context.settings.evaluations
    runs = one_by_one(
        context, objective, lambda seed: method.build(objective.space, seed, evaluations=n), evaluations=n
    )
    return Trace.of(list(runs), context.runs).evaluations().assign(origin=context.method)


def rows_of_search(runs: range, values: dict[str, Tensor]) -> pd.DataFrame:
    """One row for each run and evaluation (from 1), in order, with values (runs, n) as columns."""
    count, n = next(iter(values.values())).shape
    numbers = {"run": np.repeat(np.asarray(runs), n), "evaluation": np.tile(np.arange(1, n + 1), count)}
    return pd.DataFrame(numbers | {name: part.cpu().numpy().ravel() for name, part in values.items()})
