"""A cell that searches while a clock runs, and what is kept of it: when the method's incumbent changed.

The clock counts the costs of the evaluations, in seconds, and the seconds that the method took to propose them, the
initial design included (thesis 4.5). The value of an incumbent is what it reaches on all of the data, determined apart
from the search: "in an offline validation step".

The incumbent is the method's own. Methods that recommend a configuration note it when they propose the next one, and it
counts from then on. Of the others it is the evaluation with the smallest loss, on all of the data or on any share.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.experiment.context import Context
from core.experiment.optimization import in_lockstep, one_by_one
from core.experiment.timed_search_settings import TimedSearch
from core.foundation.errors import UserError
from core.objectives.base import Objective
from core.study.record import Record, incumbents, recommended, recommends

Values = Callable[[Sequence[Mapping[str, Any]]], NDArray[np.float64]]


class Run(NamedTuple):
    """The records of a run in the order of their results, and the trial that its method finally recommends, if any."""

    records: Sequence[Record]
    last: int | None


def timed_search(context: Context[TimedSearch], objective: Objective, errors: Values, on_all: bool) -> pd.DataFrame:
    """Run a cell's repetitions: a row for each new incumbent, and one at the end of a run.

    Args:
        errors: Function for the errors of configurations that are trained on all of the data.
        on_all: Whether the incumbent of a method that recommends none must have been evaluated on all of the data.

    Returns:
        run, `time` (seconds of evaluations and proposals until the incumbent was known), `evaluation_seconds` and
        `overhead` (the two parts of it), `evaluations`, the incumbent's `share` of the data when evaluated, and its
        `error`.

    Raises:
        UserError: a run ended before it had an incumbent.
    """
    largest = objective.fidelity.maximum
    frames = [
        trajectory(search, largest, errors, on_all).assign(run=run)
        for run, search in zip(context.runs, _searched(context, objective), strict=True)
    ]
    return pd.concat(frames, ignore_index=True)


def trajectory(run: Run, largest: float, errors: Values, on_all: bool) -> pd.DataFrame:
    """The rows of one run, without `run`; see `timed_search`."""
    records = run.records
    chosen, known = _incumbents(run, largest, on_all)
    if not len(chosen):
        raise UserError(f"a run of {len(records)} evaluations has no incumbent; allowed: more evaluations or seconds")
    kept = np.flatnonzero(np.r_[True, chosen[1:] != chosen[:-1]])
    kept = np.r_[kept, len(chosen) - 1]
    costs, overheads = (np.cumsum([getattr(record, name) for record in records]) for name in ("cost", "overhead"))
    last = np.arange(len(records))[-len(chosen) :][kept]  # how many evaluations there had been, less one
    spent = overheads[np.minimum(last + known, len(records) - 1)]
    incumbent_records = [records[place] for place in chosen[kept]]
    return pd.DataFrame(
        {
            "time": costs[last] + spent,
            "evaluation_seconds": costs[last],
            "overhead": spent,
            "evaluations": last + 1,
            "share": [largest if record.budget is None else record.budget for record in incumbent_records],
            "error": errors([record.configuration for record in incumbent_records]),
        }
    )


def _incumbents(run: Run, largest: float, on_all: bool) -> tuple[NDArray[np.int64], int]:
    """The place of the incumbent among the records after each evaluation, from the first evaluation that has one.

    Also the number of proposals until it is known: 1 if it is determined when the next proposal is made.
    """
    records = run.records
    if run.last is not None or recommends(records):
        places = {record.number: place for place, record in enumerate(records)}
        return np.array([places[number] for number in recommended(records, run.last)]), 1
    counted = [record for record in records if not on_all or record.budget in (None, largest)]
    changes = {record.number for record in incumbents(counted)}
    chosen = np.maximum.accumulate([place if record.number in changes else -1 for place, record in enumerate(records)])
    return chosen[chosen >= 0], 0


def _searched(context: Context[TimedSearch], objective: Objective) -> Iterator[Run]:
    settings = context.settings
    method = settings.method
    if method.in_lockstep:
        histories = in_lockstep(context, objective, settings.evaluations, method.initial_points)
        last = [None] * len(histories.records) if histories.recommended is None else histories.recommended
        yield from map(Run, histories.records, last)
        return
    budgets = (objective.fidelity.minimum, objective.fidelity.maximum)
    runs = one_by_one(
        context, objective, lambda seed: method.build(objective.space, seed, budgets), until=settings.seconds
    )
    yield from (Run(records, None) for records in runs)
