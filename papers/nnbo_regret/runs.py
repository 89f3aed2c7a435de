"""The recorded runs as arrays: regrets over the queries, and the `Paths` of martingale.py from `hartmann` and `line`.

This module alone knows columns and signs. Records are of the maximized f; with the posterior before a query,

    regret = f(x*) - f(x_i),   mu_query = mu_i(x_i),   mu_optimum = mu_i(x*),   variance = V_i (Eq. 17).
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from core.experiment.results import Results
from core.report.runs.frames import NotRunError, once
from papers.nnbo_regret.martingale import Paths

EXPERIMENTS = {"hartmann4_rescaled": "hartmann", "gaussian_process": "line", "brofos_quartic": "line"}
"""Where the runs on each benchmark of the theorem are recorded."""

METHOD = "least_squares"
"""The method of the authors' code; the others are variants of it."""

THRESHOLD = 0.7
"""eps of Fig 3, in the units of f."""

LABELS = {"gaussian_mixture": "Gaussian mixture, 2-d", "hartmann4_rescaled": "Hartmann, 4-d"}
SHOWN = 300
"""Number of queries in Fig 2."""


def queries(
    results: Results, experiment: str, benchmark: str, upto: int, method: str = METHOD
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Average regret R_m / m and minimum regret Q_m up to a query, (runs, m) each; mean initial regret (runs,).

    Raises:
        NotRunError: the benchmark was not run with this method.
    """
    rows = frame = results.frame(experiment)
    if len(frame):
        rows = frame[(frame["benchmark"] == benchmark) & (frame["method"] == method) & (frame["evaluation"] <= upto)]
    if rows.empty:
        raise NotRunError(f"{experiment}/{benchmark}/{method}")
    columns = ["regret", "minimum_regret", "initial_regret"]
    table = rows.pivot(index="run", columns="evaluation", values=columns)
    regret, minimum, initial = (table[name].to_numpy(dtype=float) for name in columns)
    return regret.cumsum(1) / np.arange(1, regret.shape[1] + 1), minimum, initial[:, 0]


@once
def recorded_paths(results: Results, benchmark: str, method: str = METHOD) -> Paths:
    """The runs on one benchmark, failed ones left out.

    Raises:
        NotRunError: the benchmark was not run with this method.
    """
    regret, mu_query, mu_optimum, variance = _columns(
        results, benchmark, method, "regret", "mu_query", "mu_optimum", "variance"
    )
    return Paths(regret, mu_optimum - mu_query, np.maximum(variance, 0))  # rounding may end just below zero


@once
def recorded_batches(results: Results, benchmark: str, method: str = METHOD) -> tuple[np.ndarray, np.ndarray]:
    """The batch of each query, from 1, and its number of observations, (n,) each; a batch shares one posterior."""
    batch, observations = _columns(results, benchmark, method, "batch", "observations")
    return batch[0].astype(int), observations[0].astype(int)


@once
def average_with_initial(results: Results, benchmark: str, method: str = METHOD) -> np.ndarray:
    """The average regret with the initial design counted as queries, (initial regrets + R_n) / (initial + n)."""
    regret, initial_regret, observations = _columns(
        results, benchmark, method, "regret", "initial_regret", "observations"
    )
    initial = observations[:, :1]
    queries = np.arange(1, regret.shape[1] + 1)
    return (initial * initial_regret + regret.cumsum(1)) / (initial + queries)


def _columns(results: Results, benchmark: str, method: str, *names: str) -> list[np.ndarray]:
    """Each column as (runs, n) in double precision; n is the number of queries that all runs have."""
    frame = results.frame(EXPERIMENTS[benchmark])
    rows = frame[(frame["benchmark"] == benchmark) & (frame["method"] == method)] if len(frame) else frame
    rows = rows[~rows["run"].isin(rows.loc[rows["status"] == "failed", "run"])]
    if rows.empty:
        raise NotRunError(f"{EXPERIMENTS[benchmark]}/{benchmark}/{method}")
    table = rows.pivot(index="run", columns="evaluation", values=list(names)).sort_index(axis=1)
    shared = pd.concat([table[name].notna().all() for name in names], axis=1).all(axis=1)
    return [table[name].loc[:, shared].to_numpy(dtype=float) for name in names]
