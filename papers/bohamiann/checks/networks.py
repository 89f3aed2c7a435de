"""Residual networks (NIPS 6.3), and agents of deep deterministic policy gradient (NIPS 6.4)."""

from __future__ import annotations

import numpy as np
import pandas as pd

from core.experiment.results import Results
from core.report import Check, NotRunError, bootstrap_interval, frame_of, judge, rows_of
from core.report.runs.frames import cell_rows, shown_set
from core.report.statistics.intervals import mean, mean_difference, mean_ratio
from core.report.verdicts.mean_comparisons import as_factor
from core.report.verdicts.shapes.shape import Benchmark, Method, shape

GOOD = 1.1  # times another error
IMAGES = "cifar10"


@shape
def good_network_early(results: Results, method: Method, seed: int) -> Check:
    """After a third of its evaluations a search has an error at most a tenth above the smallest of all searches."""
    frame = frame_of(results, "resnet")
    rows = cell_rows(frame, shown_set(frame, IMAGES), method)
    early = rows[rows["evaluation"] <= np.ceil(rows["evaluation"].max() / 3)]
    errors = early.groupby("run")["loss"].min().to_numpy() / frame["loss"].min()
    interval = bootstrap_interval(errors, mean, seed)
    return judge(interval, upper=GOOD, detail=f"{method}: {interval.text()} times the smallest error")


@shape
def validation_error_of_baseline(results: Results, method: Method, seed: int) -> Check:
    """The incumbents of a search end with a validation error at most that of the network tuned by hand."""
    frame = frame_of(results, "resnet")
    errors = cell_rows(frame, shown_set(frame, IMAGES), method).groupby("run")["loss"].min().to_numpy()
    ratios = errors / baseline_error(frame_of(results, "resnet_retrained"))
    interval = bootstrap_interval(ratios, mean, seed)
    return judge(interval, upper=1.0, detail=f"{interval.text()} times the error of the network tuned by hand")


@shape
def test_error_of_baseline(results: Results, method: Method, seed: int) -> Check:
    """The test error of the network that a search found is at most 1.1 times that of the one tuned by hand."""
    rows = (rows_of(results, "resnet_retrained", method=name) for name in (method, "original"))
    interval = bootstrap_interval(tuple(each["test_error"] for each in rows), mean_ratio, seed)
    return judge(interval, upper=GOOD, detail=f"{interval.text()} times its test error")


def baseline_error(networks: pd.DataFrame) -> float:
    """The mean validation error of ResNet-32 with He et al.'s hyperparameters.

    Raises:
        NotRunError: it was not trained.
    """
    rows = networks[networks["method"] == "original"]
    if rows.empty:
        raise NotRunError("resnet_retrained/original")
    return float(rows["validation_error"].mean())


@shape
def fewer_training_episodes(
    results: Results, benchmark: Benchmark, better: Method, worse: Method, seed: int, factor: float = 1.0
) -> Check:
    """Agents of one method learn in fewer episodes than another's, by a factor or more."""
    frame = frame_of(results, "control_agents")
    return _fewer(frame, benchmark, better, worse, seed, factor, "episodes")


@shape
def fewer_episodes_found(results: Results, benchmark: Benchmark, better: Method, worse: Method, seed: int) -> Check:
    """The incumbents of one search end with fewer episodes than another's."""
    return _fewer(frame_of(results, "control"), benchmark, better, worse, seed, 1.0, "loss")


def _fewer(
    frame: pd.DataFrame, benchmark: str, better: str, worse: str, seed: int, factor: float, metric: str
) -> Check:
    samples = tuple(
        np.log10(cell_rows(frame, benchmark, method).groupby("run")[metric].min().to_numpy(dtype=float))
        for method in (better, worse)
    )
    interval = bootstrap_interval(samples, mean_difference, seed)
    detail = f"{better} needs {as_factor(interval)} times as many episodes as {worse}"
    return judge(interval, upper=-np.log10(factor), detail=detail)
