"""Parallel runs on a simulated clock: workers are busy for the cost of their trial, but nothing really waits.

The clock jumps from one finished trial to the next, so 32 workers take no longer to simulate than one. A trial starts
when its worker is free and ends after its cost; its outcome is told then, not before. If several trials end at the same
moment, all are told, in the order of their numbers, before a new one is asked for. The time that the optimizer and the
evaluation themselves take does not count.

A search by what it spends has such a clock: an evaluation on the largest budget takes 1, others their share of it.
Searches on one budget and on several can then be compared. What counts is the loss on the largest budget of what a
search holds best, looked up or evaluated once more there, which is not part of the search.
"""

from __future__ import annotations

import heapq
import itertools
import math
from contextlib import AbstractContextManager, nullcontext

import numpy as np
from numpy.typing import NDArray

from core.foundation.errors import UserError
from core.foundation.progress import Progress, silent
from core.foundation.validation import require_count, require_number
from core.objectives.base import FAILURE, Configurations, Evaluation, Objective, failure_of
from core.objectives.guard import guarded_evaluate
from core.optimizers.base import Optimizer, Trial
from core.study.evaluation import TrialResult
from core.study.journal import Journal
from core.study.loop import drive
from core.study.record import Record, places_of_incumbents, recommended, recommends

NOTHING = nullcontext()
STANDSTILL = 10_000  # after this many trials told at one moment, the clock is taken to have stopped


def simulate(
    optimizer: Optimizer,
    objective: Objective,
    workers: int,
    generator: np.random.Generator,
    until: float | None = None,
    evaluations: int | None = None,
    progress: Progress = silent,
) -> list[Record]:
    """Run an optimizer on simulated workers and return what was told, in the order of telling.

    Args:
        objective: Objective, evaluated trial by trial in the order of asking; its costs drive the clock.
        workers: Number of trials that run at a time.
        generator: Generator for the noise of the objective.
        until: Time at which the clock stops; trials that have not ended by then stay pending. An evaluation that raises
            costs the seconds until it did: if the clock counts something else, the objective must catch its own
            exceptions.
        evaluations: Maximum number of trials to start.
        progress: Function called with the share of the limit that is reached; with two limits, the larger share.

    Raises:
        UserError: no workers, a limit out of range, no limit for an optimizer that never ends, a negative cost, or
            costs so small that the clock stands still while only `until` could end the run.
    """
    if until is not None:
        require_number("until", until, lambda value: value > 0, "positive numbers, or None")
    if evaluations is not None:
        require_count("evaluations", evaluations, ", or None")
    if until is None and evaluations is None and not optimizer.ends:
        raise UserError(f"{type(optimizer).__name__} never ends by itself; allowed: give until or evaluations")
    endless = evaluations is None and not optimizer.ends
    pool = SimulatedWorkers(objective, require_count("workers", workers), generator, until, endless)
    most, count = math.inf if evaluations is None else evaluations, itertools.count(1)

    def report(record: Record) -> None:
        progress(min(1.0, max(record.finished / pool.stop, next(count) / most)))

    return drive(optimizer, pool, most, Journal(), report)


class SimulatedWorkers:
    """A pool whose trials end when the clock reaches their end; arguments as `simulate`.

    Args:
        endless: Whether only `until` ends the run, which would go on forever if the clock stood still.
    """

    def __init__(
        self,
        objective: Objective,
        workers: int,
        generator: np.random.Generator,
        until: float | None = None,
        endless: bool = False,
    ) -> None:
        self.objective, self.workers, self.generator = objective, workers, generator
        self.worst_loss = float(objective.worst_loss)
        self.stop, self.endless = math.inf if until is None else until, endless
        self._now, self._ended_now = 0.0, 0
        self._running: list[tuple[float, int, Trial, TrialResult]] = []

    def now(self) -> float:
        """The time on the clock."""
        return self._now

    def proposing(self) -> AbstractContextManager[None]:
        """No limit on threads: the caller has set a limit for the whole process."""
        return NOTHING

    def slots(self) -> int:
        """All workers, or none once the clock has stopped."""
        return self.workers if self._now < self.stop else 0

    def submit(self, trial: Trial) -> None:
        """Evaluate a trial at once; it ends on the clock after its cost."""
        evaluation = guarded_evaluate(self.objective, [trial.configuration], trial.budget, self.generator)
        cost, info = float(evaluation.cost[0]), dict(evaluation.info[0])
        if cost < 0:
            raise UserError(f"trial {trial.number} cost {cost}; allowed: numbers from 0")
        failure = failure_of(info)
        info.pop(FAILURE, None)
        result = TrialResult(float(evaluation.loss[0]), cost, failure, info)
        heapq.heappush(self._running, (self._now + cost, trial.number, trial, result))

    def wait(self, seconds: float | None) -> list[tuple[Trial, TrialResult]] | None:
        """All results of the next moment that has any; None if the clock stops before."""
        if seconds is not None:  # interrupted: the clock stands still
            return []
        if not self._running or self._running[0][0] > self.stop:
            return None
        if self._running[0][0] > self._now:
            self._now, self._ended_now = self._running[0][0], 0
        if self.endless and self._ended_now >= STANDSTILL:
            raise UserError(
                f"{type(self.objective).__name__}: {self._ended_now:,} evaluations in succession have not moved the "
                f"clock from {self._now} towards until={self.stop}; allowed: costs above 0, or give evaluations"
            )
        ended = []
        while self._running and self._running[0][0] == self._now:
            ended.append(heapq.heappop(self._running)[2:])
        self._ended_now += len(ended)
        return ended


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
