"""Claims about searches that train support vector machines (4.5.2).

On each data set a search has found a good configuration when its incumbent's test error is within 0.01 of the smallest
that any incumbent of any method reached.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from core.experiment.results import Results
from core.report import Check, all_of, bootstrap_interval, cell_rows, claim, each_of, frame_of, pending
from core.report.statistics.reductions import mean_difference
from core.report.verdicts.level_times import median_speedup
from core.report.verdicts.speedups import Known, judge_known
from papers.fabolas.names import SETS

SEED = 6
GOOD = 0.01  # test error above the smallest


@claim(
    artifact="fig4_6",
    place="thesis 4.5.2, Fig 4.6",
    sentence="Fabolas finds good configurations between 10 and 1000 times faster than the other methods.",
    headline="10 to 1000 times faster on live training",
)
def fabolas_fastest_when_training(results: Results) -> Check:
    """Than Bayesian optimization on all of the data, MTBO and Hyperband."""

    def check(frame: pd.DataFrame, name: str) -> Check:
        level = frame.loc[frame["benchmark"] == name, "error"].min() + GOOD

        def over(slow: str) -> Check:
            found = median_speedup(frame, name, slow, "fabolas", level, "error")
            return judge_known(found, "10 to 1000", (10.0, 1000.0), f"{SETS[name]}, over {slow}: ")

        others = ("gp", "entropy_search", "mtbo", "hyperband")
        return all_of(each_of(others, _methods(frame, name), over, missing=pending), "10 to 1000")

    return _on_sets(results, check, "10 to 1000")


@claim(
    artifact="fig4_6",
    place="thesis 4.5.2, Fig 4.6",
    sentence="Hyperband recommends its first incumbent before the methods that train on all of the data only.",
)
def hyperband_recommends_first(results: Results) -> Check:
    """The geometric mean of the times of its runs' first incumbents is below that of either acquisition function's."""

    def check(frame: pd.DataFrame, name: str) -> Check:
        def before(other: str) -> Check:
            rows = [cell_rows(frame, name, method) for method in ("hyperband", other)]
            first = tuple(np.log10(each.groupby("run")["time"].min()) for each in rows)
            interval = bootstrap_interval(first, mean_difference, SEED)
            return judge_known(Known(interval, interval), "earlier", (0.0, 1.0), f"{SETS[name]}, time over {other}'s: ")

        others = ("gp", "entropy_search")
        return all_of(each_of(others, _methods(frame, name), before, missing=pending), "earlier")

    return _on_sets(results, check, "earlier")


def _methods(frame: pd.DataFrame, name: str) -> set[str]:
    """The methods that were run on a data set."""
    return set(frame.loc[frame["benchmark"] == name, "method"])


def _on_sets(results: Results, check: Callable[[pd.DataFrame, str], Check], said: str) -> Check:
    frame = frame_of(results, "live")
    ran = set(frame["benchmark"])
    return all_of(each_of(SETS, ran, lambda name: check(frame, name), lambda name: SETS[name]), said)
