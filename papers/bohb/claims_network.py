"""Checks of what the thesis says about the Bayesian network (6.4.3, C.9) and about the two densities (C.3).

A run's loss is a negative log-likelihood, near 3 when it is good and thousands when it is not: what is averaged over
the runs, and compared, is its logarithm. Times are multiples of 10,000 steps.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from core.experiment.results import Results
from core.report import Check, all_of, bootstrap_interval, judge
from papers.bohb.curves import frame_of, over_time, rows_of
from papers.bohb.measures import SEED, described, end_of

SETS = ("bnn_boston", "bnn_protein")
EARLY, CAUGHT_UP = 3, 1.02  # a bracket; a share above which a loss counts as worse


def hyperband_starts_ahead_of_tpe_on_networks(results: Results) -> Check:
    """After one bracket Hyperband's loss is below TPE's, on both sets."""
    frame = frame_of(results, "bayesian_network")
    return all_of([_lower(frame, name, "hyperband", "tpe", EARLY) for name in SETS], "both sets")


def tpe_catches_up_on_networks(results: Results) -> Check:
    """At the end TPE's loss is at most 2% above Hyperband's, on both sets."""
    frame = frame_of(results, "bayesian_network")
    return all_of([_lower(frame, name, "tpe", "hyperband", margin=CAUGHT_UP) for name in SETS], "caught up")


def bohb_converges_fastest_on_networks(results: Results) -> Check:
    """At half of the time BOHB's loss is below Hyperband's and TPE's, on both sets."""
    frame = frame_of(results, "bayesian_network")
    checks = []
    for name in SETS:
        half = end_of(rows_of(frame, name, "bohb")) / 2
        checks += [_lower(frame, name, "bohb", other, half) for other in ("hyperband", "tpe")]
    return all_of(checks, "faster than both")


def bohb_ends_best_on_boston(results: Results) -> Check:
    """On Boston housing BOHB ends below random search, TPE and Hyperband."""
    frame = frame_of(results, "bayesian_network")
    return all_of([_lower(frame, "bnn_boston", "bohb", other) for other in ("random", "tpe", "hyperband")], "best")


def kernels_follow_the_correlation(results: Results) -> Check:
    """The density with factorised kernels is higher at fresh points than the factorised one, for both distributions."""
    frame = frame_of(results, "densities")
    scores = frame[frame["part"] == "score"]
    checks = []
    for name in ("gaussian", "mixture"):
        kernel, pdf = (
            rows_of(scores, name, method).sort_values("run")["value"].to_numpy(float)
            for method in ("factorised_kernel", "factorised_pdf")
        )
        interval = bootstrap_interval(kernel - pdf, lambda a: a.mean(1), SEED)
        detail = f"{name}: {interval.estimate:+.2f} [{interval.low:.2f}, {interval.high:.2f}] nats"
        checks.append(judge(interval, "better", lower=0, detail=detail))
    return all_of(checks, "both")


def _lower(
    frame: pd.DataFrame, benchmark: str, better: str, worse: str, time: float | None = None, margin: float = 1.0
) -> Check:
    """The mean logarithm of the loss of `better` is below that of `worse` times the margin."""
    cells = [rows_of(frame, benchmark, method) for method in (worse, better)]
    at = np.array([min(map(end_of, cells)) if time is None else time])
    samples = tuple(np.log10(over_time(rows, at, "loss")[:, 0]) for rows in cells)
    interval = bootstrap_interval(samples, lambda a, b: a.mean(1) - b.mean(1), SEED)
    detail = f"{benchmark}, {worse} over {better}: {described(interval)}"
    return judge(interval, "below", lower=-np.log10(margin), detail=detail)
