"""Average ranks of methods over runs and tasks (Bardenet et al. 2013; Feurer et al. 2015; thesis 8.3.2).

One run of each of K methods is drawn, the K incumbents are ranked after each evaluation (ties have the average of their
ranks), and the ranks are averaged over draws and tasks. The authors draw 1,000 of the M^K combinations of M runs. We
average over all of them: a rank is 1 plus the sum over the other methods of [better] + [equal] / 2, so its mean over
all combinations follows from pairs of runs, and these from the ranks R among all K M runs together,

    mean rank of a method = 1/2 + (mean over its runs of R - 1/2) / M,

at the cost of one sort a task and evaluation, and without a generator.
"""

from __future__ import annotations

import numpy as np

from core.report.runs.task_runs import Runs


def average_ranks(losses: Runs) -> dict[str, np.ndarray]:
    """The average rank of each method on each task after each evaluation, from 1 (best) to K.

    Args:
        losses: Losses by method, (tasks, runs, n); nan is worse than every number.

    Returns:
        By method (tasks, n).
    """
    ranks, each = _ranks(losses)
    means = ranks.mean(2)
    return {method: 0.5 + (means[:, place] - 0.5) / each for place, method in enumerate(losses)}


def ranks_of_runs(losses: Runs) -> Runs:
    """What each run adds to the average rank: 1/2 + (R - 1/2) / M, whose mean over the runs is the average rank."""
    ranks, each = _ranks(losses)
    return {method: 0.5 + (ranks[:, place] - 0.5) / each for place, method in enumerate(losses)}


def _ranks(losses: Runs) -> tuple[np.ndarray, int]:
    """The ranks R of all runs together, (tasks, K, M, n), and M."""
    from scipy.stats import rankdata  # takes a second to import, and few drawings need it

    runs = {values.shape[1] for values in losses.values()}
    if len(runs) > 1:
        raise ValueError(f"average_ranks: methods of {sorted(runs)} runs; allowed: the same number of each")
    together = np.concatenate(list(losses.values()), axis=1)
    ranks = rankdata(np.where(np.isnan(together), np.inf, together), axis=1)
    (each,) = runs
    return ranks.reshape(len(ranks), len(losses), each, -1), each
