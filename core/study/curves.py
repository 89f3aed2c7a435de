"""Step functions of optimization runs, and how much of a task a run has solved.

The incumbent's value after n evaluations or at a time, and the time to a level: `core.report.runs.trajectories` defines
incumbent, regret and clock.

Runtime to targets (Hansen et al. 2016; thesis 8.3.2): a target is a value of the objective, a run reaches it when its
incumbent is at least as good for the first time, and its runtime to it is the number of evaluations until then. The
share of targets reached after n evaluations is the empirical distribution function of the runtimes at n. A set of runs
is summarized over targets, runs and tasks by averaging shares. Under noise an incumbent that looks better may be worse,
so the share of targets that incumbents reach themselves can fall. The distribution of runtimes cannot: see
`reached_so_far`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.foundation.errors import UserError

ROUNDING = 1e-9  # relative: a value this close above a level counts as reaching it


def value_of_incumbent(losses: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Another value of the incumbent, such as its test error, after each evaluation, (..., n).

    Args:
        losses: Losses by which the incumbent is chosen, (..., n); nan (a failure) is worse than every number.
        values: Value of each of these evaluations, (..., n).
    """
    losses = np.where(np.isnan(losses), np.inf, losses)
    before = np.minimum.accumulate(losses, axis=-1)[..., :-1]
    better = np.concatenate([np.ones_like(losses[..., :1], dtype=bool), losses[..., 1:] < before], axis=-1)
    chosen = np.maximum.accumulate(np.where(better, np.arange(losses.shape[-1]), 0), axis=-1)
    return np.take_along_axis(values, chosen, axis=-1)


def at_times(finished: np.ndarray, values: np.ndarray, times: np.ndarray) -> np.ndarray:
    """A run's step function at other times, (m,): nan before the first evaluation has finished.

    Args:
        finished: Time at which each evaluation finished, (n,), ascending.
        values: Value after each evaluation, (n,).
        times: Times at which the function is read, (m,).
    """
    if not len(finished):
        return np.full(np.shape(times), np.nan)
    last = np.searchsorted(finished, times, side="right") - 1
    return np.where(last >= 0, np.asarray(values, dtype=float)[np.maximum(last, 0)], np.nan)


def time_to(values: np.ndarray, times: np.ndarray, level: float | np.ndarray) -> np.ndarray:
    """The first of the times (m,) at which curves (..., m) are at most `level` (...,), up to rounding; inf if never."""
    if not len(times):
        return np.full(np.shape(values)[:-1], np.inf)
    level = np.asarray(level)[..., None]
    below = values <= level + ROUNDING * np.abs(level)
    return np.where(below.any(-1), times[np.argmax(below, axis=-1)], np.inf)


def solved_share(incumbents: NDArray[np.float64], targets: NDArray[np.float64]) -> NDArray[np.float64]:
    """The share of a task's targets that incumbents reach themselves.

    Args:
        incumbents: Losses of one task's incumbents, of any shape; nan and infinity reach nothing.
        targets: Target losses (k,), finite.

    Returns:
        Shares in the shape of the incumbents.

    Raises:
        UserError: no targets, or some that are not finite.
    """
    if not targets.size or not np.isfinite(targets).all():
        raise UserError(f"targets: {targets.size} values, all finite: {np.isfinite(targets).all()}; allowed: 1 or more")
    below = np.searchsorted(np.sort(targets), np.where(np.isnan(incumbents), np.inf, incumbents), side="left")
    return 1 - below / targets.size


def reached_so_far(shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """The share of targets that a run has reached by each evaluation, given what its incumbents reach, (..., n)."""
    return np.maximum.accumulate(shares, axis=-1)
