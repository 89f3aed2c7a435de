"""Tests of the increments Y_i: are they what Lemmas 4.1 and 4.2 say? Arrays are (runs, n).

Runs are independent but the increments of a run are not, so every interval and test takes the run as its unit.

* Lemma 4.1, E[Y_i | past] = 0: `mean_tests` over stretches of the run, by flipping the signs of whole runs, with the
  p-values of all stretches adjusted at once (Westfall and Young's step of the largest |t|); `orthogonality`, the ratio
  E[M_n^2] / E[M]_n, which is 1 for every martingale whatever its increments' variance.
* Eq. 17, Var[Y_i | past] = V_i: `calibration`, the ratio E[M]_n / E<M>_n.
* Lemma 4.2, sub-Gaussian (Eq. 22): `proxies`, the alpha^2(t) = 2 log E[exp(t Z_i)] / t^2 of the standardized increments
  Z_i = Y_i / sqrt(V_i). V_i is known before Y_i, so the condition with alpha = 1 implies alpha^2(t) <= 1 for every t.
* Lemma 4.2, heavy on left (Eqs. 20, 21; Bercu and Touati 2008): E[T_a(Y_i) | past] <= 0 for every a > 0, with the
  truncation T_a(y) = min(|y|, a) sign(y). `heaviness` takes a as multiples of sqrt(V_i), which the past knows too, in
  bins of sqrt(V_i). A symmetric law lies on the border: all truncated means are 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import special

from core.report.statistics.intervals import Interval, bootstrap_interval
from papers.nnbo_regret.martingale import Paths

CUTS = (0.25, 0.5, 1.0, 2.0, 4.0, np.inf)
"""Truncations a in units of sqrt(V_i); the last does not truncate and is Eq. 20."""

ARGUMENTS = (-2.0, -1.0, -0.5, -0.25, 0.25, 0.5, 1.0, 2.0)
"""Values of t at which the sub-Gaussian condition is tested."""


class MeanTests(NamedTuple):
    """Mean increment of each stretch, (stretches,): estimate, t over the runs, adjusted p-value."""

    mean: np.ndarray
    t: np.ndarray
    p: np.ndarray


def mean_tests(increments: np.ndarray, stretches: int, generator: np.random.Generator, flips: int = 9_999) -> MeanTests:
    """Whether the increments are centred, stretch by stretch, with one error rate for all stretches together.

    Raises:
        ValueError: fewer than two runs, or more stretches than queries.
    """
    runs, n = increments.shape
    if runs < 2 or not 1 <= stretches <= n:
        raise ValueError(f"mean_tests: {runs} runs, {stretches} stretches of {n} queries; allowed: at least 2, 1 to n")
    edges = np.linspace(0, n, stretches + 1).astype(int)
    means = np.stack([increments[:, a:b].mean(1) for a, b in pairwise(edges)], axis=1)
    observed = _t(means.mean(0), np.square(means).mean(0), runs)
    signs = generator.choice((-1.0, 1.0), size=(flips, runs))
    largest = np.abs(_t(signs @ means / runs, np.square(means).mean(0), runs)).max(1)
    exceeded = (largest[:, None] >= np.abs(observed) - 1e-9).sum(0)
    return MeanTests(means.mean(0), observed, (1 + exceeded) / (1 + flips))


def orthogonality(increments: np.ndarray, generator: np.random.Generator | int) -> Interval:
    """E[M_n^2] / E[M]_n at the last query; 1 for a martingale, n where all increments of a run are equal."""
    squares = np.stack([increments.sum(1) ** 2, np.square(increments).sum(1)], axis=1)
    return bootstrap_interval(squares, ratio_of_means, generator)


def batch_orthogonality(increments: np.ndarray, batches: np.ndarray, generator: np.random.Generator | int) -> Interval:
    """Orthogonality in batches, E[sum_b (sum_{i in b} Y_i)^2] / E[M]_n; batches (n,) has the batch of each query."""
    members = (batches[:, None] == np.unique(batches)).astype(float)  # (n, batches)
    squares = np.stack([np.square(increments @ members).sum(1), np.square(increments).sum(1)], axis=1)
    return bootstrap_interval(squares, ratio_of_means, generator)


def calibration(paths: Paths, generator: np.random.Generator | int) -> Interval:
    """E[M]_n / E<M>_n at the last query; 1 where Eq. 17 is the increments' variance."""
    squares = np.stack([np.square(paths.increments).sum(1), paths.variance.sum(1)], axis=1)
    return bootstrap_interval(squares, ratio_of_means, generator)


