"""Parallel runs on a simulated clock: workers that wait for the cost of their trial, without anyone waiting.

The clock jumps from one finished trial to the next, so that 32 workers take no longer to simulate than one. A trial
starts when its worker is free and ends its cost later; its outcome is told then, not before. Trials that end at the
same moment are told in the order of their numbers, all of them before a new one is asked for. What optimizer and
evaluation themselves take counts nothing.
"""

from __future__ import annotations

import heapq
import math

import numpy as np

from core.benchmarks.objective import FAILURE, Evaluation, Objective, failure_of, guarded_evaluate
from core.errors import UserError
from core.optimizers.base import Optimizer, Trial
from core.optimizers.checks import require_count, require_number
from core.optimizers.records import Record
from core.progress import Progress, silent

STANDSTILL = 10_000  # trials told at one moment, by which a clock that drives a run has stopped


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
        optimizer: trials that are pending on it are not evaluated; start from one that has none.
        objective: evaluated trial by trial in the order of asking; its costs drive the clock.
        workers: how many trials run at a time.
        generator: for the noise of the objective.
        until: the clock stops here: what has not ended by then stays pending. An evaluation that raises costs the
            seconds until it did: where the clock counts something else, the objective must catch what it raises.
        evaluations: how many trials to start at most.
        progress: called with the share of the limit that is reached, of the nearer one where there are two.

    Raises:
        UserError: no workers, a limit out of range, no limit on an optimizer that has no end, a negative cost, or
            costs so small that the clock stands still where nothing but `until` ends the run.
    """
    workers = _require_limits(optimizer, workers, until, evaluations)
    stop = math.inf if until is None else until
    left = math.inf if evaluations is None else evaluations
    endless = evaluations is None and not optimizer.ends
    now, told_now, free = 0.0, 0, list(range(workers))
    running: list[tuple[float, int, Record, Trial, Evaluation]] = []
    records: list[Record] = []
    while True:
        if free and left > 0 and now < stop:
            trials = optimizer.ask(int(min(len(free), left)))
            left -= len(trials)
            for trial in trials:
                evaluation = guarded_evaluate(objective, [trial.configuration], trial.budget, generator)
                record = _record(trial, evaluation, now, heapq.heappop(free))
                heapq.heappush(running, (record.finished, trial.number, record, trial, evaluation))
        if not running or running[0][0] > stop:
            return records
        if running[0][0] > now:
            now, told_now = running[0][0], 0
        if endless and told_now >= STANDSTILL:
            raise UserError(
                f"{type(objective).__name__}: {told_now:,} evaluations in succession have not moved the clock from "
                f"{now} towards until={until}; allowed: costs above 0, or give evaluations"
            )
        while running and running[0][0] == now:
            *_, record, trial, evaluation = heapq.heappop(running)
            optimizer.tell(trial, evaluation)
            records.append(record)
            told_now += 1
            heapq.heappush(free, record.worker)
        progress(min(1.0, max(now / stop, 0.0 if evaluations is None else len(records) / evaluations)))


def _record(trial: Trial, evaluation: Evaluation, now: float, worker: int) -> Record:
    cost, info = float(evaluation.cost[0]), dict(evaluation.info[0])
    failure = failure_of(info)
    info.pop(FAILURE, None)
    if cost < 0:
        raise UserError(f"trial {trial.number} cost {cost}; allowed: numbers from 0")
    return Record(
        number=trial.number,
        configuration=trial.configuration,
        budget=trial.budget,
        loss=float(evaluation.loss[0]),
        cost=cost,
        failure=failure,
        started=now,
        finished=now + cost,
        worker=worker,
        notes=trial.info,
        info=info,
    )


def _require_limits(optimizer: Optimizer, workers: int, until: float | None, evaluations: int | None) -> int:
    """The number of workers; raises UserError."""
    if until is not None:
        require_number("until", until, lambda value: value > 0, "positive numbers, or None")
    if evaluations is not None:
        require_count("evaluations", evaluations, ", or None")
    if until is None and evaluations is None and not optimizer.ends:
        raise UserError(f"{type(optimizer).__name__} has no end of its own; allowed: give until or evaluations")
    return require_count("workers", workers)
