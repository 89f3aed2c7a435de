"""Claims about Fig 1, right: how the time of a suggestion grows."""

from __future__ import annotations

import numpy as np

from core.experiment.results import Results
from core.report import Check, NotRunError, all_of, bootstrap_interval, claim, judge
from core.report.figures.suggestion_times import slopes, times
from core.report.statistics.reductions import mean, mean_ratio
from core.report.verdicts.outcomes import worded
from papers.ablr.names import TIMES

SEED = 2017
NEAR = 0.25  # of an exponent
LARGE = 1000  # number of evaluations from which growth is measured; below it, constant costs make up most of the time


@claim(
    artifact="fig1_right",
    place="section 3.1, Fig 1 right",
    kind="shape",
    sentence="The time of a suggestion with ABLR grows linearly in the number of evaluations.",
    headline=True,
)
def ablr_grows_linearly(results: Results) -> Check:
    """Slopes of log seconds over log N from 1,000 evaluations on, of both representations; within a quarter of 1."""
    return all_of([_slope(results, name, 1.0) for name in ("ablr_nn", "ablr_rks")], "linear")


@claim(
    artifact="fig1_right",
    place="sections 1 and 3.1, Fig 1 right",
    sentence="With many evaluations a suggestion takes a GP longer than ABLR with a network.",
)
def gp_is_slower(results: Results) -> Check:
    """Seconds of the GP over those of ABLR at the largest number of evaluations that both reached; above 1."""
    return _slower(results, "gp", "ablr_nn")


@claim(
    artifact="fig1_right",
    place="section 3.1, Fig 1 right",
    sentence="Random Fourier features take less time than the network.",
)
def fourier_is_faster(results: Results) -> Check:
    """Seconds of the network over those of Fourier features at the largest common number of evaluations; above 1."""
    return _slower(results, "ablr_nn", "ablr_rks")


def _slope(results: Results, name: str, expected: float) -> Check:
    sizes, seconds = times(results, name)
    large = sizes >= LARGE
    if large.sum() < 2:
        raise NotRunError(f"suggestion_time/{name} from 1,000 evaluations on")
    interval = bootstrap_interval(slopes(sizes[large], seconds[:, large]), mean, SEED)
    return worded(judge(interval, expected, expected - NEAR, expected + NEAR), f"{TIMES[name]}, exponent")


def _slower(results: Results, slow: str, fast: str) -> Check:
    (sizes, longer), (other_sizes, shorter) = times(results, slow), times(results, fast)
    both = np.intersect1d(sizes, other_sizes)
    ends = longer[:, sizes == both[-1]][:, 0], shorter[:, other_sizes == both[-1]][:, 0]
    interval = bootstrap_interval(ends, mean_ratio, SEED)
    return judge(interval, "slower", lower=1.0, detail=f"ratio of seconds at {both[-1]:.0f} evaluations")
