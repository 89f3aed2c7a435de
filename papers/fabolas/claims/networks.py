"""Claims about searches that train convolutional networks (4.5.3).

On each set a search has found a good configuration when the test error of its incumbent is at most a tenth above the
smallest that an incumbent of any method reached.
"""

from __future__ import annotations

import math

import pandas as pd

from core.experiment.results import Results
from core.report import Check, bootstrap_interval, cell_rows, claim, frame_of, judge
from core.report.verdicts.level_times import median_speedup
from core.report.verdicts.speedups import judge_factor
from papers.fabolas.live_searches import FULL_DATA, GOOD_NETWORK, first_incumbents, on_sets
from papers.fabolas.names import NETWORK_SETS

SEED = 7


@claim(
    artifact="fig4_7",
    place="thesis 4.5.3, Fig 4.7",
    sentence="Fabolas finds good configurations about 10 times faster than Bayesian optimization on all of the data.",
    published="about 10",
    headline="10 times faster on convolutional networks",
)
def fabolas_ten_times_faster_on_networks(results: Results) -> Check:
    """The speed-up over either acquisition function, between 10/3 and 30."""
    frame = frame_of(results, "networks")

    def over(name: str, slow: str) -> Check:
        factor = median_speedup(frame, name, slow, "fabolas", GOOD_NETWORK * _smallest(frame, name), "error")
        return judge_factor(factor, (10 / 3, 30.0), f"{NETWORK_SETS[name]}, over {slow}: ")

    return on_sets(frame, NETWORK_SETS, FULL_DATA, over)


@claim(
    artifact="fig4_7",
    place="thesis 4.5.3, Fig 4.7",
    sentence="Hyperband recommends its first configuration substantially later than searches on all of the data do.",
    published="slower",
)
def hyperband_recommends_late(results: Results) -> Check:
    """The geometric mean of the times of its runs' first incumbents is more than twice that of either function's."""
    frame = frame_of(results, "networks")

    def after(name: str, other: str) -> Check:
        factor = first_incumbents(frame, name, "hyperband", other, SEED)
        return judge_factor(factor, (2.0, math.inf), f"{NETWORK_SETS[name]}, over {other}: ")

    return on_sets(frame, NETWORK_SETS, FULL_DATA, after)


@claim(
    artifact="fig4_7",
    place="thesis 4.5.3, Fig 4.7",
    sentence="Given enough time Hyperband does find good configurations.",
    published="good",
)
def hyperband_ends_well(results: Results) -> Check:
    """The mean test error at the end of its runs is at most a tenth above the smallest of any incumbent."""
    frame = frame_of(results, "networks")

    def on(name: str, method: str) -> Check:
        last = cell_rows(frame, name, method).groupby("run")["error"].last().to_numpy() / _smallest(frame, name)
        interval = bootstrap_interval(last, lambda drawn: drawn.mean(-1), SEED)
        return judge(
            interval, upper=GOOD_NETWORK, detail=f"{NETWORK_SETS[name]}: {interval.text()} times the smallest error"
        )

    return on_sets(frame, NETWORK_SETS, ("hyperband",), on)


def _smallest(frame: pd.DataFrame, name: str) -> float:
    return float(frame.loc[frame["benchmark"] == name, "error"].min())
