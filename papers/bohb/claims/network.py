"""Claims about the Bayesian network (6.4.3, C.9) and about the two density estimates (C.3).

A run's loss is a negative log-likelihood, near 3 when it is good and up to a million, the loss of a failure, when it is
not: what is compared, and drawn, is the median over the runs. Times are multiples of 10,000 steps.
"""

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
    frame_of,
    judge,
    open_where,
    pending,
    worded,
)
from core.report.statistics.reductions import mean
from core.report.verdicts.mean_comparisons import SEED, cells_of, values_at
from core.report.verdicts.speedups import Pair, judge_known, speedup
from papers.bohb.claims.comparisons import before_the_model, cannot_compare

SETS = ("bnn_boston", "bnn_protein")
EARLY, QUICKLY = 3, 10  # a bracket; a tenth of our run at the paper's scale
CAUGHT_UP = 0.1  # nats: a loss that exceeds another by more is worse


@claim(
    artifact="figC_10",
    place="thesis 6.4.3, Fig C.10",
    sentence="Hyperband initially performs better than TPE on the Bayesian network.",
)
def hyperband_starts_ahead_of_tpe_on_networks(results: Results) -> Check:
    """After one bracket Hyperband's loss is below TPE's, on both sets."""
    frame = frame_of(results, "bayesian_network")
    return all_of(_on_sets(frame, lambda name: [_lower(frame, name, "hyperband", "tpe", EARLY)]), "both sets")


@claim(artifact="figC_10", place="thesis 6.4.3, Fig C.10", sentence="Given enough time TPE catches up with Hyperband.")
def tpe_catches_up_on_networks(results: Results) -> Check:
    """At the end TPE's loss is at most 0.1 above Hyperband's, on both sets."""
    frame = frame_of(results, "bayesian_network")
    checks = _on_sets(frame, lambda name: [_lower(frame, name, "tpe", "hyperband", margin=CAUGHT_UP)])
    return all_of(checks, "caught up")


@claim(
    artifact="figC_10",
    place="thesis 6.4.3, Fig C.10",
    sentence="BOHB reaches Hyperband's and TPE's final losses sooner than they do.",
)
def bohb_converges_fastest_on_networks(results: Results) -> Check:
    frame = frame_of(results, "bayesian_network")
    checks = _on_sets(frame, lambda name: [_sooner(frame, name, other) for other in ("hyperband", "tpe")])
    return all_of(checks, "faster than both")


@claim(artifact="fig6_5", place="thesis Fig 6.5, caption", sentence="BOHB is soon ahead of both TPE and Hyperband.")
def bohb_quickly_ahead_on_networks(results: Results) -> Check:
    """On Boston housing, which we show in Fig 6.5, BOHB is below TPE and Hyperband after ten full evaluations."""
    frame = frame_of(results, "bayesian_network")
    return all_of([_lower(frame, "bnn_boston", "bohb", other, QUICKLY) for other in ("tpe", "hyperband")], "quickly")


@claim(
    artifact="fig6_5",
    place="thesis 6.4.3, Fig 6.5",
    sentence="On Boston housing BOHB finds a better configuration than the other methods.",
)
def bohb_ends_best_on_boston(results: Results) -> Check:
    """On Boston housing BOHB ends below random search, TPE and Hyperband."""
    frame = frame_of(results, "bayesian_network")
    return all_of([_lower(frame, "bnn_boston", "bohb", other) for other in ("random", "tpe", "hyperband")], "best")


@claim(
    artifact="figC_1",
    place="thesis C.3, Fig C.1",
    kind="shape",
    sentence="A density with factorized kernels follows correlations that a factorized density misses.",
)
def kernels_follow_the_correlation(results: Results) -> Check:
    """The density with factorized kernels is higher at fresh points than the factorized one, for both distributions."""
    frame = frame_of(results, "densities")
    scores = frame[frame["part"] == "score"]
    checks = []
    for name in ("gaussian", "mixture"):
        kernel, pdf = (
            cell_rows(scores, name, method).sort_values("run")["value"].to_numpy(float)
            for method in ("factorised_kernel", "factorised_pdf")
        )
        interval = bootstrap_interval(kernel - pdf, mean, SEED)
        checks.append(judge(interval, "better", lower=0, detail=f"{name}: {interval.text('+.2f')} nats"))
    return all_of(checks, "both")


def _on_sets(frame: pd.DataFrame, checks: Callable[[str], list[Check]]) -> list[Check]:
    """The checks of each set; one that was not run leaves the claim open."""
    ran = set(frame["benchmark"].unique())
    return [each for name in SETS for each in (checks(name) if name in ran else [pending(name)])]


def _lower(
    frame: pd.DataFrame, benchmark: str, better: str, worse: str, time: float | None = None, margin: float = 0.0
) -> Check:
    """Check that the median loss of `better` exceeds that of `worse` by less than the margin."""
    cells = cells_of(frame, benchmark, [worse, better])
    samples, at = values_at(cells, time, "loss")
    interval = bootstrap_interval(samples, lambda a, b: np.median(a, axis=1) - np.median(b, axis=1), SEED)
    check = judge(interval, "below", lower=-margin)
    check = worded(check, f"{benchmark}, {worse} less {better} at {at:.4g}", "+.3g")
    return open_where(check, cannot_compare(cells, time))


def _sooner(frame: pd.DataFrame, benchmark: str, other: str) -> Check:
    """Check that BOHB reaches the other method's final loss sooner."""
    found = speedup(Pair.of(frame, benchmark, other, "bohb", "end", "loss", np.median))
    check = judge_known(found, "sooner", (1.0, np.inf), f"{benchmark}, factor by which BOHB is faster than {other}: ")
    return open_where(check, before_the_model(cells_of(frame, benchmark, [other])))
