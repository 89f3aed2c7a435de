"""A cell that optimizes on a table of trained networks: its repetitions, one after the other, on their own clocks."""

from __future__ import annotations

import pandas as pd

from core.experiment.context import Context
from core.experiment.optimization import one_by_one
from core.experiment.table_search_settings import TableSearch
from core.experiment.table_trajectories import trajectory_of_records
from core.optimizers.base import Optimizer
from core.tabular.benchmark import TabularBenchmark


def search_table(context: Context[TableSearch], benchmark: TabularBenchmark) -> pd.DataFrame:
    """Run a cell's repetitions.

    Returns:
        run and the columns of `core.experiment.table_trajectories.trajectory`.
    """
    settings = context.settings
    runs = one_by_one(
        context, benchmark, lambda seed: make_optimizer(settings, benchmark, seed), evaluations=settings.evaluations
    )
    frames = [
        trajectory_of_records(benchmark, records).assign(run=run)
        for run, records in zip(context.runs, runs, strict=True)
    ]
    return pd.concat(frames, ignore_index=True)


def make_optimizer(settings: TableSearch, benchmark: TabularBenchmark, seed: int) -> Optimizer:
    """The optimizer of a repetition; SMAC plans with the number of evaluations."""
    method, largest = settings.method, benchmark.fidelity.maximum
    if method.needs_budgets:
        return method.build(benchmark.space, seed, (settings.minimum_budget, largest))
    return method.build(benchmark.space, seed, evaluations=settings.evaluations)
