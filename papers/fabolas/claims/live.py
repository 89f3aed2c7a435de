"""Claims about searches that train support vector machines (4.5.2).

On each data set a search has found a good configuration when its incumbent's test error is within 0.01 of the smallest
that any incumbent of any method reached.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from core.experiment.results import Results
from core.report import Check, all_of, bootstrap_interval, cell_rows, claim, each_of, frame_of, pending
from core.report.statistics.reductions import mean_difference
from core.report.verdicts.level_times import median_speedup
from core.report.verdicts.speedups import BoundedFactor, judge_factor
from papers.fabolas.names import SETS

SEED = 6
GOOD = 0.01  # test error above the smallest
FULL_DATA = ("gp", "entropy_search")


@claim(
    artifact="fig4_6",
    place="thesis 4.5.2, Fig 4.6",
    sentence="Fabolas finds good configurations between 10 and 1000 times faster than the other methods.",
    published="10 to 1000",
    headline="10 to 1000 times faster on live training",
)
def fabolas_fastest_when_training(results: Results) -> Check:
    """Than Bayesian optimization on all of the data, MTBO and Hyperband."""
    frame = frame_of(results, "live")
    smallest = frame.groupby("benchmark")["error"].min()

    def over(name: str, slow: str) -> Check:
        factor = median_speedup(frame, name, slow, "fabolas", smallest[name] + GOOD, "error")
        return judge_factor(factor, (10.0, 1000.0), f"{SETS[name]}, over {slow}: ")

    return _on_sets(results, (*FULL_DATA, "mtbo", "hyperband"), over)


@claim(
    artifact="fig4_6",
    place="thesis 4.5.2, Fig 4.6",
    sentence="Hyperband recommends its first incumbent before the methods that only train on all of the data.",
    published="earlier",
)
def hyperband_recommends_first(results: Results) -> Check:
    """The geometric mean of the times of its runs' first incumbents is below that of either acquisition function's."""
    frame = frame_of(results, "live")

    def before(name: str, other: str) -> Check:
        rows = [cell_rows(frame, name, method) for method in ("hyperband", other)]
        first = tuple(np.log10(each.groupby("run")["time"].min()) for each in rows)
        interval = bootstrap_interval(first, mean_difference, SEED)
        return judge_factor(BoundedFactor(interval, interval), (0.0, 1.0), f"{SETS[name]}, time over {other}'s: ")

    return _on_sets(results, FULL_DATA, before)


def _on_sets(results: Results, others: tuple[str, ...], check: Callable[[str, str], Check]) -> Check:
    """A comparison with several methods on each set."""
    frame = frame_of(results, "live")
    run = frame.groupby("benchmark")["method"].agg(set)

    def on(name: str) -> Check:
        return all_of(each_of(others, run[name], lambda other: check(name, other), missing=pending))

    return all_of(each_of(SETS, run.index, on, SETS.__getitem__))
