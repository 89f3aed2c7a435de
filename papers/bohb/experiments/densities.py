"""Fig C.1: a kernel density estimate that factorizes the density, as TPE's does, beside BOHB's, which factorizes the
kernels. Both have Gaussian kernels with normal-reference bandwidths. The thesis gives no numbers for its two
distributions; these are ours:

    one component     Normal((1/2, 1/2), C)
    two components    their equal mixture around (0.35, 0.65) and (0.65, 0.35), with C / 3

C has standard deviations 0.18 and correlation 0.9.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import logsumexp
from scipy.stats import multivariate_normal

from core.density import KernelDensity
from core.experiment.context import Context
from papers.bohb.settings import Densities

COVARIANCE = 0.18**2 * np.array([[1.0, 0.9], [0.9, 1.0]])
MEANS = {1: np.array([[0.5, 0.5]]), 2: np.array([[0.35, 0.65], [0.65, 0.35]])}
SHRINK = {1: 1.0, 2: 3.0}
FRESH = 2000  # points on which a density is scored


def densities(context: Context[Densities]) -> pd.DataFrame:
    """One method's density of points drawn from the true distribution.

    Rows: part ("score", "points", "grid"), x, y, value. "score" is the mean logarithm of the density at fresh points of
    the distribution, one row per run; "points" (value 0) and "grid", the density over the unit square, only for run 0.
    """
    settings = context.settings
    frames = []
    for run, seed in zip(context.runs, context.shared_seeds("points"), strict=True):
        generator = np.random.default_rng(seed)
        points, fresh = (draw(settings.components, n, generator) for n in (settings.points, FRESH))
        log_density = LOG_DENSITIES[context.method]
        score = log_density(points, fresh, settings.components).mean()
        frames.append(pd.DataFrame({"run": [run], "part": "score", "x": 0.0, "y": 0.0, "value": score}))
        if run == 0:
            line = (np.arange(settings.grid) + 0.5) / settings.grid
            x, y = (axis.ravel() for axis in np.meshgrid(line, line))
            value = np.exp(log_density(points, np.column_stack([x, y]), settings.components))
            frames.append(pd.DataFrame({"run": run, "part": "grid", "x": x, "y": y, "value": value}))
            frames.append(
                pd.DataFrame({"run": run, "part": "points", "x": points[:, 0], "y": points[:, 1], "value": 0.0})
            )
    return pd.concat(frames, ignore_index=True)


def draw(components: int, n: int, generator: np.random.Generator) -> NDArray[np.float64]:
    """n points (n, 2) of the true distribution."""
    centres = MEANS[components][generator.integers(components, size=n)]
    return centres + generator.multivariate_normal(np.zeros(2), COVARIANCE / SHRINK[components], size=n)


def truth(points: NDArray[np.float64], x: NDArray[np.float64], components: int) -> NDArray[np.float64]:
    """Logarithm of the true density at x (n, 2)."""
    parts = [multivariate_normal.logpdf(x, mean, COVARIANCE / SHRINK[components]) for mean in MEANS[components]]
    return logsumexp(parts, axis=0) - np.log(components)


def factorised_pdf(points: NDArray[np.float64], x: NDArray[np.float64], components: int) -> NDArray[np.float64]:
    """A product of densities of one coordinate each."""
    each = (KernelDensity.fit(points[:, j : j + 1], {}).log_density(x[:, j : j + 1]) for j in range(2))
    return sum(each, np.zeros(len(x)))


def factorised_kernel(points: NDArray[np.float64], x: NDArray[np.float64], components: int) -> NDArray[np.float64]:
    """A density of products of kernels of one coordinate each."""
    return KernelDensity.fit(points, {}).log_density(x)


LOG_DENSITIES = {"truth": truth, "factorised_pdf": factorised_pdf, "factorised_kernel": factorised_kernel}
