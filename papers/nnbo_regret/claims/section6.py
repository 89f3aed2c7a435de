"""Claims of section 6 (and the abstract) in words: competitive with GP-BO, an interpolation that scales linearly."""

from __future__ import annotations

import numpy as np

from core.experiment.results import Results
from core.report import Check, bootstrap_interval, claim, judge, rows_of
from core.report.figures.suggestion_times import slopes
from core.report.statistics.reductions import geometric_mean, mean
from core.report.verdicts.shapes.shape import Benchmark, Experiment, shape
from papers.nnbo_regret.regret_curves import SHOWN, queries

SEED = 1502
NEAR = 0.25  # of an exponent
LARGE = 1000  # observations; below it, constant costs make up most of an interpolation's time


@shape
def competitive(results: Results, experiment: Experiment, benchmark: Benchmark, below: float) -> Check:
    """Minimum regret after 100 queries less GP-BO's, averaged as logarithms, over uniform points' mean regret."""
    _, theirs, initial = queries(results, "gaussian_process", benchmark, SHOWN, "gp")
    _, ours, _ = queries(results, experiment, benchmark, theirs.shape[1])

    def statistic(above: np.ndarray, below: np.ndarray) -> np.ndarray:
        return (geometric_mean(above) - geometric_mean(below)) / initial.mean()

    ends = ours[:, -1], theirs[:, -1]
    minima = [f"{geometric_mean(end[None])[0]:.3g} (mean {end.mean():.3g})" for end in ends]
    detail = f"after {theirs.shape[1]} queries {minima[0]}, GP-BO {minima[1]}; difference over initial mean regret"
    return judge(bootstrap_interval(ends, statistic, SEED), upper=below, detail=detail)


@claim(
    artifact="section6",
    place="abstract and section 6",
    kind="shape",
    sentence="The time that an interpolation takes grows linearly with the number of observations.",
    published="linear",
    headline="An interpolation's time grows linearly",
)
def interpolation_grows_linearly(results: Results) -> Check:
    """Slope of log seconds over log N from 1,000 observations on; within a quarter of 1."""
    rows = rows_of(results, "interpolation", method="least_squares")
    table = rows[rows["observations"] >= LARGE].pivot(index="run", columns="observations", values="seconds")
    sizes, seconds = table.columns.to_numpy(float), table.to_numpy(float)
    interval = bootstrap_interval(slopes(sizes, seconds), mean, SEED)
    detail = f"slope of log seconds over log N; {np.median(seconds[:, -1]):.2g} s at {sizes[-1]:.0f} observations"
    return judge(interval, 1 - NEAR, 1 + NEAR, detail=detail)
