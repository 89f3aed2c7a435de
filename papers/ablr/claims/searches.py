"""Searches (Fig 1 left, Fig 2): the shape of their claims, and one that is a function.

Regrets fall through many orders of magnitude, and their arithmetic mean is that of the first evaluations on the
function that is hardest, so methods are compared by a ratio of geometric means. Runs of the same number have the same
task and initial design, and are resampled in pairs.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pandas as pd

from core.experiment.results import Results
from core.report import Check, bootstrap_interval, claim, frame_of
from core.report.runs.trajectories import incumbent, per_run
from core.report.statistics.reductions import mean
from core.report.verdicts.outcomes import pending
from core.report.verdicts.shapes.shape import Benchmark, Experiments, Method, shape
from core.report.verdicts.speedups import BoundedFactor, judge_factor
from papers.ablr.names import ALL_SETS, above_best, common_runs, resolved, together

SEED = 2017
INITIAL = 5  # evaluations of the initial design, at every scale
FLOOR = 5e-4  # a millionth of the largest values of the quadratic functions; smaller regrets count as that


@shape
def regret_ratio(
    results: Results,
    runs: Experiments,
    benchmark: Benchmark,
    fast: Method,
    slow: Method,
    seed: int,
    above: float = 0.0,
    below: float = math.inf,
    less: str = "",
) -> Check:
    """The regret of one method over that of another lies between two factors.

    Args:
        less: Words for a ratio below the region, whose methods differ in the claimed direction, but too much.
    """
    check = _ratio(frame_of(results, *runs), benchmark, fast, slow, seed, (above, below))
    too_much = less and check.holds == "fails" and check.high < above
    return replace(check, detail=f"{check.detail}, {less}") if too_much else check


@claim(
    artifact="fig2_right",
    place="section 3.3, Fig 2 right",
    sentence="Signals recorded beside the validation accuracy speed up the search with ABLR.",
    published="faster",
    headline="Side signals speed up the search",
)
def side_signals_speed_up(results: Results) -> Check:
    """On all sets together, by errors above the smallest that any run found on the set, one validation row or more."""
    frame = resolved(above_best(frame_of(results, "networks")))
    return _ratio(together(frame), ALL_SETS, "ablr_signals", "ablr", SEED, (0.0, 1.0), "loss")


def _ratio(
    frame: pd.DataFrame,
    benchmark: str,
    fast: str,
    slow: str,
    seed: int,
    between: tuple[float, float],
    metric: str = "regret",
) -> Check:
    """Regret of `fast` over that of `slow`, which should lie between two factors."""
    run = set(frame["method"])
    for name in (fast, slow):
        if name not in run:
            return pending(name)
    pair = common_runs(frame[frame["method"].isin((fast, slow))])
    logs = [_log_regrets(pair, metric, benchmark, name) for name in (fast, slow)]
    interval = bootstrap_interval(logs[0] - logs[1], mean, seed)
    return judge_factor(BoundedFactor(interval, interval), between, f"{fast} over {slow}: ")


def _log_regrets(frame: pd.DataFrame, metric: str, benchmark: str, method: str) -> np.ndarray:
    """Logarithms to base 10 of the incumbents' regrets, means over evaluations after the initial design, (runs,)."""
    regrets = incumbent(per_run(frame, metric, benchmark, method))[:, INITIAL:]
    return np.log10(np.maximum(regrets, FLOOR)).mean(1)
