"""Earlier searches as the tasks that a new search learns from: `minimize(..., earlier=[result, trace])`.

A method with a model of several tasks learns from them as from similar functions, whatever their level. One with a
model of a single task is told their evaluations as if they were its own, which is right for the same function only.

A task holds the successful evaluations on the largest budget with a success, the same ones from which `Result.best` is
chosen. The loss of a failure is made up, and a loss on a smaller budget belongs to another function. Configurations are
encoded into the space of the new search, so the space of an earlier search must be the same or a part of it.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch

from core.errors import UserError, brief
from core.models.tasks import Task
from core.spaces import CubeEncoding
from core.study.record import Record
from core.study.result import Result
from core.study.trace import Trace

ALLOWED = "results of minimize, their traces or records"
COLUMNS = ("configuration", "budget", "loss", "status")


class Evaluated(NamedTuple):
    """One evaluation of an earlier search; `budget` is 0 without one."""

    configuration: Mapping[str, Any]
    budget: float
    loss: float
    failed: bool


def tasks_of(earlier: Sequence[Any], encoding: CubeEncoding) -> list[Task]:
    """One task for each earlier search, in order, named earlier[0], earlier[1] ...

    Args:
        earlier: Earlier searches, each given as its `Result`, its records, or its trace, which may be a `Trace` or a
            data frame with at least the columns configuration, budget, loss and status (such as one read from a file).
        encoding: Encoding of the new search's space.

    Raises:
        UserError: something else, a search in which nothing succeeded, or configurations of another space.
    """
    return [_task(f"earlier[{place}]", given, encoding) for place, given in enumerate(check_list(earlier))]


def check_list(earlier: Any) -> Sequence[Any]:
    """The searches themselves; raises UserError for what is not a list of them, such as a single one."""
    records = isinstance(earlier, Sequence) and any(isinstance(each, Record) for each in earlier)
    if not isinstance(earlier, Sequence) or isinstance(earlier, str) or records:
        raise UserError(f"earlier is of type {type(earlier).__name__}; allowed: a list of {ALLOWED}")
    return earlier


def digest(tasks: Sequence[Task]) -> str:
    """16 hexadecimal digits by which a journal recognizes the tasks."""
    hashed = hashlib.sha256()
    for task in tasks:
        for values in (task.X, task.y):
            hashed.update(repr(tuple(values.shape)).encode() + values.numpy().tobytes())
    return hashed.hexdigest()[:16]


def _task(name: str, given: Any, encoding: CubeEncoding) -> Task:
    evaluated = [each for each in _evaluated(name, given, encoding) if not each.failed]
    if not evaluated:
        raise UserError(f"{name} has no evaluation that succeeded; allowed: at least one")
    largest = max(each.budget for each in evaluated)
    full = [each for each in evaluated if each.budget == largest]
    try:
        points = encoding.encode([each.configuration for each in full])
    except UserError as error:
        raise UserError(f"{name} is of another space: {error}") from error
    losses = np.array([[each.loss for each in full]], dtype=np.float64)
    return Task(torch.from_numpy(points)[None], torch.from_numpy(losses), name=name)


def _evaluated(name: str, given: Any, encoding: CubeEncoding) -> list[Evaluated]:
    given = given.records if isinstance(given, Result) else given.frame if isinstance(given, Trace) else given
    if hasattr(given, "columns"):
        missing = [column for column in COLUMNS if column not in given.columns]
        if missing:
            raise UserError(f"{name} has no column {missing[0]!r}; allowed: {ALLOWED}")
        rows = list(given[list(COLUMNS)].itertuples(index=False))
        for row in rows:
            if not isinstance(row.configuration, Mapping):
                raise UserError(
                    f"{name}: configuration is {brief(row.configuration)}; allowed: dictionaries, which a trace "
                    "written by to_parquet keeps, and one written by to_csv does not"
                )
        # Files list all names for every configuration, with None for inactive ones.
        some = {column.name for column in encoding.columns if None in column.choices}
        return [
            Evaluated(
                {key: value for key, value in row.configuration.items() if value is not None or key in some},
                0.0 if math.isnan(row.budget) else row.budget,
                row.loss,
                row.status != "ok",
            )
            for row in rows
        ]
    if not isinstance(given, Sequence) or not all(isinstance(record, Record) for record in given):
        raise UserError(f"{name} is of type {type(given).__name__}; allowed: {ALLOWED}")
    return [Evaluated(each.configuration, each.budget or 0.0, each.loss, bool(each.failure)) for each in given]
