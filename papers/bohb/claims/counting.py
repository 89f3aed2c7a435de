"""Claims about stochastic counting ones (6.4.1, C.7) that are no rows of the table. Times are full evaluations."""

from __future__ import annotations

import numpy as np
import pandas as pd

from core.experiment.results import Results
from core.report import Check, all_of, bootstrap_interval, cell_rows, claim, frame_of, judge, open_where
from core.report.runs.time_curves import end_of, over_time, times_of
from core.report.runs.trajectories import SMALLEST
from core.report.verdicts.mean_comparisons import SEED, as_factor, cells_of, logarithms, means, values_at
from core.report.verdicts.shapes.shape import Benchmark, Experiments, Method, shape
from core.report.verdicts.speedups import POINTS, Bounds, Curves, bounded_factors, judge_factor
from papers.bohb.claims.comparisons import cannot_compare
from papers.bohb.names import COUNTING_ONES, DIMENSIONS

VARIES = 2.0  # ratio of the quartiles
GOOD = 0.25  # regret of a good solution: half of a random configuration's mean regret
DOUBLED = 2.0  # growth of the time that would be proportional when the dimensions double


@shape
def stalls(results: Results, runs: Experiments, benchmark: Benchmark, method: Method, factor: float) -> Check:
    """A method's regret falls by less than a factor while its time quadruples to the end."""
    rows = cell_rows(frame_of(results, *runs), benchmark, method)
    times = np.array([end_of(rows) / 4, end_of(rows)])
    interval = bootstrap_interval(logarithms([over_time(rows, times)]), _fall, SEED)
    words = f"{method}'s fall from {times[0]:.4g} to {times[1]:.4g}: {as_factor(interval)}"
    return judge(interval, upper=np.log10(factor), detail=words)


@shape
def falls_faster(
    results: Results, runs: Experiments, benchmark: Benchmark, fast: Method, slow: Method, start: float, end: float
) -> Check:
    """One method's regret falls by a larger factor than another's between two times."""
    cells = cells_of(frame_of(results, *runs), benchmark, [fast, slow])
    samples = logarithms([over_time(rows, np.array([start, end])) for rows in cells.values()])
    interval = bootstrap_interval(samples, lambda a, b: _fall(a) - _fall(b), SEED)
    words = f"{benchmark}, {fast}'s fall over {slow}'s from {start:g} to {end:g}: {as_factor(interval)}"
    return open_where(judge(interval, lower=0, detail=words), cannot_compare(cells, end))


@claim(
    artifact="fig6_2",
    place="thesis Fig 6.2, caption",
    sentence="The time that random search and Hyperband need for a good solution grows exponentially with the "
    "number of dimensions.",
    published="exponentially more",
    experiments=[COUNTING_ONES],
)
def random_methods_need_more_in_higher_dimensions(results: Results) -> Check:
    """From 8 to 16 and to 32 dimensions the time to a median regret of 0.25 grows by more than 2, then by more.

    A power of the dimension would grow by the same factor each time.
    """
    frame = frame_of(results, COUNTING_ONES)
    return all_of([each for method in ("random", "hyperband") for each in _growth(frame, method)])


@claim(
    artifact="figC_9",
    place="thesis C.7, item 2, Fig C.9",
    sentence="In 8 dimensions BOHB's performance varies a good deal from run to run.",
    published="quite some",
    experiments=[COUNTING_ONES],
)
def bohb_varies_in_8_dimensions(results: Results) -> Check:
    """With 4 + 4 dimensions BOHB's final quartiles are more than a factor of 2 apart."""
    (final,), _ = values_at(cells_of(frame_of(results, COUNTING_ONES), "d8", ["bohb"]))

    def statistic(values: np.ndarray) -> np.ndarray:
        return np.subtract(*np.quantile(np.log10(values), (0.75, 0.25), axis=1))

    interval = bootstrap_interval(np.maximum(final, SMALLEST), statistic, SEED)
    return judge(interval, lower=np.log10(VARIES), detail=f"ratio of quartiles {as_factor(interval)}")


def _fall(curves: np.ndarray) -> np.ndarray:
    """How far the means of logarithms (batch, runs, 2) fall between two times, (batch,)."""
    return np.subtract(*means((curves[..., 0], curves[..., 1])))


def _growth(frame: pd.DataFrame, method: str) -> list[Check]:
    curves = []
    for name in DIMENSIONS[:3]:
        rows = cell_rows(frame, name, method)
        curves.append(Curves.of(rows, times_of(frame, name, [method], POINTS), average=np.median))

    def growths(*averages: np.ndarray) -> list[Bounds]:
        times = [each.log_time(average, GOOD) for each, average in zip(curves, averages, strict=True)]
        first, second = times[1] - times[0], times[2] - times[1]
        return [first, second, second - first]

    first, second, more = bounded_factors(curves, growths)
    return [
        judge_factor(first, (DOUBLED, np.inf), f"{method}, time in d16 over d8: "),
        judge_factor(second, (DOUBLED, np.inf), "in d32 over d16: "),
        judge_factor(more, (1.0, np.inf), "second over first: "),
    ]
