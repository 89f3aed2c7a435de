"""Claims about Fig 1: how the time of a suggestion grows."""

from __future__ import annotations

import numpy as np

from core.experiment.results import Results
from core.report import Check, NotRunError, bootstrap_interval, claim, judge, open_where
from core.report.figures.suggestion_times import slopes, times
from core.report.statistics.reductions import mean, mean_ratio

SEED = 2015
NEAR = 0.25  # of an exponent
LARGE = 1000
"""Number of observations from which growth is measured; below it, constant costs make up most of the time."""


@claim(
    artifact="fig1",
    place="abstract and Fig 1",
    kind="shape",
    sentence="The time of a suggestion with DNGO grows linearly in the number of observations.",
    headline=True,
)
def dngo_grows_linearly(results: Results) -> Check:
    """Slope of log seconds over log N from 1,000 observations on; within a quarter of 1."""
    sizes, seconds = times(results, "dngo")
    large = sizes >= LARGE
    if large.sum() < 2:
        raise NotRunError("suggestion_time/dngo from 1,000 observations on")
    return _growth(sizes[large], seconds[:, large], "linear", 1.0)


@claim(
    artifact="fig1",
    place="abstract and Fig 1",
    kind="shape",
    sentence="The time of a suggestion with a Gaussian process grows with the cube of the number of observations.",
)
def gp_grows_cubically(results: Results) -> Check:
    """Slope of log seconds over log N from 1,000 observations on, as for DNGO; within a quarter of 3.

    Open where it was not run with two such numbers: then the slope is that between its two largest.
    """
    sizes, seconds = times(results, "gp")
    first = min(int(np.searchsorted(sizes, LARGE)), len(sizes) - 2)
    check = _growth(sizes[first:], seconds[:, first:], "cubic", 3.0)
    return open_where(check, f"below {LARGE:,} observations" if sizes[first] < LARGE else "")


@claim(
    artifact="fig1",
    place="Fig 1",
    sentence="With many observations a suggestion takes the Gaussian process longer than DNGO.",
)
def gp_is_slower_with_many(results: Results) -> Check:
    """Seconds of the Gaussian process over those of DNGO at the former's largest number of observations; above 1.

    The largest is what it reaches within the seconds that a suggestion may take.
    """
    (sizes, gp), (dngo_sizes, dngo) = times(results, "gp"), times(results, "dngo")
    both = np.intersect1d(sizes, dngo_sizes)
    gp, dngo = gp[:, np.isin(sizes, both)], dngo[:, np.isin(dngo_sizes, both)]
    slower = both[gp.mean(0) > dngo.mean(0)]
    first = f"slower from {slower[0]:.0f} observations on" if len(slower) else "never slower"
    interval = bootstrap_interval((gp[:, -1], dngo[:, -1]), mean_ratio, SEED)
    return judge(interval, "slower", lower=1.0, detail=f"ratio of seconds at {both[-1]:.0f} observations; {first}")


def _growth(sizes: np.ndarray, seconds: np.ndarray, published: str, exponent: float) -> Check:
    """The slope of log seconds (runs, sizes) over log N; within a quarter of an exponent."""
    interval = bootstrap_interval(slopes(sizes, seconds), mean, SEED)
    detail = f"slope of log seconds over log N from {sizes[0]:.0f} to {sizes[-1]:.0f} observations"
    return judge(interval, published, exponent - NEAR, exponent + NEAR, detail=detail)
