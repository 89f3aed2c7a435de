"""What a training leaves: curves over the epochs and how it ended.

A network that diverges, does not fit into memory or takes too long is data, not an error: `outcome` says which, and
the curves are nan from there on.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FINISHED = "finished"
DIVERGED = "diverged"
OUT_OF_MEMORY = "out of memory"
TIME_LIMIT = "time limit"
CURVES = ("train_loss", "train_error", "validation_loss", "validation_error", "seconds")


@dataclass(frozen=True)
class Trained:
    """The record of a training of E epochs.

    Attributes:
        train_loss, train_error: Mean cross entropy and share of wrong predictions over the minibatches of an epoch, as
            they were trained on, (E,) float32.
        validation_loss, validation_error: The same of the validation images after each epoch, (E,) float32.
        seconds: Of each epoch with its validation, (E,) float32: on the CPU those of the thread, so that the load of
            the machine changes them little, elsewhere wall-clock time. nan for epochs that were not begun.
        outcome: "finished", "diverged", "out of memory" or "time limit".
    """

    train_loss: NDArray[np.float32]
    train_error: NDArray[np.float32]
    validation_loss: NDArray[np.float32]
    validation_error: NDArray[np.float32]
    seconds: NDArray[np.float32]
    outcome: str

    @property
    def epochs(self) -> int:
        """The number of epochs that ended well."""
        return int(np.isfinite(self.validation_error).sum())

    @property
    def error(self) -> float:
        """The validation error after the last epoch, nan unless the training finished."""
        return float(self.validation_error[-1]) if self.outcome == FINISHED else np.nan

    @property
    def total_seconds(self) -> float:
        """The seconds of all epochs that were begun."""
        return float(np.nansum(self.seconds, dtype=np.float64))


def no_curves(epochs: int) -> dict[str, NDArray[np.float32]]:
    """The curves before the first epoch."""
    return {name: np.full(epochs, np.nan, np.float32) for name in CURVES}
