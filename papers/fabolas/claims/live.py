"""Claims about searches that train support vector machines (4.5.2).

On each data set a search has found a good configuration when its incumbent's test error is within 0.01 of the smallest
that any incumbent of any method reached.
"""

from __future__ import annotations

from core.experiment.results import Results
from core.report import Check, claim, frame_of
from core.report.verdicts.level_times import median_speedup
from core.report.verdicts.speedups import judge_factor
from papers.fabolas.live_searches import FULL_DATA, GOOD_MACHINE, first_incumbents, on_sets
from papers.fabolas.names import SETS

SEED = 6


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
        factor = median_speedup(frame, name, slow, "fabolas", smallest[name] + GOOD_MACHINE, "error")
        return judge_factor(factor, (10.0, 1000.0), f"{SETS[name]}, over {slow}: ")

    return on_sets(frame, SETS, (*FULL_DATA, "mtbo", "hyperband"), over)


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
        factor = first_incumbents(frame, name, "hyperband", other, SEED)
        return judge_factor(factor, (0.0, 1.0), f"{SETS[name]}, time over {other}'s: ")

    return on_sets(frame, SETS, FULL_DATA, before)
