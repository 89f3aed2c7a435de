"""How fit and suggestion grow with the number N of observations, 10^2 to 10^5: DNGO, least squares, and the Gaussian
process until it takes too long.

The slope is that of the straight line through log seconds over log N from 10^3 on: 1 is linear, and a Gaussian process
tends to 3. One run, 6 dimensions, CPU seconds of one thread.
"""

from collections.abc import Callable

import numpy as np
from rich.table import Table

from benchmarks.suggestion import ASCENT, data, suggest
from core.models.dngo import DNGO
from core.models.ensemble import EnsembleModel
from core.models.gaussian_process import GaussianProcess
from core.models.least_squares import LeastSquaresNetwork

POINTS = (100, 316, 1000, 3162, 10_000, 31_623, 100_000)
MODELS: dict[str, Callable[[], EnsembleModel]] = {
    "DNGO": DNGO,
    "least squares": LeastSquaresNetwork,
    "GP": GaussianProcess,
}
LARGEST_SLOPE = {"DNGO": 1.15, "least squares": 1.15}
FROM = 1000
TOO_LONG = 20.0  # seconds; a model that grows faster than linearly stops at the first size that takes longer


def measure(points: tuple[int, ...] = POINTS) -> dict[str, dict[int, float]]:
    """Seconds of fit and suggestion by model and N."""
    timings: dict[str, dict[int, float]] = {}
    for name, make in MODELS.items():
        suggest(make(), {"search": ASCENT}, *data(1, points[0]))
        timings[name] = {}
        for n in points:
            timings[name][n] = sum(suggest(make(), {"search": ASCENT}, *data(1, n)).values())
            if name not in LARGEST_SLOPE and timings[name][n] > TOO_LONG:
                break
    return timings


def slope(seconds: dict[int, float]) -> float:
    """Slope of log seconds over log N from `FROM` on; nan with fewer than two sizes."""
    sizes = [n for n in seconds if n >= FROM]
    if len(sizes) < 2:
        return float("nan")
    return float(np.polyfit(np.log(sizes), np.log([seconds[n] for n in sizes]), 1)[0])


def report(points: tuple[int, ...] = POINTS) -> tuple[list[Table], list[str]]:
    """A table of seconds, and lines that say which targets are met."""
    timings = measure(points)
    table = Table(title="fit and suggestion: CPU seconds by number of observations, and the slope past 1,000")
    for column in ("", *(f"{n:,}" for n in points), "slope"):
        table.add_column(column, justify="right" if column else "left")
    lines = []
    for name, seconds in timings.items():
        cells = [f"{seconds[n]:.2f}" if n in seconds else "" for n in points]
        table.add_row(name, *cells, f"{slope(seconds):.2f}")
        if name in LARGEST_SLOPE:
            met = "met" if slope(seconds) < LARGEST_SLOPE[name] else "MISSED"
            lines.append(f"{name}: slope {slope(seconds):.2f}, target below {LARGEST_SLOPE[name]}: {met}")
    return [table], lines
