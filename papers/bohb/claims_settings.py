"""Checks of what the thesis says about parallel workers (Figs 6.1, C.3; C.5) and BOHB's own settings (C.6)."""

from __future__ import annotations

import numpy as np
import pandas as pd

from core.experiment.results import Results
from core.report import Check, NotRunError, all_of, bootstrap_interval, judge
from core.report.trajectories import SMALLEST
from papers.bohb.ablation_figures import ETAS, FACTORS, RANDOM_FRACTIONS, SAMPLES
from papers.bohb.curves import frame_of, over_time, rows_of
from papers.bohb.measures import SEED, described, end_of, faster, lower_than
from papers.bohb.surrogate_figures import LABELS

LINEAR = 0.7  # of the number of workers: a speed-up above it is "almost linear"
ROBUST, INSENSITIVE = 2.0, 3.0  # factors of the final regret


def thirty_two_workers_are_15_times_faster(results: Results) -> Check:
    """On letter 32 workers reach a regret of 0.01 between 10 and 22.5 times sooner than one."""
    frame = _frame(results, "workers")
    return faster(frame, "letter", "workers_1", "workers_32", 1e-2, (10.0, 22.5), "about 15")


def two_and_four_workers_are_almost_linear(results: Results) -> Check:
    """On letter 2 and 4 workers reach a regret of 0.01 more than 0.7 times as many times sooner."""
    frame = _frame(results, "workers")
    return all_of([_almost_linear(frame, "letter", workers, 1e-2) for workers in (2, 4)], "close to linear")


def more_workers_are_sublinear(results: Results) -> Check:
    """On letter the speed-up of 32 workers at a regret of 0.01 is below 0.7 times 32."""
    frame = _frame(results, "workers")
    return faster(frame, "letter", "workers_1", "workers_32", 1e-2, (1.0, LINEAR * 32), "sublinear")


def up_to_eight_workers_are_almost_linear(results: Results) -> Check:
    """On every set 2 to 8 workers are almost linear, at the regret that one worker has after a quarter of its time."""
    frame = _frame(results, "workers")
    names = [name for name in LABELS if name in set(frame["benchmark"])]
    return all_of(
        [_almost_linear(frame, name, workers, "quarter") for name in names for workers in (2, 4, 8)], "all sets"
    )


def thirty_two_workers_are_linear_on_letter(results: Results) -> Check:
    """On letter 32 workers are almost linear at a regret of 0.002."""
    return _almost_linear(_frame(results, "workers"), "letter", 32, 2e-3)


def samples_default_is_robust(results: Results) -> Check:
    """On every set the final regret with 64 samples is less than twice the best value's."""
    return _robust(_frame(results, "samples"), SAMPLES, "samples_64")


def random_fraction_default_is_robust(results: Results) -> Check:
    """On every set the final regret with a third of random configurations is less than twice the best value's."""
    return _robust(_frame(results, "random_fraction"), RANDOM_FRACTIONS, "random_0.33")


def eta_default_is_robust(results: Results) -> Check:
    """On every set the final regret with eta = 3 is less than twice the best value's."""
    return _robust(_frame(results, "eta"), ETAS, "eta_3")


def insensitive_to_eta(results: Results) -> Check:
    """On every set the final regrets with eta from 2 to 5 lie within a factor of 3."""
    frame = _frame(results, "eta")
    return all_of([_worst_over_best(frame, name, ETAS) for name in _sets(frame)], "quite insensitive")


def bandwidth_factor_default_is_robust(results: Results) -> Check:
    """On every set the final regret with a factor of 3 is less than twice the best value's."""
    return _robust(_frame(results, "bandwidth_factor"), FACTORS, "factor_3")


def bandwidth_factor_helps_late(results: Results) -> Check:
    """On every set a factor of 3 ends below a factor of 1."""
    frame = _frame(results, "bandwidth_factor")
    return all_of([lower_than(frame, name, "factor_3", "factor_1") for name in _sets(frame)], "improves convergence")


def _frame(results: Results, experiment: str) -> pd.DataFrame:
    frame = frame_of(results, experiment)
    if not _sets(frame):
        raise NotRunError(experiment)
    return frame


def _sets(frame: pd.DataFrame) -> list[str]:
    return [name for name in LABELS if name in set(frame["benchmark"])]


def _almost_linear(frame: pd.DataFrame, benchmark: str, workers: int, level: float | str) -> Check:
    between = (LINEAR * workers, np.inf)
    return faster(frame, benchmark, "workers_1", f"workers_{workers}", level, between, "almost linear")


def _final(frame: pd.DataFrame, benchmark: str, methods: list[str]) -> tuple[np.ndarray, ...]:
    """Regrets at the common end of all methods, (runs,) each."""
    cells = [rows_of(frame, benchmark, method) for method in methods]
    end = np.array([min(map(end_of, cells))])
    return tuple(over_time(rows, end)[:, 0] for rows in cells)


def _log_means(samples: tuple[np.ndarray, ...]) -> np.ndarray:
    return np.log10(np.maximum([values.mean(1) for values in samples], SMALLEST))


def _robust(frame: pd.DataFrame, methods: list[str], default: str) -> Check:
    place = methods.index(default)
    checks = []
    for name in _sets(frame):
        final = _final(frame, name, methods)
        interval = bootstrap_interval(final, lambda *s: _log_means(s)[place] - _log_means(s).min(0), SEED)
        detail = f"{name}: {described(interval)} times the best"
        checks.append(judge(interval, "robust", upper=np.log10(ROBUST), detail=detail))
    return all_of(checks, "robust")


def _worst_over_best(frame: pd.DataFrame, name: str, methods: list[str]) -> Check:
    interval = bootstrap_interval(_final(frame, name, methods), lambda *s: np.ptp(_log_means(s), axis=0), SEED)
    return judge(interval, "insensitive", upper=np.log10(INSENSITIVE), detail=f"{name}: {described(interval)}")
