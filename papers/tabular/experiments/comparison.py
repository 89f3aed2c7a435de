"""Hyperparameter optimization on the tables (thesis 7.4): one function per experiment."""

from __future__ import annotations

import numpy as np
import pandas as pd

from core.experiment.context import Context
from core.experiment.optimization import in_lockstep, objective_generators
from core.optimizers.base import Optimizer
from core.report.table_trajectories import trajectory, trajectory_of_records
from core.study import simulate
from core.tabular.benchmark import TabularBenchmark
from core.tabular.frame import from_records
from papers.tabular.settings import NetworkSearch, TableSearch


def methods(context: Context[TableSearch]) -> pd.DataFrame:
    """Runs of one optimizer on the table of the benchmark, one after the other.

    Returns:
        run and the columns of `core.report.table_trajectories.trajectory`.
    """
    settings, benchmark = context.settings, table_benchmark(context)
    frames = []
    seeds, noise = context.method_seeds("optimizer"), objective_generators(context)
    for done, (run, seed, generator) in enumerate(zip(context.runs, seeds, noise, strict=True)):
        optimizer = make_optimizer(settings, benchmark, seed)
        evaluations = None if optimizer.ends else settings.evaluations
        told = context.progress_of(done)
        records = simulate(optimizer, benchmark, 1, generator, evaluations=evaluations, progress=told)
        told(1.0)  # an optimizer that ends by itself has no limit to measure progress by
        frames.append(trajectory_of_records(benchmark, records).assign(run=run))
    return pd.concat(frames, ignore_index=True)


def networks(context: Context[NetworkSearch]) -> pd.DataFrame:
    """Runs of BOHAMIANN on the table of the benchmark, all in lockstep; records as those of `methods`."""
    settings, benchmark = context.settings, table_benchmark(context)
    found = in_lockstep(context, benchmark, settings.evaluations, settings.initial_design)
    losses = np.where(found.failure == "", found.loss, np.nan)
    frames = []
    for run, records, loss, cost in zip(context.runs, found.records, losses, found.cost, strict=True):
        positions = benchmark.table.grid.positions([record.configuration for record in records])
        frames.append(trajectory(benchmark, loss, cost, positions).assign(run=run))
    return pd.concat(frames, ignore_index=True)


def table_benchmark(context: Context) -> TabularBenchmark:
    """The benchmark of the table that the experiment `grid` trained."""
    return TabularBenchmark(from_records(context.records("grid"), place=f"grid/{context.benchmark}"))


def make_optimizer(settings: TableSearch, benchmark: TabularBenchmark, seed: int) -> Optimizer:
    """The optimizer that the settings name."""
    budgets = (settings.minimum_budget, benchmark.fidelity.maximum) if settings.method.needs_budgets else None
    return settings.method.build(benchmark.space, seed, budgets, settings.evaluations)
