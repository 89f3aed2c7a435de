"""Checks of what the thesis says about stochastic counting ones (6.4.1, C.7). Times are full evaluations."""

from __future__ import annotations

import numpy as np
import pandas as pd

from core.experiment.results import Results
from core.report import Check, all_of, bootstrap_interval, judge
from core.report.trajectories import SMALLEST
from papers.bohb.counting_figures import DIMENSIONS
from papers.bohb.curves import frame_of, over_time, rows_of
from papers.bohb.measures import SEED, end_of, lower_than

FIRST, SOON, LATE = 5, 50, 4  # the first bracket, a tenth of the published run or less, the last quarter of the run


def model_based_dominate_random(results: Results) -> Check:
    """With 8 + 8 dimensions TPE, and SMAC where it was run, end below random search."""
    frame = frame_of(results, "counting_ones")
    names = [name for name in ("tpe", "smac") if name in set(frame["method"])]
    return all_of([lower_than(frame, "d16", name, "random") for name in names], "SMAC and TPE")


def hyperband_starts_ahead_of_tpe(results: Results) -> Check:
    """With 8 + 8 dimensions Hyperband is below TPE after two brackets."""
    return lower_than(frame_of(results, "counting_ones"), "d16", "hyperband", "tpe", time=2 * FIRST)


def tpe_overtakes_hyperband(results: Results) -> Check:
    """With 8 + 8 dimensions TPE ends below Hyperband."""
    return lower_than(frame_of(results, "counting_ones"), "d16", "tpe", "hyperband")


def bohb_starts_as_well_as_hyperband(results: Results) -> Check:
    """With 8 + 8 dimensions BOHB is after the first bracket at most a tenth above Hyperband."""
    return lower_than(frame_of(results, "counting_ones"), "d16", "bohb", "hyperband", time=FIRST, margin=1.1)


def bohb_soon_beats_hyperband(results: Results) -> Check:
    """With 8 + 8 dimensions BOHB is below Hyperband after 50 full evaluations."""
    return lower_than(frame_of(results, "counting_ones"), "d16", "bohb", "hyperband", time=SOON)


def smac_beats_tpe_in_64_dimensions(results: Results) -> Check:
    """With 32 + 32 dimensions SMAC ends below TPE."""
    return lower_than(frame_of(results, "counting_ones"), "d64", "smac", "tpe")


def random_methods_need_more_in_higher_dimensions(results: Results) -> Check:
    """The final regret of random search and of Hyperband rises with every doubling of the dimensions."""
    frame = frame_of(results, "counting_ones")
    checks = []
    for method in ("random", "hyperband"):
        final = [_final(frame, name, method) for name in DIMENSIONS]
        for below, above, name in zip(final, final[1:], DIMENSIONS[1:], strict=False):
            interval = bootstrap_interval((above, below), lambda a, b: np.log10(a.mean(1) / b.mean(1)), SEED)
            checks.append(judge(interval, "above", lower=0, detail=f"{method}, {name}: {10**interval.estimate:.3g}"))
    return all_of(checks, "6 of 6")


def tpe_ends_below_bohb_in_8_dimensions(results: Results) -> Check:
    """With 4 + 4 dimensions, where BOHB struggles to converge, TPE ends below it."""
    return lower_than(frame_of(results, "counting_ones"), "d8", "tpe", "bohb")


def bohb_converges_slower_than_tpe_late(results: Results) -> Check:
    """In the last three quarters of a run TPE's mean regret falls by a larger factor than BOHB's, in all dimensions."""
    frame = frame_of(results, "counting_ones")
    return all_of([_falls_faster(frame, name) for name in DIMENSIONS], "4 of 4")


def bohb_varies_most_in_8_dimensions(results: Results) -> Check:
    """The ratio of BOHB's final quartiles is larger with 4 + 4 dimensions than with more."""
    frame = frame_of(results, "counting_ones")
    final = tuple(np.maximum(_final(frame, name, "bohb"), SMALLEST) for name in DIMENSIONS)

    def statistic(*samples: np.ndarray) -> np.ndarray:
        spreads = [np.subtract(*np.quantile(np.log10(values), (0.75, 0.25), axis=1)) for values in samples]
        return spreads[0] - np.max(spreads[1:], axis=0)

    return judge(bootstrap_interval(final, statistic, SEED), "quite some variability", lower=0)


def _final(frame: pd.DataFrame, benchmark: str, method: str) -> np.ndarray:
    rows = rows_of(frame, benchmark, method)
    return over_time(rows, np.array([end_of(rows)]))[:, 0]


def _falls_faster(frame: pd.DataFrame, benchmark: str) -> Check:
    cells = [rows_of(frame, benchmark, method) for method in ("tpe", "bohb")]
    end = min(map(end_of, cells))
    samples = tuple(np.maximum(over_time(rows, np.array([end / LATE, end])), SMALLEST) for rows in cells)

    def statistic(tpe: np.ndarray, bohb: np.ndarray) -> np.ndarray:
        falls = [np.log10(values.mean(1)[:, 0] / values.mean(1)[:, 1]) for values in (tpe, bohb)]
        return falls[0] - falls[1]

    interval = bootstrap_interval(samples, statistic, SEED)
    detail = f"{benchmark}: {interval.estimate:+.2f} [{interval.low:.2f}, {interval.high:.2f}]"
    return judge(interval, "slower", lower=0, detail=detail)
