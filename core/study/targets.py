"""Runtime to targets: how much of a task a run has solved (Hansen et al. 2016; thesis 8.3.2).

A target is a value of the objective, a run reaches it when its incumbent is at least as good for the first time, and
its runtime to it is the number of evaluations until then. The share of targets reached after n evaluations is the
empirical distribution function of the runtimes at n. A set of runs is summarized over targets, runs and tasks by
averaging shares.

Under noise an incumbent that looks better may be worse, so the share of targets that incumbents reach themselves can
fall. The distribution of runtimes cannot: see `reached_so_far`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.foundation.errors import UserError


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
