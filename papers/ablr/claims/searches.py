"""Claims about searches (Fig 1 left, Fig 2).

A curve is summarized by the mean of its incumbents' regrets over all evaluations after the initial design, which is
smaller the sooner a search is near the minimum. Two methods are compared by the ratio of the means of these over the
runs; runs of the same number have the same task and initial design, so they are resampled in pairs.
"""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd

from core.experiment.results import Results
from core.report import Check, all_of, bootstrap_interval, claim, frame_of, judge
from core.report.outcomes import pending, worded
from core.report.statistics import mean_ratio
from core.report.trajectories import incumbent, per_run
from papers.ablr.names import ALL_SETS, above_best, common_runs, together

SEED = 2017
INITIAL = 5  # evaluations of the initial design, at every scale
MUCH = 0.5  # "much faster": at most half the mean regret
SLIGHTLY = 0.5  # "slightly" better: the mean regret is smaller, but by less than half
CLEARLY = 0.8  # a "clear" improvement takes away more than a fifth


@claim(
    artifact="fig1_left",
    place="section 3.1",
    sentence="With the other tasks' evaluations searches converge much faster than plain ABLR and a plain GP.",
)
def transfer_is_much_faster(results: Results) -> Check:
    frame, parts = frame_of(results, "quadratics"), []
    for fast, slow in product(("ablr_nn", "ablr_rks", "gp_transfer"), ("ablr", "gp")):
        parts.append(_ratio(frame, "quadratics", fast, slow, MUCH))
    return all_of(parts, "much faster")


@claim(
    artifact="fig1_left",
    place="section 3.1",
    sentence="Random Fourier features perform slightly worse than the network.",
)
def fourier_is_worse(results: Results) -> Check:
    return _ratio(
        frame_of(results, "quadratics"), "quadratics", "ablr_nn", "ablr_rks", lower=SLIGHTLY, said="slightly worse"
    )


@claim(
    artifact="fig1_left",
    place="section 3.1",
    sentence="Including the contexts yields no clear improvement.",
)
def contexts_do_not_help_clearly(results: Results) -> Check:
    """With contexts the mean regret is not below four fifths of that without; on the representations that were run."""
    frame = frame_of(results, "quadratics")
    pairs = [(f"{name}_context", name) for name in ("ablr_nn", "ablr_rks")]
    run = set(frame["method"])
    parts = [_ratio(frame, "quadratics", *pair, upper=np.inf, lower=CLEARLY) for pair in pairs if pair[0] in run]
    return all_of(parts, "no clear improvement")


@claim(
    artifact="fig1_left",
    place="section 3.1",
    sentence="The GP with transfer performs slightly better than ABLR with transfer on this example.",
)
def gp_transfer_is_better(results: Results) -> Check:
    return _ratio(
        frame_of(results, "quadratics"), "quadratics", "gp_transfer", "ablr_nn", lower=SLIGHTLY, said="slightly better"
    )


@claim(
    artifact="fig2_left",
    place="section 3.2, Fig 2 left",
    sentence="Evaluations of other data sets speed up convergence: ABLR with transfer is ahead of both plain methods.",
)
def transfer_speeds_up(results: Results) -> Check:
    frame = frame_of(results, "transfer")
    return all_of([_ratio(frame, "xgboost", "ablr_nn", slow) for slow in ("ablr", "gp")], "faster")


@claim(
    artifact="fig2_right",
    place="section 3.3, Fig 2 right",
    sentence="Side signals beside the validation accuracy speed up the search with ABLR.",
)
def side_signals_speed_up(results: Results) -> Check:
    """On all sets together, by errors above the smallest that any run found on the set."""
    frame = above_best(frame_of(results, "networks"))
    return _ratio(together(frame), ALL_SETS, "ablr_signals", "ablr", said="faster", metric="loss")


def _ratio(
    frame: pd.DataFrame,
    benchmark: str,
    fast: str,
    slow: str,
    upper: float = 1.0,
    lower: float = -np.inf,
    said: str = "",
    metric: str = "regret",
) -> Check:
    """Mean regret of `fast` over that of `slow`, which should lie between the two bounds."""
    run = set(frame["method"])
    for name in (fast, slow):
        if name not in run:
            return pending(name)
    pair = common_runs(frame[frame["method"].isin((fast, slow))])
    means = tuple(incumbent(per_run(pair, metric, benchmark, name))[:, INITIAL:].mean(1) for name in (fast, slow))
    interval = bootstrap_interval(means, mean_ratio, SEED, paired=True)
    return worded(judge(interval, said, lower, upper), f"{fast} over {slow}")
