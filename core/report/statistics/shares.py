"""The share of runs in which something happened, with Wilson's interval.

Resamples of runs that all agree are all alike, so a bootstrap would call 10 of 10 runs a share of exactly 1. Wilson's
interval (1927) holds the shares p that a test of the count k of n does not reject,

    |k / n - p| <= z sqrt(p (1 - p) / n),

and reaches down to 0.72 for 10 of 10.
"""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

from core.report.statistics.bootstrap import Interval
from core.report.verdicts.cells import LEVEL


def share_interval(which: ArrayLike, level: float = LEVEL) -> Interval:
    """The share of true values among (n,), with Wilson's interval."""
    happened = np.asarray(which, dtype=bool)
    n, share = happened.size, float(happened.mean())
    z = NormalDist().inv_cdf(0.5 + level / 2)
    middle = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * math.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    return Interval(share, max(middle - half, 0.0), min(middle + half, 1.0))
