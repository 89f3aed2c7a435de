"""Claims about stochastic counting ones (6.4.1, C.7). Times are full evaluations."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from core.experiment.results import Results
from core.report import (
    Check,
    all_of,
    bootstrap_interval,
    cell_rows,
    claim,
    each_of,
    frame_of,
    judge,
    open_where,
    pending,
)
from core.report.runs.time_curves import end_of, over_time, times_of
from core.report.runs.trajectories import SMALLEST
from core.report.verdicts.mean_comparisons import SEED, as_factor, cells_of, log_means, values_at, within_factor
from core.report.verdicts.speedups import POINTS, Bounds, Curves, judge_known, known
from papers.bohb.claims.comparisons import ALIKE, CLEARLY, cannot_compare, lower
from papers.bohb.names import COUNTING_ONES, DIMENSIONS

BRACKET, SOON = 5, 50  # full evaluations: the cost of a bracket; an eightieth of the published run
LATE = (1000, 4000)  # the last three quarters of the published run
STALLED = 1.5  # a regret that falls by less than this factor while time quadruples
VARIES = 2.0  # ratio of the quartiles
GOOD = 0.25  # regret of a good solution: half of a random configuration's mean regret
DOUBLED = 2.0  # growth of the time that would be proportional when the dimensions double


@claim(
    artifact="fig6_2",
    place="thesis 6.4.1, Fig 6.2",
    sentence="With 8 + 8 dimensions SMAC and TPE are soon below random search, and stay there.",
)
def model_based_dominate_random(results: Results) -> Check:
    """With 8 + 8 dimensions SMAC and TPE are below random search after 50 evaluations and at the end."""
    frame = frame_of(results, *COUNTING_ONES)
    times = (SOON, None)
    checks = [each for t in times for each in _both(frame, "d16", lambda m, t=t: lower(frame, "d16", m, "random", t))]
    return all_of(checks, "SMAC and TPE")


@claim(artifact="fig6_2", place="thesis 6.4.1, Fig 6.2", sentence="At first Hyperband works better than SMAC and TPE.")
def hyperband_starts_ahead_of_tpe(results: Results) -> Check:
    """With 8 + 8 dimensions Hyperband is below SMAC and TPE after two brackets."""
    frame = frame_of(results, *COUNTING_ONES)
    return all_of(_both(frame, "d16", lambda m: lower(frame, "d16", "hyperband", m, 2 * BRACKET)), "SMAC and TPE")


@claim(
    artifact="fig6_2",
    place="thesis 6.4.1, Fig 6.2",
    sentence="Once their models know enough, SMAC and TPE are clearly better than Hyperband.",
)
def tpe_overtakes_hyperband(results: Results) -> Check:
    """With 8 + 8 dimensions SMAC and TPE end below two thirds of Hyperband's regret."""
    frame = frame_of(results, *COUNTING_ONES)
    checks = _both(frame, "d16", lambda m: lower(frame, "d16", m, "hyperband", margin=CLEARLY))
    return all_of(checks, "SMAC and TPE")


@claim(artifact="fig6_2", place="thesis 6.4.1, Fig 6.2", sentence="In the beginning BOHB works as well as Hyperband.")
def bohb_starts_as_well_as_hyperband(results: Results) -> Check:
    """With 8 + 8 dimensions BOHB and Hyperband differ by less than a factor of 1.25 after the first bracket."""
    return within_factor(frame_of(results, *COUNTING_ONES), "d16", "hyperband", "bohb", ALIKE, BRACKET)


@claim(
    artifact="fig6_2", place="thesis 6.4.1, Fig 6.2", sentence="BOHB quickly starts to perform better than Hyperband."
)
def bohb_soon_beats_hyperband(results: Results) -> Check:
    """With 8 + 8 dimensions BOHB is below Hyperband after 50 full evaluations."""
    return lower(frame_of(results, *COUNTING_ONES), "d16", "bohb", "hyperband", SOON)


