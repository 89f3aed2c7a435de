"""Methods on many tasks: the share of targets that they reach, and their average ranks (thesis Fig 8.5)."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from core.report.figures import style
from core.report.runs.task_runs import Runs
from core.report.statistics.average_ranks import average_ranks


def draw_solved(axes: Axes, solved: Runs) -> pd.DataFrame:
    """Draw the empirical distribution of runtimes: the share of pairs of target and task reached at each evaluation.

    Args:
        solved: Shares of targets that runs have reached by each evaluation, by method (tasks, runs, n).

    Returns:
        method, evaluation, solved.
    """
    axes.set(xlabel="evaluations", ylabel="solved targets", xscale="log", ylim=(0, 1.02))
    return _draw(axes, {method: shares.mean((0, 1)) for method, shares in solved.items()}, "solved")


def draw_ranks(axes: Axes, losses: Runs) -> pd.DataFrame:
    """Draw average ranks at each evaluation, 1 the best.

    Args:
        losses: Losses of the incumbents, by method (tasks, runs, n).

    Returns:
        method, evaluation, rank.
    """
    axes.set(xlabel="evaluations", ylabel="average rank", xscale="log")
    return _draw(axes, {method: ranks.mean(0) for method, ranks in average_ranks(losses).items()}, "rank")


def _draw(axes: Axes, curves: dict[str, np.ndarray], value: str) -> pd.DataFrame:
    parts = []
    for method, curve in curves.items():
        at = np.arange(1, len(curve) + 1)
        axes.plot(at, curve, **style.method(method).line)
        parts.append(pd.DataFrame({"method": method, "evaluation": at, value: curve}))
    return pd.concat(parts, ignore_index=True)
