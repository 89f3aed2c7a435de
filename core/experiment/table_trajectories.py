"""What is recorded of an optimization run on a table: the evaluations that changed its incumbent, and its end.

The incumbent, its test regret and the wall-clock are those of `core.report.runs.trajectories`, for one worker; where a
table has no test errors, the regret is that of the average validation error. They are steps, so that a run of thousands
of evaluations takes a few dozen rows. For an incumbent with a repetition that diverged, whose average error is
infinite, the regret is that of the largest finite error of the table.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from core.study.curves import value_of_incumbent
from core.study.record import Record
from core.tabular.analysis import finite_errors
from core.tabular.benchmark import POSITION, TabularBenchmark


def trajectory(benchmark: TabularBenchmark, losses: ArrayLike, costs: ArrayLike, positions: ArrayLike) -> pd.DataFrame:
    """The steps of a run of n evaluations.

    Args:
        losses: Losses that the optimizer saw, (n,); nan for a failed evaluation, which is never the incumbent.
        costs: Seconds of each evaluation, (n,).
        positions: Positions of the configurations in the table's grid, (n,).

    Returns:
        evaluation (how many there were, from 1), seconds (until the last of them finished), and loss and regret of
        the incumbent from then on: one row for each new incumbent and one for the last evaluation.

    Raises:
        ValueError: every evaluation failed, or there was none.
    """
    losses, positions = np.asarray(losses, dtype=np.float64), np.asarray(positions)
    if not np.isfinite(losses).any():
        raise ValueError(f"all {len(losses)} evaluations failed: there is no incumbent")
    numbers = np.arange(len(losses))
    chosen = value_of_incumbent(losses, numbers)
    shown = np.union1d(numbers[(chosen == numbers) & np.isfinite(losses)], numbers[-1:])
    regret = finite_errors(benchmark.table.mean_final) - benchmark.final_optimum
    return pd.DataFrame(
        {
            "evaluation": shown + 1,
            "seconds": np.cumsum(costs)[shown],
            "loss": losses[chosen[shown]],
            "regret": regret[positions[chosen[shown]]],
        }
    )


def trajectory_of_records(benchmark: TabularBenchmark, records: Sequence[Record]) -> pd.DataFrame:
    """The same for a simulated run with one worker."""
    return trajectory(
        benchmark,
        [np.nan if record.failure else record.loss for record in records],
        [record.cost for record in records],
        [record.info[POSITION] for record in records],
    )
