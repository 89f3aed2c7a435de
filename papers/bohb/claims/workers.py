"""Claims about parallel workers (Figs 6.1, C.3; C.5) beside those of the table. Times are full evaluations."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from core.experiment.results import Results
from core.report import Check, NotRunError, all_of, cell_rows, claim, frame_of
from core.report.runs.time_curves import times_of
from core.report.verdicts.outcomes import outside
from core.report.verdicts.shapes.shape import Benchmark, Experiments, Method, shape
from core.report.verdicts.speedups import (
    POINTS,
    Curves,
    Pair,
    bounded_factor,
    judge_factor,
    median,
    of_speedups,
    spread,
)
from papers.bohb.claims.comparisons import COMPARABLE, on_sets, sets_of
from papers.bohb.names import DATA_SETS, WORKERS

ABOUT = 1.5  # a factor around "ca."
LETTER = 81.0  # seconds, the largest budget on letter (Table C.2)
SECONDS = {"workers_1": 2000.0, "workers_32": 130.0}  # to a regret of 0.01, Fig 6.1
LEVELS = ("eighth", "quarter", "half")  # medians of the slower runs at these shares of their time
SETS = len(DATA_SETS) - 1  # without poker


@shape
def faster_over_run(
    results: Results,
    runs: Experiments,
    benchmark: Benchmark,
    slow: Method,
    fast: Method,
    above: float,
    below: float = math.inf,
) -> Check:
    """A speed-up over the whole run lies between two factors.

    It is the median of the speed-ups to several levels, the slow runs' medians at three shares of their time: a search
    in coarse steps says little at a single level, or in means that a few runs dominate.
    """
    pair = Pair.of(frame_of(results, *runs), benchmark, slow, fast, LEVELS[0], average=np.median)
    pairs = [replace(pair, level=level) for level in LEVELS]
    words = f"{benchmark}, factor by which {fast} is faster than {slow}: "
    return judge_factor(of_speedups(pairs, median), (above, below), words)


@claim(
    artifact="fig6_1",
    place="thesis Fig 6.1, caption",
    sentence="On letter, one worker reaches a regret of 0.01 after about 2000 s, and 32 workers after 130 s.",
    published="24.7 and 1.6",
)
def workers_take_the_printed_times(results: Results) -> Check:
    """On letter one worker and 32 reach a regret of 0.01 within 1.5 times the printed 24.7 and 1.6 full evaluations.

    Outside: the times are those of the authors' surrogate, whose networks and optimum are not ours.
    """
    frame, checks = frame_of(results, "workers_on_letter"), []
    for method, seconds in SECONDS.items():
        curves = Curves.of(cell_rows(frame, "letter", method), times_of(frame, "letter", [method], POINTS))
        time = bounded_factor([curves], lambda averages, curves=curves: curves.log_time(averages, 1e-2))
        budgets = seconds / LETTER
        checks.append(judge_factor(time, (budgets / ABOUT, budgets * ABOUT), f"{method}: "))
    return outside(all_of(checks), "said of the authors' surrogate, seen on ours")


@claim(
    artifact="figC_3",
    place="thesis C.5, Fig C.3",
    sentence="A given number of workers speeds up the search by much the same factor on all data sets.",
    published="quite consistent",
)
def speedups_are_consistent(results: Results) -> Check:
    """For each number of workers, the speed-ups to one worker's median regret after a quarter of its time are within a
    factor of 2 of each other."""
    (frame, names), checks = sets_of(results, ["workers"], besides="poker"), []
    if len(names) < 2:
        raise NotRunError("workers on two data sets")
    for method in WORKERS[1:]:
        pairs = [Pair.of(frame, name, "workers_1", method, "quarter", average=np.median) for name in names]
        ratio = of_speedups(pairs, spread)
        checks.append(judge_factor(ratio, (0.0, COMPARABLE), f"{method}, largest over smallest: "))
    return on_sets(checks, names, SETS)
