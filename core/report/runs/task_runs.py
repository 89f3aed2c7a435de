"""Runs of several methods on many tasks, as arrays: what average ranks, runtimes and tests between methods start from.

Records hold the incumbents of a run on a task: columns run, task, evaluation and values such as loss, with a row for
each evaluation that changes one of them. Evaluations without a row have the values of the last one that has.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from core.foundation.errors import UserError
from core.report.runs.frames import cell_rows
from core.study.curves import reached_so_far

Runs = dict[str, np.ndarray]
"""By method, a value after each evaluation, (tasks, runs, n)."""


@dataclass(frozen=True)
class Comparison:
    """A method beside others, on the same tasks and with the same seeds.

    Attributes:
        own: Name of the method that is compared with the others.
        tasks: Names of the tasks.
        losses: Losses of the incumbents after each evaluation, by method (tasks, runs, n); infinite before a success.
        solved: Shares of a task's targets that runs have reached by each evaluation, likewise.
        optima: The smallest loss of each task, None where it is not known.
        targets: What the targets of a task are, in words.
    """

    own: str
    tasks: tuple[str, ...]
    losses: Runs
    solved: Runs
    optima: tuple[float | None, ...]
    targets: str

    def task(self, place: int) -> Comparison:
        """The comparison on one task."""
        losses, solved = (
            {method: values[place : place + 1] for method, values in each.items()}
            for each in (self.losses, self.solved)
        )
        one = slice(place, place + 1)
        return replace(self, tasks=self.tasks[one], losses=losses, solved=solved, optima=self.optima[one])


def task_runs(frame: pd.DataFrame, benchmark: str, methods: Sequence[str], value: str, evaluations: int) -> Runs:
    """A value of several methods' incumbents on the tasks and runs that all of them have.

    Args:
        frame: The records of an experiment.
        evaluations: Number n of evaluations; a run that ended earlier keeps its last value.

    Raises:
        NotRunError: one of the methods was not run.
        UserError: the methods have no task or no run in common.
    """
    tables = {method: _table(cell_rows(frame, benchmark, method), value, evaluations) for method in methods}
    common = sorted(set.intersection(*(set(table.index) for table in tables.values())))
    tasks, runs = ({pair[place] for pair in common} for place in (0, 1))
    if not common or len(common) < len(tasks) * len(runs):
        raise UserError(f"{benchmark}: {', '.join(methods)} have no full set of tasks and runs in common")
    shape = (len(tasks), len(runs), evaluations)
    return {method: table.loc[common].to_numpy(float).reshape(shape) for method, table in tables.items()}


def first_hits(solved: Runs) -> Runs:
    """The targets that each run has reached by each evaluation, given those that its incumbents reach."""
    return {method: reached_so_far(shares) for method, shares in solved.items()}


def _table(rows: pd.DataFrame, value: str, evaluations: int) -> pd.DataFrame:
    """A row for each task and run, a column for each evaluation from 1 on."""
    table = rows.pivot(index=["task", "run"], columns="evaluation", values=value)
    return table.reindex(columns=range(1, evaluations + 1)).ffill(axis=1)
