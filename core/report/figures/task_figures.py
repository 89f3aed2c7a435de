"""Methods on many tasks: the share of targets that they reach, their average ranks (thesis Fig 8.5), and each task."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from core.report.figures import style
from core.report.runs.task_runs import Runs
from core.report.statistics.average_ranks import average_ranks
from core.report.statistics.pairwise_tests import LEAST_REGRET


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


def draw_losses(axes: Axes, losses: Runs, optimum: float | None = None) -> None:
    """Draw medians and quartiles over the runs of one task: of regrets on a logarithmic axis, or else of losses.

    Args:
        losses: Losses of the incumbents, by method (1, runs, n); what is not finite is not drawn.
        optimum: The smallest loss, if it is known.
    """
    for method, values in losses.items():
        shown = values[0] if optimum is None else np.maximum(values[0] - optimum, LEAST_REGRET)
        with np.errstate(invalid="ignore"):  # between a finite and an infinite loss
            low, middle, high = np.quantile(shown, (0.25, 0.5, 0.75), axis=0)
        look, at = style.method(method), np.arange(1, shown.shape[1] + 1)
        axes.fill_between(at, low, high, where=np.isfinite(high), color=look.color, alpha=0.15, linewidth=0)
        axes.plot(at, np.where(np.isfinite(middle), middle, np.nan), **look.line)
    axes.set(xlabel="evaluations", ylabel="loss")
    if optimum is not None:
        axes.set(yscale="log", ylabel="regret")


def _draw(axes: Axes, curves: dict[str, np.ndarray], value: str) -> pd.DataFrame:
    parts = []
    for method, curve in curves.items():
        at = np.arange(1, len(curve) + 1)
        axes.plot(at, curve, **style.method(method).line)
        parts.append(pd.DataFrame({"method": method, "evaluation": at, value: curve}))
    return pd.concat(parts, ignore_index=True)
