"""Claims about BOHB's own settings (6.3.1, C.6), on the surrogates."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from core.experiment.results import Results
from core.report import Check, bootstrap_interval, claim, judge, open_where
from core.report.runs.time_curves import end_of, over_time
from core.report.verdicts.mean_comparisons import SEED, as_factor, cells_of, log_means, values_at
from papers.bohb.claims.comparisons import (
    CLEARLY,
    COMPARABLE,
    FIRST_ITERATIONS,
    cannot_compare,
    lower_on_surrogate,
    on_sets,
    sets_of,
)
from papers.bohb.names import ETAS, FACTORS, RANDOM_FRACTIONS, RESOLUTION, SAMPLES

ROBUST = 1 / CLEARLY  # no other value is clearly better than a robust default


@claim(
    artifact="figC_4",
    place="thesis 6.3.1, C.6, Fig C.4",
    sentence="The default number of samples works robustly on all data sets.",
)
def samples_default_is_robust(results: Results) -> Check:
    """On every set the final regret with 64 samples is less than 1.5 times the best value's."""
    return _robust(results, "samples", SAMPLES, "samples_64")


@claim(
    artifact="figC_5",
    place="thesis 6.3.1, C.6, Fig C.5",
    sentence="The default random fraction works robustly on all data sets.",
)
def random_fraction_default_is_robust(results: Results) -> Check:
    """On every set the final regret with a third of random configurations is less than 1.5 times the best value's."""
    return _robust(results, "random_fraction", RANDOM_FRACTIONS, "random_0.33")


@claim(
    artifact="figC_6", place="thesis 6.3.1, C.6, Fig C.6", sentence="The default eta works robustly on all data sets."
)
def eta_default_is_robust(results: Results) -> Check:
    """On every set the final regret with eta = 3 is less than 1.5 times the best value's."""
    return _robust(results, "eta", ETAS, "eta_3")


@claim(
    artifact="figC_7",
    place="thesis 6.3.1, C.6, Fig C.7",
    sentence="The default bandwidth factor works robustly on all data sets.",
)
def bandwidth_factor_default_is_robust(results: Results) -> Check:
    """On every set the final regret with a factor of 3 is less than 1.5 times the best value's."""
    return _robust(results, "bandwidth_factor", FACTORS, "factor_3")


@claim(artifact="figC_4", place="thesis 6.3.1, Fig C.4", sentence="BOHB is quite insensitive to the number of samples.")
def insensitive_to_samples(results: Results) -> Check:
    """On every set the final regrets with 4 to 256 samples lie within a factor of 2."""
    return _insensitive(results, "samples", SAMPLES)


@claim(artifact="figC_5", place="thesis 6.3.1, Fig C.5", sentence="BOHB is quite insensitive to the random fraction.")
def insensitive_to_random_fraction(results: Results) -> Check:
    """On every set the final regrets with a random fraction of 0 to 2/3 lie within a factor of 2."""
    return _insensitive(results, "random_fraction", RANDOM_FRACTIONS)


@claim(artifact="figC_6", place="thesis 6.3.1, C.6, Fig C.6", sentence="BOHB is quite insensitive to eta.")
def insensitive_to_eta(results: Results) -> Check:
    """On every set the final regrets with eta from 2 to 5 lie within a factor of 2."""
    return _insensitive(results, "eta", ETAS)


@claim(artifact="figC_7", place="thesis 6.3.1, Fig C.7", sentence="BOHB is quite insensitive to the bandwidth factor.")
def insensitive_to_bandwidth_factor(results: Results) -> Check:
    """On every set the final regrets with a factor of 1 to 5 lie within a factor of 2."""
    return _insensitive(results, "bandwidth_factor", FACTORS)


@claim(
    artifact="figC_7",
    place="thesis 6.3.1, Fig C.7",
    sentence="Multiplying the bandwidths improves convergence, especially in the late stages.",
)
def bandwidth_factor_helps_late(results: Results) -> Check:
    """On every set a factor of 3 ends below a factor of 1, by more than it is below after five brackets."""
    frame, names = sets_of(results, ["bandwidth_factor"])
    checks = [lower_on_surrogate(frame, name, "factor_3", "factor_1") for name in names]
    return on_sets([*checks, *(_gains_late(frame, name) for name in names)], names, "especially late")


def _robust(results: Results, experiment: str, methods: list[str], default: str) -> Check:
    """The default's final regret over that of the best value."""
    place = methods.index(default)

    def statistic(*samples: np.ndarray) -> np.ndarray:
        logs = log_means(samples, RESOLUTION)
        return logs[place] - logs.min(0)

    return _final(results, experiment, methods, statistic, ROBUST, "robust")


def _insensitive(results: Results, experiment: str, methods: list[str]) -> Check:
    """The worst value's final regret over that of the best."""
    return _final(
        results, experiment, methods, lambda *s: np.ptp(log_means(s, RESOLUTION), axis=0), COMPARABLE, "insensitive"
    )


def _final(
    results: Results,
    experiment: str,
    methods: list[str],
    statistic: Callable[..., np.ndarray],
    below: float,
    said: str,
) -> Check:
    """Check on every set that a statistic of the methods' regrets, where the first of them ends, is below a factor."""
    frame, names = sets_of(results, [experiment])
    checks = []
    for name in names:
        cells = cells_of(frame, name, methods)
        samples, at = values_at(cells)
        interval = bootstrap_interval(samples, statistic, SEED)
        detail = f"{name} at {at:.4g}: {as_factor(interval)} times the best"
        checks.append(open_where(judge(interval, said, upper=np.log10(below), detail=detail), cannot_compare(cells)))
    return on_sets(checks, names, said)


def _gains_late(frame: pd.DataFrame, name: str) -> Check:
    """The gain of a factor of 3 over 1 at the end, over that after five brackets.

    Where all runs of a cell are below the resolution at one of the times, a gain is known up to a bound only.
    """
    cells = cells_of(frame, name, ["factor_1", "factor_3"])
    times = np.array([FIRST_ITERATIONS, min(map(end_of, cells.values()))])
    samples = tuple(over_time(rows, times) for rows in cells.values())

    def statistic(one: np.ndarray, three: np.ndarray) -> np.ndarray:
        early, late = (np.subtract(*log_means((one[..., i], three[..., i]), RESOLUTION)) for i in (0, 1))
        return late - early

    interval = bootstrap_interval(samples, statistic, SEED)
    detail = f"{name}, gain at {times[1]:.4g} over that at {times[0]:.4g}: {as_factor(interval)}"
    check = judge(interval, "late", lower=0, detail=detail)
    below = any((values <= RESOLUTION).all(0).any() for values in samples)
    short = cannot_compare(cells) or cannot_compare(cells, FIRST_ITERATIONS)
    return open_where(check, short or (f"below {RESOLUTION:g}" if below else ""))