def standardized(paths: Paths) -> np.ndarray:
    """Z_i, (runs, n); nan where the variance is 0, that is, where the optimum itself is queried."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(paths.variance > 0, paths.increments / np.sqrt(paths.variance), np.nan)


def proxies(z: np.ndarray, arguments: Sequence[float], generator: np.random.Generator | int) -> list[Interval]:
    """alpha^2(t) with its bootstrap interval over the runs, one for each t, t != 0. Any above 1 breaks Eq. 22."""
    counts = np.isfinite(z).sum(1).astype(float)
    intervals = []
    for t in arguments:
        logs = special.logsumexp(np.where(np.isfinite(z), t * z, -np.inf), axis=1)  # (runs,), each run's part of E

        def proxy(batch: np.ndarray, t: float = t) -> np.ndarray:
            return 2 * (special.logsumexp(batch[..., 0], axis=1) - np.log(batch[..., 1].sum(1))) / t**2

        intervals.append(bootstrap_interval(np.stack([logs, counts], axis=1), proxy, generator, n=2_000))
    return intervals


def heaviness(paths: Paths, bins: int = 4, cuts: Sequence[float] = CUTS, level: float = 0.95) -> pd.DataFrame:
    """Truncated means of the standardized increments in each bin of the predicted standard deviation.

    Returns:
        one row for each (bin, cut): sd_low, sd_high (the bin), cut, mean of T_cut(Z), low and high of its interval
        (all rows jointly at `level`, by Bonferroni), and side: `left` (below 0), `right` (above 0: not heavy on left)
        or `neither`.
    """
    z, sd = standardized(paths), np.sqrt(paths.variance)
    edges = np.unique(np.quantile(sd[sd > 0], np.linspace(0, 1, bins + 1)))
    edges = edges if len(edges) > 1 else np.repeat(edges, 2)  # all equal: one bin
    rows = []
    for b, (low, high) in enumerate(pairwise(edges)):
        inside = (sd > 0) & (sd >= low) & ((sd <= high) if b == len(edges) - 2 else (sd < high))
        for cut in cuts:
            truncated = np.where(inside, np.sign(z) * np.minimum(np.abs(z), cut), 0.0)
            mean, error = _clustered(truncated.sum(1), inside.sum(1))
            half = special.stdtrit(len(z) - 1, 1 - (1 - level) / (2 * bins * len(cuts))) * error
            side = "right" if mean - half > 0 else "left" if mean + half < 0 else "neither"
            rows.append((b + 1, low, high, cut, mean, mean - half, mean + half, side))
    return pd.DataFrame(rows, columns=["bin", "sd_low", "sd_high", "cut", "mean", "low", "high", "side"])


def excess_kurtosis(z: np.ndarray) -> float:
    """The excess kurtosis of all standardized increments together; 0 for a normal law."""
    values = z[np.isfinite(z)]
    squares = np.square(values - values.mean())
    return float(np.square(squares).mean() / squares.mean() ** 2 - 3)


def ratio_of_means(batch: np.ndarray) -> np.ndarray:
    """(batch, runs, 2) -> (batch,), mean of the first column over that of the second."""
    means = batch.mean(1)
    return means[:, 0] / means[:, 1]


def _t(mean: np.ndarray, square: np.ndarray, runs: int) -> np.ndarray:
    """Student's t of means over runs with these means of squares; 0 where nothing moves."""
    error = np.sqrt(np.maximum(square - mean**2, 0) / (runs - 1))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(error > 1e-12 * np.sqrt(square), mean / error, np.where(mean == 0, 0.0, np.sign(mean) * np.inf))


def _clustered(sums: np.ndarray, counts: np.ndarray) -> tuple[float, float]:
    """A mean over all increments and its standard error with runs as clusters, from each run's sum and count."""
    total = counts.sum()
    if total == 0:
        return np.nan, np.nan
    mean = sums.sum() / total
    residuals = (sums - mean * counts) / (total / len(counts))
    return float(mean), float(residuals.std(ddof=1) / np.sqrt(len(counts)))