@claim(
    artifact="figC_8",
    place="thesis 6.4.1, Fig C.8",
    sentence="In 8, 32 and 64 dimensions the methods compare much as they do in 16.",
)
def other_dimensions_are_similar(results: Results) -> Check:
    """The order of Fig 6.2, without margins, in 8, 32 and 64 dimensions."""
    frame = frame_of(results, *COUNTING_ONES)

    def order(name: str) -> list[Check]:
        return [
            *_both(frame, name, lambda m: lower(frame, name, m, "random")),
            *_both(frame, name, lambda m: lower(frame, name, "hyperband", m, 2 * BRACKET)),
            *_both(frame, name, lambda m: lower(frame, name, m, "hyperband")),
            lower(frame, name, "bohb", "hyperband", SOON),
        ]

    return all_of(_in_dimensions(frame, [name for name in DIMENSIONS if name != "d16"], order), "similar")


@claim(
    artifact="figC_8",
    place="thesis C.7, item 1, Fig C.8",
    sentence="In all dimensions random search and Hyperband suffer from random configurations, and SMAC and TPE "
    "end well below them.",
)
def model_based_ahead_in_all_dimensions(results: Results) -> Check:
    """In all dimensions SMAC and TPE end below two thirds of the regret of random search and of Hyperband."""
    frame = frame_of(results, *COUNTING_ONES)

    def ahead(name: str) -> list[Check]:
        return [
            *_both(frame, name, lambda m: lower(frame, name, m, "random", margin=CLEARLY)),
            *_both(frame, name, lambda m: lower(frame, name, m, "hyperband", margin=CLEARLY)),
        ]

    return all_of(_in_dimensions(frame, DIMENSIONS, ahead), "substantially better")


@claim(artifact="figC_8", place="thesis 6.4.1, Fig C.8", sentence="In higher dimensions SMAC outperforms TPE.")
def smac_beats_tpe_in_64_dimensions(results: Results) -> Check:
    """With 32 + 32 dimensions SMAC ends below TPE."""
    return lower(frame_of(results, *COUNTING_ONES), "d64", "smac", "tpe")


@claim(
    artifact="fig6_2",
    place="thesis Fig 6.2, caption",
    sentence="The time that random search and Hyperband need for a good solution grows exponentially with the "
    "dimensions.",
)
def random_methods_need_more_in_higher_dimensions(results: Results) -> Check:
    """From 8 to 16 and to 32 dimensions the time to a median regret of 0.25 grows by more than 2, then by more.

    A power of the dimension would grow by the same factor each time.
    """
    frame = frame_of(results, *COUNTING_ONES)
    return all_of([each for method in ("random", "hyperband") for each in _growth(frame, method)], "exponentially more")


@claim(
    artifact="figC_8",
    place="thesis C.7, items 2 and 4, Fig C.8",
    sentence="BOHB struggles to converge in 8 dimensions, where TPE ends below it.",
)
def tpe_ends_below_bohb_in_8_dimensions(results: Results) -> Check:
    """With 4 + 4 dimensions BOHB's regret falls by less than 1.5 in the last three quarters of its time, and TPE ends
    below it."""
    frame = frame_of(results, *COUNTING_ONES)
    return all_of([_stalls(frame, "d8", "bohb"), lower(frame, "d8", "tpe", "bohb")], "struggles")


@claim(
    artifact="figC_8",
    place="thesis 6.4.1; C.7, items 3 and 4, Fig C.8",
    sentence="Towards the end of the runs BOHB converges more slowly than SMAC and TPE.",
)
def bohb_converges_slower_than_tpe_late(results: Results) -> Check:
    """From 1,000 to 4,000 evaluations SMAC's and TPE's regret falls by a larger factor than BOHB's, everywhere."""
    frame = frame_of(results, *COUNTING_ONES)
    checks = _in_dimensions(frame, DIMENSIONS, lambda name: _both(frame, name, lambda m: _falls_faster(frame, name, m)))
    return all_of(checks, "slower")


