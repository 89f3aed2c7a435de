"""Runs of an optimizer on the simulated clock, and what is kept of them: when the incumbent changed.

Times and budgets are in multiples of the largest budget: a run of 512 costs as much as 512 full evaluations one after
the other. What the optimizer itself takes is not counted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.benchmarks.objective import Objective
from core.errors import UserError
from core.experiment.context import Context
from core.experiment.optimization import objective_generators
from core.optimizers.base import Optimizer
from core.study import simulate
from core.study.trace import Record, incumbents
from papers.bohb.settings import Search

Regret = Callable[[Sequence[Mapping[str, Any]]], NDArray[np.float64]]
ROUNDING = 1e-9  # relative: costs that sum up to the end of the run but for rounding still count


def search(context: Context, objective: Objective, regret: Regret | None = None) -> pd.DataFrame:
    """Run a cell's repetitions on an objective with a fidelity: a row for each incumbent, and one at the end of a run.

    Args:
        regret: of configurations, without noise; None where the optimum is not known.

    Returns:
        run, `time` and `evaluations` when the row's incumbent was told, its `budget`, its observed `loss`, and
        `regret`. The last row of a run repeats the incumbent when the run ends.
    """
    if context.settings.optimizer == "gp":
        from papers.bohb.experiments.gaussian_process_runs import gaussian_process

        return gaussian_process(context, objective, regret)
    frames = []
    seeds = context.method_seeds("optimizer")
    for done, (run, seed, noise) in enumerate(zip(context.runs, seeds, objective_generators(context), strict=True)):
        optimizer = make_optimizer(context.settings, objective, seed)
        limits = {"until": _end(context, objective), "progress": context.progress_of(done)}
        records = simulate(optimizer, objective, context.settings.workers, noise, **limits)
        frames.append(trajectory(records, objective.fidelity.maximum, regret).assign(run=run))
    return pd.concat(frames, ignore_index=True)


def make_optimizer(settings: Search, objective: Objective, seed: int) -> Optimizer:
    """The optimizer that settings name, with the budgets of the objective's fidelity."""
    method, fidelity = settings.method, objective.fidelity
    budgets = (fidelity.minimum, fidelity.maximum) if method.needs_budgets else None
    return method.build(objective.space, seed, budgets, round(settings.full_evaluations or 1))


def trajectory(records: Sequence[Record], largest_budget: float, regret: Regret | None) -> pd.DataFrame:
    """The rows of one run, without `run`; see `search`.

    Raises:
        UserError: no evaluation has ended.
        ValueError: every evaluation failed.
    """
    found = incumbents(records)
    if not records:
        raise UserError("a run has ended before its first evaluation; allowed: a larger full_evaluations")
    if not found:
        raise ValueError(f"all {len(records)} evaluations of a run failed")
    told = {record.number: count for count, record in enumerate(records, start=1)}
    rows = pd.DataFrame(
        {
            "time": [record.finished / largest_budget for record in found],
            "evaluations": [told[record.number] for record in found],
            "budget": [(record.budget or largest_budget) / largest_budget for record in found],
            "loss": [record.loss for record in found],
        }
    )
    if regret is not None:
        rows["regret"] = regret([record.configuration for record in found])
    last = rows.iloc[[-1]].assign(time=records[-1].finished / largest_budget, evaluations=len(records))
    return pd.concat([rows, last], ignore_index=True)


def _end(context: Context, objective: Objective) -> float | None:
    full = context.settings.full_evaluations
    return None if full is None else full * objective.fidelity.maximum * (1 + ROUNDING)
