"""Claims about Figs 2b and 2c: the minimum regret reaches zero; the average does not fall at first, then falls."""

from __future__ import annotations

from core.experiment.results import Results
from core.report import Check, bootstrap_interval, claim, judge
from core.report.statistics import mean_ratio
from papers.nnbo_regret.regret_curves import SHOWN, queries

SEED = 1502
ZERO = 0.02
"""The share of the uniform points' mean regret that counts as zero in a figure."""
BATCH = 5  # queries
LEVEL = 0.01  # a relative fall that does not count as one


@claim(
    artifact="fig2b",
    place="Fig 2 (b) and section 5",
    sentence="The minimum regret on the Gaussian mixture reaches zero.",
)
def minimum_reaches_zero_on_mixture(results: Results) -> Check:
    return _reaches_zero(results, "mixture", "gaussian_mixture")


@claim(
    artifact="fig2b",
    place="Fig 2 (b) and section 5",
    sentence="On the Gaussian mixture the average regret does not fall at first, while the domain is explored.",
)
def average_does_not_fall_at_first_on_mixture(results: Results) -> Check:
    return _does_not_fall(results, "mixture", "gaussian_mixture")


@claim(
    artifact="fig2b",
    place="Fig 2 (b), caption",
    sentence="The average regret on the Gaussian mixture trends downwards.",
)
def average_falls_later_on_mixture(results: Results) -> Check:
    return _falls(results, "mixture", "gaussian_mixture")


@claim(
    artifact="fig2c",
    place="Fig 2 (c) and section 5",
    sentence="The minimum regret on the Hartmann function reaches zero.",
)
def minimum_reaches_zero_on_hartmann(results: Results) -> Check:
    return _reaches_zero(results, "hartmann", "hartmann4_rescaled")


@claim(
    artifact="fig2c",
    place="Fig 2 (c) and section 5",
    sentence="On the Hartmann function the average regret does not fall at first, while the domain is explored.",
)
def average_does_not_fall_at_first_on_hartmann(results: Results) -> Check:
    return _does_not_fall(results, "hartmann", "hartmann4_rescaled")


@claim(
    artifact="fig2c",
    place="Fig 2 (c), caption",
    sentence="The average regret on the Hartmann function trends downwards.",
)
def average_falls_later_on_hartmann(results: Results) -> Check:
    return _falls(results, "hartmann", "hartmann4_rescaled")


def _reaches_zero(results: Results, experiment: str, benchmark: str) -> Check:
    """Mean minimum regret after 300 queries over the uniform points' mean regret; below 0.02."""
    _, minimum, initial = queries(results, experiment, benchmark, SHOWN)
    last = minimum[:, -1]
    interval = bootstrap_interval((last, initial), mean_ratio, SEED, paired=True)
    detail = f"minimum over initial mean regret; minimum {last.mean():.3g} after {minimum.shape[1]} queries"
    return judge(interval, 0.0, upper=ZERO, detail=detail)


def _does_not_fall(results: Results, experiment: str, benchmark: str) -> Check:
    """The mean of R_m / m after the second batch of queries over that after the first; not below 1 by more than 1%."""
    average, _, _ = queries(results, experiment, benchmark, SHOWN)
    starts = average[:, 2 * BATCH - 1], average[:, BATCH - 1]
    interval = bootstrap_interval(starts, mean_ratio, SEED, paired=True)
    highest = average.mean(axis=0).argmax() + 1
    detail = f"R_m / m at {2 * BATCH} over that at {BATCH}; highest at query {highest}"
    return judge(interval, "does not fall", lower=1 - LEVEL, detail=detail)


def _falls(results: Results, experiment: str, benchmark: str) -> Check:
    """The mean of R_m / m at the last query over that at half of the queries; below 1."""
    average, _, _ = queries(results, experiment, benchmark, SHOWN)
    half = average.shape[1] // 2
    ends = average[:, -1], average[:, half - 1]
    interval = bootstrap_interval(ends, mean_ratio, SEED, paired=True)
    return judge(interval, "falls", upper=1.0, detail=f"R_m / m at {average.shape[1]} over that at {half}")
