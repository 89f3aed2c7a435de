"""A cell whose evaluations run side by side on simulated workers, and what became of its best configuration.

Each worker is busy for the cost of its evaluation, so that a run's clock is what so many machines would need; the
evaluations themselves are made one after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pandas as pd
from ConfigSpace import ConfigurationSpace

from core.experiment.context import Context
from core.experiment.optimization import one_by_one
from core.foundation.errors import UserError
from core.objectives.base import Objective
from core.optimizers.base import Optimizer
from core.spaces import Column
from core.study.trace import Trace


def parallel_search(
    context: Context,
    objective: Objective,
    build: Callable[[int], Optimizer],
    workers: int,
    evaluations: int | None = None,
) -> pd.DataFrame:
    """Run a cell's repetitions: one row per evaluation, in the order in which they end.

    Args:
        build: Function from a seed to the optimizer of a repetition.
        evaluations: Number of evaluations per repetition, for an optimizer that does not end by itself.

    Returns:
        run, evaluation (from 1), `finished` (time on the run's clock), loss, cost, overhead, origin, status, message,
        `budget` if there is a fidelity, and one column for each hyperparameter.
    """
    runs = list(one_by_one(context, objective, build, workers, evaluations=evaluations))
    trace = Trace.of(runs, context.runs)
    columns = ["finished"] if objective.fidelity is None else ["finished", "budget"]
    frame = pd.concat([trace.evaluations(), trace.frame[columns]], axis=1)
    return pd.concat([frame, pd.DataFrame(list(trace.frame["configuration"]))], axis=1)


def best_configuration(records: pd.DataFrame, method: str, run: int, space: ConfigurationSpace) -> dict[str, Any]:
    """The configuration with the smallest loss, on the largest budget, of a run of a method.

    The runs are counted again from the first one after the last.

    Args:
        records: What `parallel_search` returned, with the column `method`.

    Raises:
        UserError: no evaluation of the run succeeded.
    """
    rows = records[(records["method"] == method) & (records["status"] == "ok")]
    runs = sorted(rows["run"].unique())
    if not runs:
        raise UserError(f"method {method!r}: no evaluation succeeded; allowed: records with one that did")
    rows = rows[rows["run"] == runs[run % len(runs)]]
    if "budget" in rows:
        rows = rows[rows["budget"] == rows["budget"].max()]
    return as_configuration(rows.loc[rows["loss"].idxmin()], space)


def as_configuration(row: Mapping[str, Any] | pd.Series, space: ConfigurationSpace) -> dict[str, Any]:
    """The hyperparameters of a row, those that are not active left out, whole numbers as such."""
    configuration = {}
    for name in space:
        if pd.isna(row[name]):
            continue
        kind = Column.of(space[name]).kind
        configuration[name] = (
            round(row[name]) if kind == "integer" else float(row[name]) if kind == "float" else row[name]
        )
    return configuration