@claim(
    artifact="figC_9",
    place="thesis C.7, item 2, Fig C.9",
    sentence="In 8 dimensions BOHB's performance varies a good deal from run to run.",
)
def bohb_varies_in_8_dimensions(results: Results) -> Check:
    """With 4 + 4 dimensions BOHB's final quartiles are more than a factor of 2 apart."""
    (final,), _ = values_at(cells_of(frame_of(results, *COUNTING_ONES), "d8", ["bohb"]))

    def statistic(values: np.ndarray) -> np.ndarray:
        return np.subtract(*np.quantile(np.log10(values), (0.75, 0.25), axis=1))

    interval = bootstrap_interval(np.maximum(final, SMALLEST), statistic, SEED)
    return judge(interval, "quite some", lower=np.log10(VARIES), detail=f"ratio of quartiles {as_factor(interval)}")


def _both(frame: pd.DataFrame, benchmark: str, check: Callable[[str], Check]) -> list[Check]:
    """The check of TPE and of SMAC, which a sentence names together; SMAC is an optional extra."""
    ran = {"tpe", *frame.loc[frame["benchmark"] == benchmark, "method"]}
    return each_of(("tpe", "smac"), ran, check, lambda name: f"{benchmark}: {name.upper()}")


def _in_dimensions(frame: pd.DataFrame, names: list[str], check: Callable[[str], list[Check]]) -> list[Check]:
    ran = set(frame["benchmark"].unique())
    return [each for name in names for each in (check(name) if name in ran else [pending(name)])]


def _stalls(frame: pd.DataFrame, benchmark: str, method: str) -> Check:
    rows = cell_rows(frame, benchmark, method)
    times = np.array([end_of(rows) / 4, end_of(rows)])
    interval = bootstrap_interval(over_time(rows, times), _log_fall, SEED)
    words = f"{method}'s fall from {times[0]:.4g} to {times[1]:.4g}: {as_factor(interval)}"
    return judge(interval, "struggles", upper=np.log10(STALLED), detail=words)


def _falls_faster(frame: pd.DataFrame, benchmark: str, other: str) -> Check:
    cells = cells_of(frame, benchmark, [other, "bohb"])
    samples = tuple(over_time(rows, np.array(LATE)) for rows in cells.values())
    interval = bootstrap_interval(samples, lambda a, b: _log_fall(a) - _log_fall(b), SEED)
    words = f"{benchmark}, {other}'s fall over BOHB's from {LATE[0]} to {LATE[1]}: {as_factor(interval)}"
    return open_where(judge(interval, "slower", lower=0, detail=words), cannot_compare(cells, LATE[1]))


def _log_fall(curves: np.ndarray) -> np.ndarray:
    """Logarithm of the factor by which geometric means of (batch, runs, 2) fall between two times, (batch,)."""
    return np.subtract(*log_means((curves[..., 0], curves[..., 1])))


def _growth(frame: pd.DataFrame, method: str) -> list[Check]:
    curves = []
    for name in DIMENSIONS[:3]:
        rows = cell_rows(frame, name, method)
        curves.append(Curves.of(rows, times_of(frame, name, [method], POINTS), average=np.median))

    def growths(*averages: np.ndarray) -> list[Bounds]:
        times = [each.log_time(average, GOOD) for each, average in zip(curves, averages, strict=True)]
        return [times[1] - times[0], times[2] - times[1]]

    first, second = (known(curves, lambda *averages, i=i: growths(*averages)[i]) for i in (0, 1))
    more = known(curves, lambda *averages: growths(*averages)[1] - growths(*averages)[0])
    return [
        judge_known(first, "more", (DOUBLED, np.inf), f"{method}, time in d16 over d8: "),
        judge_known(second, "more", (DOUBLED, np.inf), "in d32 over d16: "),
        judge_known(more, "ever more", (1.0, np.inf), "second over first: "),
    ]
