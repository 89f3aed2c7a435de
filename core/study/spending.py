"""A search by what it spends: a clock on which an evaluation on the largest budget takes 1, others their share of it.

Searches on one budget and on several can then be compared. What counts is the loss on the largest budget of what a
search holds best, looked up or evaluated once more there, which is not part of the search.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from core.foundation.progress import Progress, silent
from core.objectives.base import Configurations, Evaluation, Objective
from core.objectives.guard import guarded_evaluate
from core.optimizers.base import Optimizer
from core.study.recommended import recommended, recommends
from core.study.record import Record, places_of_incumbents
from core.study.simulated import simulate

ROUNDING = 1e-9


class Spending:
    """An objective whose costs are shares of the largest budget, also of evaluations that fail."""

    def __init__(self, objective: Objective) -> None:
        self.objective = objective
        self.space, self.fidelity = objective.space, objective.fidelity
        self.optimum, self.worst_loss = objective.optimum, objective.worst_loss

    def evaluate(
        self, configurations: Configurations, budget: float | None, generator: np.random.Generator
    ) -> Evaluation:
        """Losses and what they cost on this clock."""
        evaluation = guarded_evaluate(self.objective, configurations, budget, generator)
        share = 1.0 if budget is None or self.fidelity is None else budget / self.fidelity.maximum
        return Evaluation(evaluation.loss, np.full(len(evaluation.loss), share), evaluation.info)


def losses_by_spending(
    optimizer: Optimizer, objective: Objective, evaluations: int, generator: np.random.Generator
) -> NDArray[np.float64]:
    """The loss, (evaluations,), of what a search holds best once it has spent 1, 2, .. evaluations on all budget.

    Infinite before the first success.
    """
    records, held = search_by_spending(optimizer, objective, evaluations, generator)
    return by_spending(records, held, evaluations)


def search_by_spending(
    optimizer: Optimizer,
    objective: Objective,
    evaluations: int,
    generator: np.random.Generator,
    progress: Progress = silent,
) -> tuple[list[Record], NDArray[np.float64]]:
    """The records of a search that spends so many evaluations on all budget, and what it holds best after each.

    A search that recommends a configuration is taken at its word.

    Returns:
        The records in the order of telling, (n,), and the loss on the largest budget of what the search holds best
        from each of them on, (n,); infinite before the first success.
    """
    limit = evaluations * (1 + ROUNDING)
    records = simulate(optimizer, Spending(objective), 1, generator, until=limit, progress=progress)
    losses = np.full(len(records), np.inf)
    known: dict[int, float] = {}
    for place, held in _held(records):
        if held.number not in known:
            known[held.number] = _on_all(held, objective, generator)
        losses[place:] = known[held.number]
    return records, losses


def by_spending(records: list[Record], held: NDArray[np.float64], evaluations: int) -> NDArray[np.float64]:
    """Losses of what a search holds best, given after each record (n,), by what was spent, (evaluations,)."""
    losses = np.full(evaluations, np.inf)
    for record, loss in zip(records, held, strict=True):
        losses[max(0, math.ceil(record.finished * (1 - ROUNDING)) - 1) :] = loss
    return losses


def _held(records: list[Record]) -> list[tuple[int, Record]]:
    """What the search holds best from a record on, with the place of that record."""
    if recommends(records):
        by_number = {record.number: record for record in records}
        chosen = enumerate(recommended(records, successes=True))
        return [(place, by_number[number]) for place, number in chosen if not by_number[number].failure]
    losses, budgets = [record.loss for record in records], [record.budget for record in records]
    failed = [bool(record.failure) for record in records]
    return [(place, records[place]) for place in places_of_incumbents(losses, budgets, failed)]


def _on_all(record: Record, objective: Objective, generator: np.random.Generator) -> float:
    """The record's loss, or where it is on a smaller budget, that of its configuration on the largest."""
    if objective.fidelity is None or record.budget in (None, objective.fidelity.maximum):
        return record.loss
    return float(guarded_evaluate(objective, [record.configuration], None, generator).loss[0])
