"""A record: a trial and its outcome. Which of a run's records was the best so far, and which trials are recommended."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.foundation.errors import UserError, brief
from core.objectives.base import Own


@dataclass(frozen=True)
class Record:
    """A trial and its outcome.

    Attributes:
        number: Number of the trial, in the order of asking.
        configuration: Values by name.
        budget: Budget of the evaluation; None if the objective has no fidelity.
        loss: Loss returned by the objective; for a failed evaluation the benchmark's worst-case loss.
        cost: Cost in the benchmark's own unit.
        failure: Message of a failed evaluation, empty if it succeeded.
        started, finished: Times on the clock of the run.
        worker: Number of the worker, from 0.
        notes: Notes of the optimizer about the trial: `Trial.info`.
        info: Everything else that the objective returned; every name in it is the objective's own.
        overhead: Seconds that the proposal took.
        marks: What the search has noted about the evaluation, see `MARKED`.
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
    marks: Mapping[str, Any] = field(default_factory=dict)


CONSTRAINTS = "constraints"  # the mark for outcomes that must be at most 0, by name
PRUNED = "pruned"  # the mark for the step at which an evaluation was given up
REPORTS = "reports"  # the mark for the pairs (step, loss) that an evaluation reported
TOLD_LOSS = "told loss"  # the mark for the loss that an optimizer is told if the evaluation is not allowed
TRACEBACK = "traceback"  # the mark by which a programming error is known
MARKED: dict[str, type | tuple[type, ...]] = {
    CONSTRAINTS: dict,
    PRUNED: int,
    REPORTS: list,
    TOLD_LOSS: (int, float),
    TRACEBACK: str,
}
"""All marks and their types."""
MARKS: Any = Own.MARKS  # the key under which an evaluation's `info` carries them until it becomes a record


def with_marks(content: Mapping[str, Any]) -> Mapping[str, Any]:
    """What a journal holds of a record: earlier versions of this library wrote marks among the outcomes, in `info`.

    Raises:
        TypeError: marks that are none.
    """
    if "marks" in content:
        marks = content["marks"]
        if not isinstance(marks, dict) or not all(_is_mark(name, value) for name, value in marks.items()):
            raise TypeError(f"marks is {brief(marks)}")
        return content
    if not isinstance(info := content.get("info", {}), dict):
        raise TypeError(f"info is {brief(info)}")
    marks = {name: value for name, value in info.items() if _is_mark(name, value)}
    return {**content, "info": {name: value for name, value in info.items() if name not in marks}, "marks": marks}


def _is_mark(name: str, value: Any) -> bool:
    if name not in MARKED or isinstance(value, bool) or not isinstance(value, MARKED[name]):
        return False
    if isinstance(value, list):
        return all(isinstance(pair, list) and len(pair) == 2 and all(map(_is_number, pair)) for pair in value)
    return not isinstance(value, dict) or all(map(_is_number, value.values()))


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def violated(record: Record) -> list[str]:
    """The names of the constraints that the evaluation does not satisfy."""
    return [name for name, value in record.marks.get(CONSTRAINTS, {}).items() if not value <= 0]


def counts(record: Record) -> bool:
    """Whether the evaluation may be the best: it succeeded, was not given up, and satisfies all constraints."""
    return not record.failure and PRUNED not in record.marks and not violated(record)


def rank(record: Record) -> tuple[float, ...]:
    """Sort key of successes, best first: the largest budget, then the smallest loss, then the first."""
    return -(record.budget or 0.0), record.loss, record.finished, record.number


def incumbent(records: Sequence[Record]) -> Record:
    """The record that `counts` with the smallest loss on the largest budget that any of them has; the first of ties.

    Losses on smaller budgets don't count: they belong to another function, often smaller by chance or by its bias.

    Raises:
        UserError: no records, or none that counts.
    """
    successes = [record for record in records if counts(record)]
    if not successes:
        raise UserError(f"{why_none_counts(records)}: there is no best configuration")
    return min(successes, key=rank)


def why_none_counts(records: Sequence[Record]) -> str:
    """What became of evaluations among which none counts, in words."""
    if not records:
        return "nothing was evaluated"
    failed = [record for record in records if record.failure]
    if len(failed) == len(records):
        return f"all {len(records)} evaluations failed, the first with {brief(records[0].failure)}"
    outside = sum(bool(violated(record)) for record in records if not record.failure)
    pruned = len(records) - len(failed) - outside
    return (
        f"of {len(records)} evaluations {len(failed)} failed, {outside} violate a constraint and {pruned} were pruned"
    )


def incumbents(records: Sequence[Record]) -> list[Record]:
    """The records that became the incumbent, in the given order, which is that of telling.

    A success replaces the incumbent if its loss is smaller and its budget is not; the authors of BOHB drew the curves
    of their runs this way. The last record returned need not be `incumbent`, for which a larger budget is enough.
    """
    losses, budgets = ([getattr(record, name) for record in records] for name in ("loss", "budget"))
    return [
        records[place] for place in places_of_incumbents(losses, budgets, [not counts(record) for record in records])
    ]


def places_of_incumbents(losses: Sequence[float], budgets: Sequence[float | None], failed: Sequence[bool]) -> list[int]:
    """The positions of the incumbents of one run; see `incumbents`."""
    places: list[int] = []
    best, largest = float("inf"), 0.0
    for place, (loss, budget, wrong) in enumerate(zip(losses, budgets, failed, strict=True)):
        if not wrong and (not places or (loss < best and (budget or 0.0) >= largest)):
            places.append(place)
            best, largest = loss, budget or 0.0
    return places


def recommends(records: Sequence[Record]) -> bool:
    """Whether the method noted a configuration that it recommends."""
    return any("recommended" in record.notes for record in records)


def recommended(records: Sequence[Record], last: int | None = None, successes: bool = False) -> list[int]:
    """The trials whose configurations the method recommends after each record, for methods that note a recommendation.

    A method fits its model when it makes a proposal, so the effect of the last result is noted with the next trial.
    With several workers, results arrive in another order than that of asking: the latest proposal among the trials told
    counts. As long as nothing was noted, the recommendation is the trial with the smallest loss on any budget, as in
    the authors' code of Fabolas.

    Args:
        last: Recommendation after the last record; the default is the one before that record.
        successes: Whether a recommended trial that does not count, which a model may predict to be the best, is passed
            over. The papers' cells keep the method's recommendation.

    A recommendation of an evaluation that another search has made is passed over.
    """
    failed = {record.number for record in records if not counts(record)} if successes else set()
    trials, noted, latest, best = [], None, -1, None
    for record, following in zip(records, [*records[1:], None]):
        if counts(record) and (best is None or record.loss < best.loss):
            best = record
        named = last if following is None else following.notes.get("recommended")
        if (
            named is not None
            and named >= 0
            and named not in failed
            and (following is None or following.number > latest)
        ):
            noted, latest = named, latest if following is None else following.number
        trials.append((best or records[0]).number if noted is None else noted)
    return trials
