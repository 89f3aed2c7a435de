"""Hyperparameter optimization on the tables (thesis 7.4): one function an experiment."""

from __future__ import annotations

import numpy as np
import pandas as pd

from core.acquisition.maximizers import OneStepSearch
from core.experiment.context import Context
from core.experiment.optimization import initial_design, objective_generators
from core.optimizers.base import Optimizer
from core.optimizers.policy import ModelBased
from core.optimizers.proposer import Proposer
from core.randomness import make_generators
from core.spaces import CubeEncoding
from core.study import simulate
from core.study.lockstep import run_in_lockstep
from core.tabular.benchmark import TabularBenchmark
from core.tabular.records import from_records
from core.tabular.trajectories import trajectory, trajectory_of_records
from papers.tabular.settings import NetworkSearch, Search


def methods(context: Context[Search]) -> pd.DataFrame:
    """Runs of one optimizer on the table of the benchmark, one after the other.

    Returns:
        run and the columns of `core.tabular.trajectories.trajectory`.
    """
    settings, benchmark = context.settings, table_benchmark(context)
    frames = []
    seeds, noise = context.method_seeds("optimizer"), objective_generators(context)
    for done, (run, seed, generator) in enumerate(zip(context.runs, seeds, noise, strict=True)):
        optimizer = make_optimizer(settings, benchmark, seed)
        evaluations = None if optimizer.ends else settings.evaluations
        told = context.progress_of(done)
        records = simulate(optimizer, benchmark, 1, generator, evaluations=evaluations, progress=told)
        told(1.0)  # an optimizer with an end of its own has no limit to be near to
        frames.append(trajectory_of_records(benchmark, records).assign(run=run))
    return pd.concat(frames, ignore_index=True)


def networks(context: Context[NetworkSearch]) -> pd.DataFrame:
    """The same of BOHAMIANN, all runs in lockstep."""
    settings, benchmark = context.settings, table_benchmark(context)
    encoding = CubeEncoding(benchmark.space)
    policy = ModelBased(encoding, lambda n: settings.method.model(n, context.device), OneStepSearch.of(encoding))
    generators = make_generators(context.method_seeds("optimizer"), context.device)
    proposer = Proposer(policy, initial_design(context, encoding, settings.initial_design), generators)
    found = run_in_lockstep(benchmark, proposer, settings.evaluations, objective_generators(context), context.progress)
    losses = np.where(found.failure == "", found.loss, np.nan)
    frames = []
    for run, points, loss, cost in zip(context.runs, found.X.cpu().numpy(), losses, found.cost, strict=True):
        positions = benchmark.table.grid.positions(encoding.decode(points))
        frames.append(trajectory(benchmark, loss, cost, positions).assign(run=run))
    return pd.concat(frames, ignore_index=True)


def table_benchmark(context: Context) -> TabularBenchmark:
    """The benchmark of the table that the experiment `grid` trained."""
    return TabularBenchmark(from_records(context.records("grid"), place=f"grid/{context.benchmark}"))


def make_optimizer(settings: Search, benchmark: TabularBenchmark, seed: int) -> Optimizer:
    """The optimizer that the settings name."""
    budgets = (settings.minimum_budget, benchmark.fidelity.maximum) if settings.method.needs_budgets else None
    return settings.method.build(benchmark.space, seed, budgets, settings.evaluations)
