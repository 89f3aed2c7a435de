"""The shape of the claim that rectifiers explore too much (section 3.1.1)."""

from __future__ import annotations

import numpy as np

from core.experiment.results import Results
from core.report import Check, bootstrap_interval, cell_rows, judge, worded
from core.report.runs.trajectories import per_run
from core.report.statistics.reductions import mean_ratio
from core.report.verdicts.shapes.shape import Benchmark, Method, shape


@shape
def distance_ratio(
    results: Results, benchmark: Benchmark, first: Method, second: Method, seed: int, above: float
) -> Check:
    """The mean distance of queries from the incumbent with one method over that with another is above a factor."""
    pair = tuple(_distances(results, benchmark, method) for method in (first, second))
    ratio = judge(bootstrap_interval(pair, mean_ratio, seed, paired=True), lower=above)
    return worded(ratio, f"{benchmark}: distance, {first} over {second}", ".2f")


def _distances(results: Results, benchmark: str, method: str) -> np.ndarray:
    """Mean distance of a run's queries, after its initial design, from the incumbent, (runs,)."""
    frame = results.frame("activation_search")
    rows = cell_rows(frame, benchmark, method)
    initial = int((rows["origin"] == "initial design").groupby(rows["run"]).sum().max())
    return per_run(frame, "distance", benchmark, method)[:, initial:].mean(1)
