"""The empirical probability P[R_n / n > eps] over the runs, and the rate at which it decays: Brofos et al., Fig 3.

`above` (runs, n) says whether the average regret exceeds eps; k_n is its sum over the runs. The paper shows k_n / runs
on a logarithmic axis and gives the slope of its fall, without saying how it was fitted. Both fits here begin at n_0,
the last query with at least `START` of the highest share, and a rate is negative where the probability falls.

* `rate_of_logs`, presumably the paper's way: least squares of log(k_n / runs) on n up to the last k_n > 0. Zeros have
  no logarithm and drop out, a run counts as many times as it has queries, and the last few runs weigh most.
* `rate_of_counts`: by likelihood. Where P falls as exp(rate n), each of the k_n runs above stays above with probability
  exp(rate), k_{n+1} ~ Binomial(k_n, exp(rate)); the product over n >= n_0 is largest at

      rate = log( sum k_{n+1} / sum k_n ) = log(1 - (k_{n_0} - k_N) / sum_{n_0 <= n < N} k_n),

  falls over exposure, as for a lifetime. Zeros enter as they are, and runs still above at the end are censored.

Where the decay is exponential the rate is the same early and late; `late_over_early` is the ratio of the two. Intervals
resample runs, and n_0 is found again in each resample: `picks` (batch, runs) are the numbers of the runs in each.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import special

from core.report.statistics.intervals import Interval, bootstrap_interval, bootstrap_intervals, counts_of

START = 0.9
SPLIT = 0.3
"""The fraction of the highest share at which early ends and late begins."""

RESAMPLES = 2_000
SEED = 2015


class Probability(NamedTuple):
    """The share of runs above and its Wilson interval, each (n,)."""

    share: np.ndarray
    low: np.ndarray
    high: np.ndarray


class Decay(NamedTuple):
    """A fit with its intervals: the rate per query by likelihood, that by least squares of logarithms, n_0 (from 1),
    and the late over the early rate.

    Rates are 0 where no run falls below after n_0. All are nan where no run is ever above; the last is also nan where
    the share never falls to `SPLIT`.
    """

    rate: Interval
    rate_of_logs: Interval
    start: Interval
    late_over_early: Interval


def exceedance(above: np.ndarray, level: float = 0.95) -> Probability:
    """Share of runs above at each query, with Wilson's interval, which is valid at shares of 0 and 1."""
    runs = len(above)
    share = above.mean(0)
    z2 = special.ndtri(0.5 + level / 2) ** 2
    centre = (share + z2 / (2 * runs)) / (1 + z2 / runs)
    half = np.sqrt(z2 * (share * (1 - share) / runs + z2 / (4 * runs**2))) / (1 + z2 / runs)
    return Probability(share, np.clip(centre - half, 0, share), np.clip(centre + half, share, 1))


def fit_decay(above: np.ndarray, generator: int, start: float = START, n: int = RESAMPLES) -> Decay:
    """The fit of the paper's Fig 3; all intervals use the same resamples."""

    def statistics(picks: np.ndarray) -> np.ndarray:
        counts = resampled_counts(above, picks)
        first = last_above(counts, start)
        starts = np.where(first < 0, np.nan, first + 1.0)
        rates = rate_of_counts(counts, first), rate_of_logs(counts, first)
        return np.stack([*rates, starts, _late_over_early(counts, first)], axis=1)

    return Decay(*bootstrap_intervals(np.arange(len(above)), statistics, generator, n))


def ratio_of_rates(above: np.ndarray, other: np.ndarray, generator: int, n: int = RESAMPLES) -> Interval:
    """The rate of `above` over that of `other`, whose runs are independent of it."""

    def statistic(*picks: np.ndarray) -> np.ndarray:
        counts = [resampled_counts(part, p) for part, p in zip((above, other), picks, strict=True)]
        rates = [rate_of_counts(part, last_above(part, START)) for part in counts]
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.abs(rates[0] / rates[1])

    return bootstrap_interval((np.arange(len(above)), np.arange(len(other))), statistic, generator, n)


def resampled_counts(above: np.ndarray, picks: np.ndarray) -> np.ndarray:
    """k_n of resampled runs, (batch, n)."""
    return counts_of(picks.astype(int), len(above)) @ above


def last_above(counts: np.ndarray, part: float) -> np.ndarray:
    """The last column of k_n (batch, n) with at least this part of the highest, -1 where all are 0; (batch,)."""
    highest = counts.max(1, keepdims=True)
    enough = (counts >= part * highest - 1e-9) & (highest > 0)
    return np.where(enough.any(1), counts.shape[1] - 1 - enough[:, ::-1].argmax(1), -1)


def rate_of_counts(counts: np.ndarray, first: np.ndarray, last: np.ndarray | int = -1) -> np.ndarray:
    """The rate by likelihood, from k_n (batch, n) in columns first to last, both (batch,); nan where first < 0."""
    batch, n = counts.shape
    last = np.broadcast_to(np.asarray(last) % n, batch)
    columns = np.arange(n)
    exposure = (counts * ((columns >= first[:, None]) & (columns < last[:, None]))).sum(1)
    falls = counts[np.arange(batch), np.maximum(first, 0)] - counts[np.arange(batch), last]
    with np.errstate(divide="ignore", invalid="ignore"):
        rate = np.log1p(-falls / exposure)
    return np.where(first < 0, np.nan, np.where(falls == 0, 0.0, rate))


def rate_of_logs(counts: np.ndarray, first: np.ndarray) -> np.ndarray:
    """The rate by least squares of log k_n on n where k_n > 0; nan with fewer than two such n."""
    columns = np.arange(counts.shape[1])
    used = (columns >= first[:, None]) & (counts > 0)
    logs = np.log(np.maximum(counts, 1))
    size = used.sum(1)
    with np.errstate(divide="ignore", invalid="ignore"):
        x = columns - (used * columns).sum(1, keepdims=True) / size[:, None]
        slope = (used * x * logs).sum(1) / (used * x**2).sum(1)
    return np.where((first < 0) | (size < 2), np.nan, slope)


def _late_over_early(counts: np.ndarray, first: np.ndarray) -> np.ndarray:
    last = counts.shape[1] - 1
    split = last_above(counts, SPLIT) + 1
    with np.errstate(divide="ignore", invalid="ignore"):
        late, early = (
            rate_of_counts(counts, a, b) for a, b in ((np.minimum(split, last), last), (first, np.minimum(split, last)))
        )
        return np.where((first < 0) | (split > last), np.nan, np.abs(late / early))
