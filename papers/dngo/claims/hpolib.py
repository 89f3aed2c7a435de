"""The shape of the claims about Table 1: which optimizer finds the smaller loss."""

from __future__ import annotations

import math

from core.experiment.results import Results
from core.report import Check, bootstrap_interval, judge, worded
from core.report.runs.trajectories import incumbent, per_run
from core.report.statistics.reductions import mean_difference
from core.report.verdicts.shapes.shape import Benchmark, Method, shape
from papers.dngo.hpolib_runs import hpolib_runs


@shape
def smallest_loss(
    results: Results,
    benchmark: Benchmark,
    first: Method,
    second: Method,
    seed: int,
    above: float = -math.inf,
    below: float = math.inf,
) -> Check:
    """Difference of two methods' smallest losses after as many evaluations as both have, averaged over the runs."""
    frame = hpolib_runs(results)
    losses = [incumbent(per_run(frame, "loss", benchmark, method)) for method in (first, second)]
    last = min(values.shape[1] for values in losses) - 1
    interval = bootstrap_interval(tuple(values[:, last] for values in losses), mean_difference, seed)
    limit = f" (below {below:g})" if math.isfinite(below) else ""
    return worded(judge(interval, above, below), f"{benchmark}{limit}", "+.3g")
