"""A cell that optimizes on a table of trained networks: its repetitions, one after the other, on their own clocks."""

from __future__ import annotations

from typing import Any

import pandas as pd

from core.experiment.context import Context
from core.experiment.optimization import one_by_one
from core.optimizers.base import Optimizer
from core.report.table_trajectories import trajectory_of_records
from core.tabular.benchmark import TabularBenchmark


def search_table(context: Context, benchmark: TabularBenchmark, evaluations: int | None = None) -> pd.DataFrame:
    """Run a cell's repetitions, whose settings have a `method` and, if that needs budgets, a `minimum_budget`.

    Args:
        evaluations: number in a run of a method that does not end by itself.

    Returns:
        run and the columns of `core.report.table_trajectories.trajectory`.
    """
    found = one_by_one(
        context, benchmark, lambda seed: make_optimizer(context.settings, benchmark, seed), evaluations=evaluations
    )
    frames = [
        trajectory_of_records(benchmark, records).assign(run=run)
        for run, records in zip(context.runs, found, strict=True)
    ]
    return pd.concat(frames, ignore_index=True)


def make_optimizer(settings: Any, benchmark: TabularBenchmark, seed: int) -> Optimizer:
    """The optimizer that a cell's settings name; SMAC plans with their number of `evaluations`."""
    budgets = (settings.minimum_budget, benchmark.fidelity.maximum) if settings.method.needs_budgets else None
    return settings.method.build(benchmark.space, seed, budgets, getattr(settings, "evaluations", 1))
