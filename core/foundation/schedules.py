"""Learning rates from epoch to epoch, e = 0, ..., E - 1, as arrays (E,):

constant      rate
cosine        rate (1 + cos(pi e / E)) / 2        (Loshchilov and Hutter 2017, without restarts)
exponential   rate e^(k e), k <= 0
stepped       rate f^m, m being the number of drops up to epoch e        (He et al. 2016)
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def constant(rate: float, epochs: int) -> NDArray[np.float64]:
    """(epochs,) learning rates."""
    return np.full(epochs, float(rate))


def cosine(rate: float, epochs: int) -> NDArray[np.float64]:
    """(epochs,) learning rates; the last is not yet 0."""
    return rate * (1 + np.cos(np.pi * np.arange(epochs) / epochs)) / 2


def exponential(rate: float, decay: float, epochs: int) -> NDArray[np.float64]:
    """(epochs,) learning rates, `decay` being k."""
    rates: NDArray[np.float64] = rate * np.exp(decay * np.arange(epochs))
    return rates


def stepped(rate: float, factor: float, drops: Sequence[float], epochs: int) -> NDArray[np.float64]:
    """(epochs,) learning rates, `factor` being f.

    Args:
        drops: Shares of the training at which the rate is multiplied, such as (0.5, 0.75); a share within an epoch
            counts from the next one on.
    """
    dropped = np.arange(epochs)[:, None] >= np.asarray(drops, dtype=np.float64)[None] * epochs
    rates: NDArray[np.float64] = rate * np.float64(factor) ** dropped.sum(1)
    return rates
