"""Claims about parallel workers (Figs 6.1, C.3; C.5). Times are full evaluations.

What is said of a printed regret is judged by the time at which the mean of the runs reaches it, as Fig 6.1 draws it,
all else by medians.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from core.experiment.results import Results
from core.report import Check, NotRunError, all_of, cell_rows, claim, frame_of
from core.report.runs.time_curves import times_of
from core.report.verdicts.outcomes import outside
from core.report.verdicts.speedups import POINTS, Curves, Pair, faster, judge_known, known, median, of_speedups, spread
from papers.bohb.claims.comparisons import COMPARABLE, on_sets, sets_of
from papers.bohb.names import DATA_SETS, WORKERS

LINEAR = 0.8  # of the number of workers: a speed-up above it is "close to linear", "almost linear"
ABOUT = 1.5  # a factor around "ca."
LETTER = 81.0  # seconds, the largest budget on letter (Table C.2)
SECONDS = {"workers_1": 2000.0, "workers_32": 130.0}  # to a regret of 0.01, Fig 6.1
LEVELS = ("eighth", "quarter", "half")  # medians of the slower runs at these shares of their time
SETS = len(DATA_SETS) - 1  # without poker


@claim(
    artifact="fig6_1",
    place="thesis Fig 6.1",
    sentence="On letter 32 workers reach a regret of 0.01 about 15 times faster than one worker.",
)
def thirty_two_workers_are_15_times_faster(results: Results) -> Check:
    """On letter 32 workers reach a mean regret of 0.01 10 to 22.5 times sooner than one, in many short runs."""
    between = (15 / ABOUT, 15 * ABOUT)
    return faster(_beginning(results), "letter", "workers_1", "workers_32", 1e-2, between, "about 15")


@claim(
    artifact="fig6_1",
    place="thesis Fig 6.1, caption",
    sentence="On letter one worker reaches a regret of 0.01 after about 2000 s, and 32 after 130 s.",
)
def workers_take_the_printed_times(results: Results) -> Check:
    """On letter one worker and 32 reach a regret of 0.01 within 1.5 times the printed 24.7 and 1.6 full evaluations.

    Outside: the times are those of the authors' surrogate, whose networks and optimum are not ours.
    """
    frame, checks = _beginning(results), []
    for method, seconds in SECONDS.items():
        curves = Curves.of(cell_rows(frame, "letter", method), times_of(frame, "letter", [method], POINTS))
        found = known([curves], lambda averages, curves=curves: curves.log_time(averages, 1e-2))
        budgets = seconds / LETTER
        checks.append(judge_known(found, f"{budgets:.3g}", (budgets / ABOUT, budgets * ABOUT), f"{method}: "))
    return outside(all_of(checks, "24.7 and 1.6"), "said of the authors' surrogate, seen on ours")


@claim(artifact="fig6_1", place="thesis Fig 6.1", sentence="The speed-up with two and four workers is close to linear.")
def two_and_four_workers_are_almost_linear(results: Results) -> Check:
    """On letter the speed-ups of 2 and of 4 workers over many short runs are above 0.8 times 2 and 4."""
    frame = _beginning(results)
    return all_of([_almost_linear(frame, "letter", workers) for workers in (2, 4)], "close to linear")


@claim(artifact="fig6_1", place="thesis Fig 6.1", sentence="Beyond four workers the speed-up is sublinear.")
def more_workers_are_sublinear(results: Results) -> Check:
    """On letter the speed-ups of 16 and of 32 workers over many short runs are below 0.8 times 16 and 32."""
    frame = _beginning(results)
    pairs = [(("workers_1", f"workers_{n}"), (1.0, LINEAR * n)) for n in (16, 32)]
    return all_of([_over_run(frame, "letter", *pair, between, "sublinear") for pair, between in pairs], "sublinear")


@claim(
    artifact="figC_3",
    place="thesis C.5, Fig C.3",
    sentence="The speed-ups with 2 to 8 workers are almost linear on all data sets on which they were run.",
    headline=True,
)
def up_to_eight_workers_are_almost_linear(results: Results) -> Check:
    """On all sets except poker 2 to 8 workers are almost linear over the whole run."""
    frame, names = _sets(results)
    checks = [_almost_linear(frame, name, workers) for name in names for workers in (2, 4, 8)]
    return on_sets(checks, names, "almost linear", SETS)


@claim(
    artifact="figC_3",
    place="thesis C.5, Fig C.3",
    sentence="A given number of workers has much the same speed-up on all data sets.",
)
def speedups_are_consistent(results: Results) -> Check:
    """For each number of workers, the speed-ups to one worker's median regret after a quarter of its time are within a
    factor of 2 of each other."""
    (frame, names), checks = _sets(results), []
    if len(names) < 2:
        raise NotRunError("workers on two data sets")
    for method in WORKERS[1:]:
        pairs = [Pair.of(frame, name, "workers_1", method, "quarter", average=np.median) for name in names]
        found = of_speedups(pairs, spread)
        checks.append(judge_known(found, "consistent", (0.0, COMPARABLE), f"{method}, largest over smallest: "))
    return on_sets(checks, names, "quite consistent", SETS)


@claim(
    artifact="figC_3",
    place="thesis C.5, Fig C.3",
    sentence="Many workers are less efficient, since they evaluate more random configurations before there is a model.",
)
def many_workers_lose_efficiency(results: Results) -> Check:
    """The speed-up of 32 workers over eight, over the whole run, is less than 3.2, on all sets."""
    (frame, names), between = _sets(results), (0.0, LINEAR * 4)
    checks = [_over_run(frame, name, "workers_8", "workers_32", between, "degrades") for name in names]
    return on_sets(checks, names, "degrades", SETS)


@claim(
    artifact="figC_3",
    place="thesis C.5, Fig C.3",
    sentence="Even 32 workers can be linear, as they are on letter to a regret of 0.002.",
)
def thirty_two_workers_are_linear_on_letter(results: Results) -> Check:
    """On letter 32 workers are almost linear at a regret of 0.002."""
    between = (LINEAR * 32, np.inf)
    return faster(_frame(results), "letter", "workers_1", "workers_32", 2e-3, between, "almost linear")


def _frame(results: Results) -> pd.DataFrame:
    return frame_of(results, "workers")


def _beginning(results: Results) -> pd.DataFrame:
    """Many runs on letter, up to the regret of Fig 6.1."""
    return frame_of(results, "workers_on_letter")


def _sets(results: Results) -> tuple[pd.DataFrame, list[str]]:
    """All sets except poker, which was not run with fewer than 16 workers."""
    return sets_of(results, ["workers"], besides="poker")


def _almost_linear(frame: pd.DataFrame, benchmark: str, workers: int) -> Check:
    between = (LINEAR * workers, np.inf)
    return _over_run(frame, benchmark, "workers_1", f"workers_{workers}", between, "almost linear")


def _over_run(
    frame: pd.DataFrame, benchmark: str, slow: str, fast: str, between: tuple[float, float], said: str
) -> Check:
    """The claim that a speed-up over the whole run lies between two factors.

    It is the median of the speed-ups to several levels, the slow runs' medians at three shares of their time: a search
    in coarse steps says little at a single level, or in means that a few runs dominate.
    """
    pair = Pair.of(frame, benchmark, slow, fast, LEVELS[0], average=np.median)
    pairs = [replace(pair, level=level) for level in LEVELS]
    words = f"{benchmark}, factor by which {fast} is faster than {slow}: "
    return judge_known(of_speedups(pairs, median), said, between, words)
