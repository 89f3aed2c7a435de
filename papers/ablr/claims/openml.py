"""Claims about Fig 2, left, on evaluations of a random forest on OpenML, as in the paper but of another flow."""

from __future__ import annotations

import pandas as pd

from core.experiment.results import Results
from core.report import Check, all_of, bootstrap_interval, claim, judge, pending, worded
from core.report.runs.frames import frame_of
from core.report.runs.trajectories import incumbent, per_run
from core.report.statistics.reductions import mean
from papers.ablr.names import common_runs

SEED = 2018
INITIAL = 5  # evaluations of the initial design, at every scale
BENCHMARK = "openml_random_forest"


@claim(
    artifact="fig2_left",
    place="section 3.2, Fig 2 left",
    sentence="On OpenML, evaluations on other data sets speed up the search for a random forest's hyperparameters.",
    published="faster",
    headline="Other data sets speed up a forest's (OpenML)",
    experiments=["openml"],
)
def transfer_speeds_up_on_openml(results: Results) -> Check:
    """ABLR with transfer has a smaller error than plain ABLR and than a plain GP.

    The error is the incumbent's relative one, averaged over the evaluations after the initial design. It is compared as
    it is: it may be 0 or below on a surrogate, whose smallest value need not be at a stored configuration.
    """
    frame = common_runs(frame_of(results, "openml"))
    return all_of([_ahead(frame, "ablr_nn", slow) for slow in ("ablr", "gp")])


def _ahead(frame: pd.DataFrame, fast: str, slow: str) -> Check:
    """How much smaller the error of `fast` is, with the runs in pairs."""
    if missing := [name for name in (fast, slow) if name not in set(frame["method"])]:
        return pending(missing[0])
    errors = [incumbent(per_run(frame, "regret", BENCHMARK, name))[:, INITIAL:].mean(1) for name in (slow, fast)]
    interval = bootstrap_interval(errors[0] - errors[1], mean, SEED)
    return worded(judge(interval, lower=0.0), f"{fast} ahead of {slow} by", "+.3f")
