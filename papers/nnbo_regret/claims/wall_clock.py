"""Claims about Fig 2a: how much faster parallel evaluations are."""

from __future__ import annotations

from core.experiment.results import Results
from core.report import Check, Interval, bootstrap_interval, claim, judge, rows_of
from core.report.statistics.reductions import mean_ratio

SEED = 1502


@claim(
    artifact="fig2a",
    place="abstract and Fig 2 (a)",
    sentence="Parallel evaluation and learning make the optimization faster.",
    published="faster",
    headline="Parallel evaluation is faster",
)
def parallel_is_faster(results: Results) -> Check:
    """Sequential seconds over those of two evaluators, at most 2; above 1.5."""
    detail = "seconds sequential over parallel, two evaluators"
    return judge(_speed_up(results, "parallel_2"), lower=1.5, detail=detail)


def _speed_up(results: Results, mode: str) -> Interval:
    runs = [rows_of(results, "wall_clock", method=name) for name in ("sequential", mode)]
    ends = tuple(rows.groupby("run")["finished"].max().to_numpy() for rows in runs)
    return bootstrap_interval(ends, mean_ratio, SEED)
