"""Runs of an optimizer on the simulated clock, and what is kept of them: when the incumbent changed.

Times and budgets are in multiples of the largest budget: a run of 512 costs as much as 512 full evaluations one after
the other. The optimizer's own time is not counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.experiment.context import Context
from core.experiment.optimization import in_lockstep, one_by_one
from core.foundation.errors import UserError
from core.objectives.base import Objective
from core.optimizers.base import Optimizer
from core.study.record import Record, incumbents
from papers.bohb.settings import SimulatedSearch

Regret = Callable[[Sequence[Mapping[str, Any]]], NDArray[np.float64]]
ROUNDING = 1e-9  # relative: costs that sum to the end of the run up to rounding still count


def search(context: Context[SimulatedSearch], objective: Objective, regret: Regret | None = None) -> pd.DataFrame:
    """Run a cell's repetitions on an objective with a fidelity: a row for each incumbent, and one at the end of a run.

    Args:
        regret: Regret of configurations, without noise; None where the optimum is not known.

    Returns:
        run, `time` and `evaluations` when the row's incumbent was known, its `budget`, its observed `loss`, and
        `regret`. The last row of a run repeats the incumbent at the end of the run.
    """
    repetitions = (_in_lockstep if context.settings.method.method == "gp_mcmc" else _simulated)(context, objective)
    frames = [
        trajectory(records, times, objective.fidelity.maximum, regret).assign(run=run)
        for run, (records, times) in zip(context.runs, repetitions, strict=True)
    ]
    return pd.concat(frames, ignore_index=True)


def _simulated(context: Context[SimulatedSearch], objective: Objective) -> Iterator[tuple[list[Record], list[float]]]:
    """The records of each repetition in turn and their times, on the simulated clock."""
    settings = context.settings
    repetitions = one_by_one(
        context,
        objective,
        lambda seed: make_optimizer(settings, objective, seed),
        workers=settings.workers,
        until=_end(context, objective),
    )
    for records in repetitions:
        yield records, [record.finished / objective.fidelity.maximum for record in records]


def _in_lockstep(context: Context[SimulatedSearch], objective: Objective) -> Iterator[tuple[list[Record], list[float]]]:
    """The records of GP-BO and their times: evaluations on the largest budget only, all repetitions in lockstep.

    The thesis ran RoBO with hyperparameters integrated out; here it is `MarginalisedGP`, its acquisition maximized by
    random and local search, since half of the hyperparameters are whole numbers.
    """
    evaluations = int(context.settings.full_evaluations)
    histories = in_lockstep(context, objective, evaluations, context.settings.method.initial_points)
    return ((records, [float(number) for number in range(1, evaluations + 1)]) for records in histories.records)


def make_optimizer(settings: SimulatedSearch, objective: Objective, seed: int) -> Optimizer:
    """The optimizer that the settings name, with the budgets of the objective's fidelity."""
    method, fidelity = settings.method, objective.fidelity
    budgets = (fidelity.minimum, fidelity.maximum) if method.needs_budgets else None
    return method.build(objective.space, seed, budgets, round(settings.full_evaluations or 1))


def trajectory(
    records: Sequence[Record], times: Sequence[float], largest_budget: float, regret: Regret | None
) -> pd.DataFrame:
    """The rows of one run, without `run`; see `search`.

    Args:
        records: Records in the order of their results.
        times: Time of each result, in multiples of the largest budget.

    Raises:
        UserError: no evaluation has ended.
        ValueError: every evaluation failed.
    """
    improvements = incumbents(records)
    if not records:
        raise UserError("a run has ended before its first evaluation; allowed: a larger full_evaluations")
    if not improvements:
        raise ValueError(f"all {len(records)} evaluations of a run failed")
    order = {record.number: count for count, record in enumerate(records, start=1)}
    rows = pd.DataFrame(
        {
            "time": [times[order[record.number] - 1] for record in improvements],
            "evaluations": [order[record.number] for record in improvements],
            "budget": [(record.budget or largest_budget) / largest_budget for record in improvements],
            "loss": [record.loss for record in improvements],
        }
    )
    if regret is not None:
        rows["regret"] = regret([record.configuration for record in improvements])
    last = rows.iloc[[-1]].assign(time=times[-1], evaluations=len(records))
    return pd.concat([rows, last], ignore_index=True)


def _end(context: Context, objective: Objective) -> float | None:
    full = context.settings.full_evaluations
    return None if full is None else full * objective.fidelity.maximum * (1 + ROUNDING)
