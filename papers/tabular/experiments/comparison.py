"""Hyperparameter optimization on the tables (thesis 7.4): one function per experiment."""

from __future__ import annotations

import numpy as np
import pandas as pd

from core.experiment.context import Context
from core.experiment.optimization import in_lockstep
from core.experiment.table_search import search_table
from core.experiment.table_trajectories import trajectory
from core.tabular.benchmark import TabularBenchmark
from core.tabular.frame import from_records
from papers.tabular.settings import NetworkSearch, TableSearch


def methods(context: Context[TableSearch]) -> pd.DataFrame:
    """Runs of one optimizer on the table of the benchmark, one after the other; see `search_table`."""
    return search_table(context, table_benchmark(context))


def networks(context: Context[NetworkSearch]) -> pd.DataFrame:
    """Runs of BOHAMIANN on the table of the benchmark, all in lockstep; records as those of `methods`."""
    return search_with_networks(context, table_benchmark(context))


def search_with_networks(context: Context[NetworkSearch], benchmark: TabularBenchmark) -> pd.DataFrame:
    """Run a cell's repetitions in lockstep.

    Returns:
        run and the columns of `core.experiment.table_trajectories.trajectory`.
    """
    settings = context.settings
    histories = in_lockstep(context, benchmark, settings.evaluations, settings.initial_design)
    losses = np.where(histories.failure == "", histories.loss, np.nan)
    frames = []
    for run, records, loss, cost in zip(context.runs, histories.records, losses, histories.cost, strict=True):
        positions = benchmark.table.grid.positions([record.configuration for record in records])
        frames.append(trajectory(benchmark, loss, cost, positions).assign(run=run))
    return pd.concat(frames, ignore_index=True)


def table_benchmark(context: Context) -> TabularBenchmark:
    """The benchmark of the table that the experiment `grid` trained."""
    return TabularBenchmark(from_records(context.records("grid"), place=f"grid/{context.benchmark}"))
