"""Checks behind claims.yaml: Figs 1 and 2 of Brofos et al. Those of Fig 3 and the theorem have a file of their own."""

from __future__ import annotations

import numpy as np

from core.experiment.results import Results
from core.report.bootstrap import Interval, bootstrap_interval
from core.report.checks import Check, NotRunError, judge
from papers.nnbo_regret.claims_theorem import (  # noqa: F401 - claims.yaml names them
    bound_decays_exponentially,
    decay_starts_at_400,
    expectation_may_be_dropped,
    exponential_on_gaussian_process,
    exponential_on_hartmann,
    hartmann_is_harder,
    increments_are_centred,
    increments_are_heavy_on_left,
    increments_are_orthogonal,
    increments_are_sub_gaussian,
    probability_is_below_the_bound,
    rate_on_gaussian_process,
    rate_on_hartmann,
    variance_is_that_of_eq_17,
)

SEED = 1502
SHOWN = 300
"""Queries of Fig 2."""

ZERO = 0.02
"""The share of the uniform points' mean regret that passes for zero in a figure."""

SPEED_UP = 517.17 / 83.90
"""Seconds of the authors' published timings for 250 evaluations: sequential over parallel."""


def representation_interpolates(results: Results) -> Check:
    """Root mean squared error of the mean over the domain, in standard deviations of f there; below 0.1."""
    error, _ = _errors(results)
    return judge(bootstrap_interval(error, _median, SEED), "low", upper=0.1, detail="median of error over sd of f")


def regression_beats_the_output_layer(results: Results) -> Check:
    """The error of the network's own output over that of the regression on its last layer; above 1."""
    error, network = _errors(results)
    interval = bootstrap_interval(network / error, _median, SEED)
    return judge(interval, "better", lower=1.0, detail="median of network's error over regression's")


def parallel_is_six_times_faster(results: Results) -> Check:
    """Sequential over parallel seconds with the two evaluators that the caption names; above 5."""
    detail = "seconds sequential over parallel, two evaluators"
    return judge(_speed_up(results, "parallel_2"), SPEED_UP, lower=5.0, detail=detail)


def parallel_is_faster(results: Results) -> Check:
    """The same above 1.5, of at most two."""
    detail = "seconds sequential over parallel, two evaluators"
    return judge(_speed_up(results, "parallel_2"), "faster", lower=1.5, detail=detail)


def six_evaluators_are_six_times_faster(results: Results) -> Check:
    """The same with six evaluators; between 5 and 7."""
    detail = "seconds sequential over parallel, six evaluators"
    return judge(_speed_up(results, "parallel_6"), SPEED_UP, lower=5.0, upper=7.0, detail=detail)


def minimum_reaches_zero_on_mixture(results: Results) -> Check:
    return _reaches_zero(results, "mixture", "gaussian_mixture")


def minimum_reaches_zero_on_hartmann(results: Results) -> Check:
    return _reaches_zero(results, "hartmann", "hartmann4_rescaled")


def average_does_not_fall_at_first_on_mixture(results: Results) -> Check:
    return _rises(results, "mixture", "gaussian_mixture")


def average_does_not_fall_at_first_on_hartmann(results: Results) -> Check:
    return _rises(results, "hartmann", "hartmann4_rescaled")


def average_falls_later_on_mixture(results: Results) -> Check:
    return _falls(results, "mixture", "gaussian_mixture")


def average_falls_later_on_hartmann(results: Results) -> Check:
    return _falls(results, "hartmann", "hartmann4_rescaled")


def queries(results: Results, experiment: str, benchmark: str, upto: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Average regret R_m / m and minimum regret Q_m of at most so many queries, (runs, m) each; initial mean (runs,).

    Raises:
        NotRunError: there is no run.
    """
    frame = results.frame(experiment)
    rows = frame[(frame["benchmark"] == benchmark) & (frame["iteration"] <= upto)] if len(frame) else frame
    if rows.empty:
        raise NotRunError(f"{experiment}/{benchmark}")
    columns = ["regret", "minimum_regret", "initial_regret"]
    table = rows.pivot(index="run", columns="iteration", values=columns)
    regret, minimum, initial = (table[name].to_numpy(dtype=float) for name in columns)
    return regret.cumsum(1) / np.arange(1, regret.shape[1] + 1), minimum, initial[:, 0]


def _errors(results: Results) -> tuple[np.ndarray, np.ndarray]:
    """Root mean squared errors of the regression and of the network over the domain, over f's sd, (runs,) each."""
    frame = results.frame("illustration")
    if frame.empty:
        raise NotRunError("illustration")
    grid = frame[frame["part"] == "grid"]
    found = []
    for _, run in grid.groupby("run"):
        scale = run["value"].std()
        found.append([np.sqrt(np.mean((run[name] - run["value"]) ** 2)) / scale for name in ("mean", "network")])
    regression, network = np.array(found).T
    return regression, network


def _speed_up(results: Results, mode: str) -> Interval:
    frame = results.frame("wall_clock")
    ends = []
    for name in ("sequential", mode):
        rows = frame[frame["method"] == name] if len(frame) else frame
        if rows.empty:
            raise NotRunError(f"wall_clock/{name}")
        ends.append(rows.groupby("run")["finished"].max().to_numpy())
    return bootstrap_interval(tuple(ends), lambda a, b: a.mean(1) / b.mean(1), SEED)


def _reaches_zero(results: Results, experiment: str, benchmark: str) -> Check:
    """Mean minimum regret after 300 queries over the uniform points' mean regret; below 0.02."""
    _, minimum, initial = queries(results, experiment, benchmark, SHOWN)
    last = minimum[:, -1]
    interval = bootstrap_interval((last, initial), lambda a, b: a.mean(1) / b.mean(1), SEED, paired=True)
    detail = f"minimum over initial mean regret; minimum {last.mean():.3g} after {minimum.shape[1]} queries"
    return judge(interval, 0.0, upper=ZERO, detail=detail)


def _rises(results: Results, experiment: str, benchmark: str) -> Check:
    """The query at which the mean of R_m / m is highest; after the first batch."""
    average, _, _ = queries(results, experiment, benchmark, SHOWN)
    interval = bootstrap_interval(average, lambda a: a.mean(1).argmax(1) + 1.0, SEED, n=2000)
    return judge(interval, "rises first", lower=5.0, detail="query of the highest mean of R_m / m")


def _falls(results: Results, experiment: str, benchmark: str) -> Check:
    """The mean of R_m / m at the last over that at half of the queries; below 1."""
    average, _, _ = queries(results, experiment, benchmark, SHOWN)
    half = average.shape[1] // 2
    ends = average[:, -1], average[:, half - 1]
    interval = bootstrap_interval(ends, lambda a, b: a.mean(1) / b.mean(1), SEED, paired=True)
    return judge(interval, "falls", upper=1.0, detail=f"R_m / m at {average.shape[1]} over that at {half}")


def _median(values: np.ndarray) -> np.ndarray:
    return np.median(values, axis=1)
