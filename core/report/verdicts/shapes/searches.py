"""Claims about two searches on a benchmark: which is lower, whether they are alike, and how much faster one is."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Literal

import numpy as np

from core.experiment.results import Results
from core.report.runs import trajectories
from core.report.runs.frames import frame_of
from core.report.runs.trajectories import SMALLEST
from core.report.statistics.intervals import bootstrap_interval, mean_difference
from core.report.verdicts import mean_comparisons, speedups
from core.report.verdicts.checks import Check, judge, open_where, worded
from core.report.verdicts.mean_comparisons import Cells, cells_of
from core.report.verdicts.shapes.shape import Benchmark, Experiments, Method, shape

Time = float | Literal["end"]
Level = float | Literal["end", "half", "quarter", "eighth"]
Learning = dict[Method, float]
AVERAGES: dict[str, speedups.Average] = {"mean": np.mean, "median": np.median}


@shape
def lower_than(
    results: Results,
    runs: Experiments,
    benchmark: Benchmark,
    better: Method,
    worse: Method,
    at: Time = "end",
    factor: float = 1.0,
    floor: float = SMALLEST,
    learning: Learning = {},  # noqa: B006, validated values are not changed
) -> Check:
    """The geometric mean of one method's regrets is below that of another, by a factor or more.

    Args:
        at: Time at which they are compared; by default where the first run ends.
        floor: Smallest regret that counts; smaller ones count as that.
        learning: Time before which a method has hardly learned anything; one that ends before leaves the claim open.
    """
    frame, time = frame_of(results, *runs), time_of(at)
    return mean_comparisons.lower_than(frame, benchmark, better, worse, time, 1 / factor, floor, _too_short(learning))


@shape
def within_factor(
    results: Results,
    runs: Experiments,
    benchmark: Benchmark,
    first: Method,
    second: Method,
    factor: float,
    at: Time = "end",
    floor: float = SMALLEST,
    learning: Learning = {},  # noqa: B006
) -> Check:
    """The geometric means of two methods' regrets differ by less than a factor. Arguments as for `lower_than`."""
    frame, time = frame_of(results, *runs), time_of(at)
    return mean_comparisons.within_factor(frame, benchmark, first, second, factor, time, floor, _too_short(learning))


@shape
def faster(
    results: Results,
    runs: Experiments,
    benchmark: Benchmark,
    slow: Method,
    fast: Method,
    level: Level,
    above: float = 0.0,
    below: float = math.inf,
    metric: str = "regret",
    average: Literal["mean", "median"] = "mean",
    learning: Learning = {},  # noqa: B006
) -> Check:
    """The factor by which one method reaches a level sooner than another lies between two others.

    Args:
        level: Level of the average over the runs: a number, or that of the slow method when it ends, or has run for a
            half, a quarter or an eighth of its time.
        learning: As for `lower_than`.
    """
    frame = frame_of(results, *runs)
    pair = speedups.Pair.of(frame, benchmark, slow, fast, level, metric, AVERAGES[average])
    words = f"{benchmark}, factor by which {fast} is faster than {slow}: "
    check = speedups.judge_factor(speedups.speedup(pair), (above, below), words)
    return open_where(check, _too_short(learning)(cells_of(frame, benchmark, (slow, fast))))


@shape
def final_log_regret(
    results: Results,
    runs: Experiments,
    benchmark: Benchmark,
    first: Method,
    second: Method,
    seed: int,
    above: float = -math.inf,
    below: float = math.inf,
) -> Check:
    """The mean logarithm (base 10) of one method's final regrets less that of another lies in a region.

    Runs of the same number are compared in pairs, after as many evaluations as both methods have.
    """
    values = trajectories.common_ends(frame_of(results, *runs), "regret", benchmark, (first, second))
    ends = tuple(map(trajectories.log_regret, values))
    check = judge(bootstrap_interval(ends, mean_difference, seed, paired=True), above, below)
    return worded(check, f"{benchmark}, {first} against {second}, orders of magnitude", "+.2f")


def time_of(at: Time) -> float | None:
    """The time that `mean_comparisons` takes, None for the end."""
    return None if at == "end" else at


def _too_short(learning: Mapping[str, float]) -> Callable[[Cells], str]:
    return lambda cells: mean_comparisons.ends_too_soon(cells, learning)
