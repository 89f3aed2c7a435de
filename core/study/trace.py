"""What a run leaves behind: a record for each told trial, its incumbent, and one schema for all of it as a data frame.

trial           its number, in the order of asking
configuration   a dictionary of values by name
budget          nan where there is none
loss            of a failed evaluation the benchmark's worst-case loss
cost            in the benchmark's own unit
started, finished, worker    on the clock of the run; which worker, from 0
overhead        seconds that the proposal took
origin          where the proposal comes from, "" where the optimizer does not say
status, message              "ok" or "failed", and why
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from core.errors import UserError

if TYPE_CHECKING:  # takes a second to import
    import pandas as pd


@dataclass(frozen=True)
class Record:
    """A trial and its outcome.

    Attributes:
        number: the trial's, in the order of asking.
        configuration: values by name.
        budget: None where the objective has no fidelity.
        loss: what the objective returned; of a failed evaluation the benchmark's worst-case loss.
        cost: in the benchmark's own unit.
        failure: the message of a failed evaluation, empty where there was none.
        started, finished: on the clock of the run.
        worker: which one, from 0.
        notes: the optimizer's about the trial: `Trial.info`.
        info: what else the objective said.
        overhead: seconds that the proposal took.
    """

    number: int
    configuration: Mapping[str, Any]
    budget: float | None
    loss: float
    cost: float
    failure: str
    started: float
    finished: float
    worker: int
    notes: Mapping[str, Any] = field(default_factory=dict)
    info: Mapping[str, Any] = field(default_factory=dict)
    overhead: float = 0.0


def rank(record: Record) -> tuple[float, ...]:
    """Orders successes, the best first: the largest budget, then the smallest loss, then the first."""
    return -(record.budget or 0.0), record.loss, record.finished, record.number


def incumbent(records: Sequence[Record]) -> Record:
    """The successful record with the smallest loss on the largest budget that any success has; the first of equals.

    Losses on smaller budgets don't count: they are of another function, and often smaller by chance or by its bias.

    Raises:
        UserError: no records, or every evaluation failed.
    """
    successes = [record for record in records if not record.failure]
    if not successes:
        first = f", the first with {records[0].failure!r}" if records else ""
        raise UserError(f"all {len(records)} evaluations failed{first}: there is no incumbent")
    return min(successes, key=rank)


def incumbents(records: Sequence[Record]) -> list[Record]:
    """The records that became the incumbent, in the order given: that of a run's telling.

    A success replaces the incumbent if its loss is smaller and its budget not: so the authors of BOHB drew the curves
    of their runs. The last of them need not be `incumbent`, for which a larger budget is enough.
    """
    found: list[Record] = []
    for record in records:
        if record.failure:
            continue
        if not found or (record.loss < found[-1].loss and (record.budget or 0.0) >= (found[-1].budget or 0.0)):
            found.append(record)
    return found


def trace_of(records: Sequence[Record]) -> pd.DataFrame:
    """The records as a data frame, a row for each in their order; see the module for its columns."""
    import pandas as pd

    return pd.DataFrame(
        {
            "trial": [record.number for record in records],
            "configuration": [dict(record.configuration) for record in records],
            "budget": [float("nan") if record.budget is None else record.budget for record in records],
            "loss": [record.loss for record in records],
            "cost": [record.cost for record in records],
            "started": [record.started for record in records],
            "finished": [record.finished for record in records],
            "worker": [record.worker for record in records],
            "overhead": [record.overhead for record in records],
            "origin": [record.notes.get("origin", "") for record in records],
            "status": ["failed" if record.failure else "ok" for record in records],
            "message": [record.failure for record in records],
        }
    )
