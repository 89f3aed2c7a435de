"""Claims about searches that train support vector machines (4.5.2).

On each data set a search has found a good configuration when its incumbent's test error is within 0.01 of the smallest
that any incumbent of any method reached.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from core.experiment.results import Results
from core.report import Check, all_of, bootstrap_interval, cell_rows, claim, each_of, frame_of, judge, worded
from core.report.speedups import Pair, judge_known, speedup
from papers.fabolas.names import SETS

SEED = 6
GOOD = 0.01  # test error above the smallest


@claim(
    artifact="fig4_6",
    place="thesis 4.5.2, Fig 4.6",
    sentence="Fabolas finds good configurations between 10 and 1000 times faster than the other methods.",
)
def fabolas_fastest_when_training(results: Results) -> Check:
    """Than Bayesian optimization on all of the data and than MTBO; Hyperband is said to be very competitive."""

    def check(frame: pd.DataFrame, name: str) -> Check:
        level = frame.loc[frame["benchmark"] == name, "error"].min() + GOOD
        parts = []
        for slow in ("gp", "entropy_search", "mtbo"):
            found = speedup(Pair.of(frame, name, slow, "fabolas", level, "error", np.median))
            parts.append(judge_known(found, "10 to 1000", (10.0, 1000.0), f"{SETS[name]}, over {slow}: "))
        return all_of(parts, "10 to 1000")

    return _on_sets(results, check, "10 to 1000")


@claim(
    artifact="fig4_6",
    place="thesis 4.5.2, Fig 4.6",
    sentence="Hyperband recommends its first incumbent before the methods that train on all of the data only.",
)
def hyperband_recommends_first(results: Results) -> Check:
    """The mean time of its runs' first incumbent is below that of either acquisition function's."""

    def check(frame: pd.DataFrame, name: str) -> Check:
        parts = []
        for other in ("gp", "entropy_search"):
            first = [cell_rows(frame, name, method).groupby("run")["time"].min() for method in ("hyperband", other)]
            interval = bootstrap_interval(tuple(first), lambda ours, theirs: ours.mean(1) / theirs.mean(1), SEED)
            parts.append(worded(judge(interval, "earlier", upper=1.0), f"{SETS[name]}, time over {other}'s"))
        return all_of(parts, "earlier")

    return _on_sets(results, check, "earlier")


def _on_sets(results: Results, check: Callable[[pd.DataFrame, str], Check], said: str) -> Check:
    frame = frame_of(results, "live")
    ran = set(frame["benchmark"])
    return all_of(each_of(SETS, ran, lambda name: check(frame, name), lambda name: SETS[name]), said)
