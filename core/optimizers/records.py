"""What a simulated run leaves behind, one record a told trial, and its incumbent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.errors import UserError


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
