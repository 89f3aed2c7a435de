"""Points of Sobol's sequence by their numbers, so that collections (thesis 8.3.1) need not store configurations."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import NDArray

from core.foundation.validation import require_count


def sobol_points(dimension: int, first: int, count: int) -> NDArray[np.float64]:
    """Points first, first + 1, ... of the unscrambled sequence, whose point 0 is the origin: (count, dimension).

    Raises:
        UserError: a number that is not a whole one, or negative.
    """
    from scipy.stats import qmc  # takes as long to import as everything else here together

    first = require_count("first", first, least=0)
    sequence = qmc.Sobol(require_count("dimension", dimension), scramble=False)
    if first:  # SciPy refuses to skip zero points
        sequence.fast_forward(first)
    with warnings.catch_warnings():  # which are about means over a number of points other than a power of two
        warnings.simplefilter("ignore", UserWarning)
        points: NDArray[np.float64] = sequence.random(require_count("count", count))
        return points
