"""Earlier searches as the tasks that a new search learns from: `minimize(..., earlier=[result, trace])`.

A method with a model of several tasks learns from them as from similar functions, whatever their level. One with a
model of a single task is told their evaluations as if they were its own, which is right for the same function only.

A task holds the evaluations that count on the largest budget that has one, the same ones from which `Result.best` is
chosen. The loss of a failure is made up. One on a smaller budget, or of an evaluation that was pruned, belongs to
another function. What violates a constraint is never the best. In a search with constraints, a method with a model of a
single task also learns where earlier evaluations on that budget failed or violated a constraint. Configurations are
encoded into the space of the new search, so the space of an earlier search must be the same or a part of it.
"""

from __future__ import annotations

import hashlib
import math
import numbers
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from core.foundation.errors import UserError, brief
from core.models.tasks import Task
from core.spaces import CubeEncoding
from core.study.record import Record
from core.study.result import Result
from core.study.trace import FAILED, INFEASIBLE, OK, Trace, status_of

ALLOWED = "results of minimize, their traces or records"
COLUMNS = ("configuration", "budget", "loss", "status")


class Evaluated(NamedTuple):
    """One evaluation of an earlier search; `budget` is 0 without one, and `status` one of `core.study.trace`."""

    configuration: Mapping[str, Any]
    budget: float
    loss: float
    status: str


@dataclass(frozen=True)
class EarlierSearch:
    """What a new search learns from an earlier one.

    Attributes:
        task: The evaluations that count; None if there are none.
        bad: Points (n, d) of those on the same budget that failed or violated a constraint. Their losses are not known:
            a trace leaves them out.
    """

    task: Task | None
    bad: NDArray[np.float64]


def searches_of(earlier: Sequence[Any], encoding: CubeEncoding, avoiding: bool = False) -> list[EarlierSearch]:
    """The earlier searches, in order; their tasks are named earlier[0], earlier[1] ...

    Args:
        earlier: Earlier searches, each given as its `Result`, its records, or its trace, which may be a `Trace` or a
            data frame with at least the columns configuration, budget, loss and status (such as one read from a file).
        encoding: Encoding of the new search's space.
        avoiding: Whether a search in which nothing counts is of use: it shows what is to be avoided.

    Raises:
        UserError: something else, a search in which nothing counts, or configurations of another space.
    """
    return [_search(f"earlier[{place}]", given, encoding, avoiding) for place, given in enumerate(check_list(earlier))]


def tasks_of(earlier: Sequence[Any], encoding: CubeEncoding) -> list[Task]:
    """The tasks of `searches_of`."""
    return [search.task for search in searches_of(earlier, encoding) if search.task is not None]


def check_list(earlier: Any) -> Sequence[Any]:
    """The searches themselves; raises UserError for what is not a list of them, such as a single one."""
    records = isinstance(earlier, Sequence) and any(isinstance(each, Record) for each in earlier)
    if not isinstance(earlier, Sequence) or isinstance(earlier, str) or records:
        raise UserError(f"earlier is of type {type(earlier).__name__}; allowed: a list of {ALLOWED}")
    return earlier


def digest(searches: Sequence[EarlierSearch]) -> str:
    """16 hexadecimal digits by which a journal recognizes what a search has learned from."""
    hashed = hashlib.sha256()
    for search in searches:
        known = [] if search.task is None else [search.task.X.numpy(), search.task.y.numpy()]
        for values in (*known, *([search.bad] if len(search.bad) else [])):
            hashed.update(repr(values.shape).encode() + values.tobytes())
    return hashed.hexdigest()[:16]


def _search(name: str, given: Any, encoding: CubeEncoding, avoiding: bool) -> EarlierSearch:
    evaluated = _evaluated(name, given, encoding)
    largest = max((each.budget for each in evaluated if each.status == OK), default=None)
    if largest is None and avoiding:
        largest = max((each.budget for each in evaluated if each.status in (FAILED, INFEASIBLE)), default=None)
    if largest is None:
        seen = ", ".join(f"{n} {status}" for status, n in Counter(each.status for each in evaluated).items())
        raise UserError(
            f"{name} has no evaluation that succeeded and satisfies all constraints ({seen or 'nothing was evaluated'})"
            "; allowed: at least one"
        )
    full = [each for each in evaluated if each.budget == largest]
    good = [each for each in full if each.status == OK]
    bad = [each for each in full if each.status in (FAILED, INFEASIBLE)]
    try:
        points, avoided = (encoding.encode([each.configuration for each in some]) for some in (good, bad))
    except UserError as error:
        raise UserError(f"{name} is of another space: {error}") from error
    if not good:
        return EarlierSearch(None, avoided)
    losses = torch.tensor([[each.loss for each in good]], dtype=torch.float64)
    return EarlierSearch(Task(torch.from_numpy(points)[None], losses, name=name), avoided)


def _evaluated(name: str, given: Any, encoding: CubeEncoding) -> list[Evaluated]:
    given = given.records if isinstance(given, Result) else given.frame if isinstance(given, Trace) else given
    if hasattr(given, "columns"):
        missing = [column for column in COLUMNS if column not in given.columns]
        if missing:
            raise UserError(f"{name} has no column {missing[0]!r}; allowed: {ALLOWED}")
        rows = list(given[list(COLUMNS)].itertuples(index=False))
        for place, row in enumerate(rows):
            if row.status == OK and not (isinstance(row.loss, numbers.Real) and math.isfinite(row.loss)):
                raise UserError(
                    f"{name}: row {place} has the loss {brief(row.loss)} and the status 'ok'; allowed: a finite loss, "
                    "or the status 'failed'"
                )
            if not isinstance(row.configuration, Mapping):
                raise UserError(
                    f"{name}: configuration is {brief(row.configuration)}; allowed: dictionaries, which a trace "
                    "written by to_parquet keeps, and one written by to_csv does not"
                )
        try:
            configurations = [encoding.from_table(row.configuration) for row in rows]
        except UserError as error:
            raise UserError(f"{name}: {error}") from error
        return [
            Evaluated(configuration, 0.0 if math.isnan(row.budget) else row.budget, row.loss, row.status)
            for configuration, row in zip(configurations, rows, strict=True)
        ]
    if not isinstance(given, Sequence) or not all(isinstance(record, Record) for record in given):
        raise UserError(f"{name} is of type {type(given).__name__}; allowed: {ALLOWED}")
    return [Evaluated(each.configuration, each.budget or 0.0, each.loss, status_of(each)[0]) for each in given]
