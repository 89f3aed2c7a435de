"""Losses so large that they hide the others. They are finite, so they are no failures and nothing else reports them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.optimizers.told import LARGEST
from core.study.arguments import WORST_LOSS
from core.study.record import Record

GAP = 1e8
"""Where the distances of losses from the smallest make such a jump, models, which standardize losses, cannot tell those
before it apart: the noise that they assume is larger. A search that converges makes smaller ones."""
WHAT_TO_DO = "raise an exception or return nan where an evaluation fails, or return the logarithm of the loss"


def about_huge_losses(records: Sequence[Record]) -> str:
    """The warning after a search; empty if there is nothing to warn about, or if nothing succeeded."""
    losses = np.array([record.loss for record in records if not record.failure])
    if not losses.size:
        return ""
    if (largest := losses.max()) >= WORST_LOSS:
        return f"losses are up to {largest:.3g}, and from {WORST_LOSS:g} on they rank behind failures; {WHAT_TO_DO}"
    if (lowest := losses.min()) < -LARGEST:
        return f"losses are down to {lowest:.3g}, and beyond {-LARGEST:g} methods see only logarithms; rescale them"
    values = np.unique(losses)
    distances = values[1:] - values[0]
    jumps = np.flatnonzero(distances[2:] > GAP * distances[1:-1])  # three different losses or more before it
    if not jumps.size:
        return ""
    return (
        f"losses are up to {values[-1]:.3g}, but {values[0]:.3g} to {values[jumps[0] + 2]:.3g} otherwise: models that "
        f"standardize losses cannot tell the small ones apart; {WHAT_TO_DO}"
    )
