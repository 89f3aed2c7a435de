"""Claims about regrets on the surrogates of fully connected networks (6, 6.4.2.2, C.4) beside those of the table."""

from __future__ import annotations

import numpy as np
import pandas as pd

from core.experiment.results import Results
from core.optimizers.brackets import rung_budgets
from core.report import Check, NotRunError, bootstrap_interval, cell_rows, claim, frame_of, judge, worded
from core.report.runs.time_curves import end_of
from core.report.verdicts.mean_comparisons import SEED, cells_of, logarithms, means, values_at
from core.report.verdicts.shapes.searches import Learning, lower_than, within_factor
from core.report.verdicts.shapes.shape import Benchmark, Experiments, Method, shape
from core.tabular.ranks import spearman
from papers.bohb.claims.comparisons import FIRST_ITERATIONS, on_sets, sets_of
from papers.bohb.names import RESOLUTION, SHOWN, SURROGATES

ETA, FIRST_MODEL = 3, 14  # BOHB has a model after 2 N_min = 2 (d + 1) observations on a budget
COMPARED = ("random", "tpe", "hyperband", "bohb")  # the others were not run as long on all sets


@shape
def alike_before_the_model(
    results: Results,
    runs: Experiments,
    benchmark: Benchmark,
    first: Method,
    second: Method,
    factor: float,
    floor: float,
    learning: Learning,
) -> Check:
    """`within_factor` just before the first method's first model.

    That is when 14 configurations have been evaluated on the smallest budget, or later, where the first bracket has
    fewer of them: the many short runs, of three evaluations, then end before it.
    """
    at = _first_model(cell_rows(frame_of(results, *runs), benchmark, first))
    return within_factor(results, runs, benchmark, first, second, factor, at, floor, learning)


@shape
def lower_at_the_end_of(
    results: Results,
    runs: Experiments,
    benchmark: Benchmark,
    better: Method,
    worse: Method,
    ends: Method,
    floor: float,
    learning: Learning,
) -> Check:
    """`lower_than` when the runs of one of the two end."""
    at = end_of(cell_rows(frame_of(results, *runs), benchmark, ends))
    return lower_than(results, runs, benchmark, better, worse, at, 1.0, floor, learning)


@claim(
    artifact="fig6_4",
    place="thesis Fig 6.4, caption",
    sentence="Results on the other five data sets are qualitatively similar.",
    published="similar",
)
def other_sets_are_similar(results: Results) -> Check:
    """Rank correlation of the methods' regrets after five brackets, the set of Fig 6.4 and each other; above 0.5."""
    frame, names = sets_of(results)
    if SHOWN not in names:
        raise NotRunError(f"{SURROGATES[0]} on {SHOWN}")
    ends = {
        name: logarithms(values_at(cells_of(frame, name, COMPARED), FIRST_ITERATIONS)[0], RESOLUTION) for name in names
    }

    def correlation(*drawn: np.ndarray) -> np.ndarray:
        logs = means(drawn)
        shown, other = logs[: len(COMPARED)].T, logs[len(COMPARED) :].T
        return np.array([spearman(*pair) for pair in zip(shown, other, strict=True)])

    parts = []
    for name in names:
        if name != SHOWN:
            interval = bootstrap_interval((*ends[SHOWN], *ends[name]), correlation, SEED, n=1000)
            parts.append(worded(judge(interval, lower=0.5), f"{SHOWN} and {name}"))
    return on_sets(parts, names)


def _first_model(rows: pd.DataFrame) -> float:
    smallest, largest = rows[["smallest_budget", "largest_budget"]].iloc[0]
    return min(FIRST_MODEL * rung_budgets(smallest, largest, ETA)[0] / largest, end_of(rows))
