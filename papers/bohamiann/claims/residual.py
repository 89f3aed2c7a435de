"""The shapes of the claims about residual networks (NIPS 6.3)."""

from __future__ import annotations

import numpy as np

from core.experiment.results import Results
from core.report import Check, frame_of, judge
from core.report.runs.frames import cell_rows
from core.report.statistics.bootstrap import bootstrap_interval
from core.report.verdicts.checks import NotRunError
from core.report.verdicts.shapes.shape import Method, shape
from papers.bohamiann.residual_runs import baseline_error, set_of

GOOD = 1.1  # times another error


@shape
def good_network_early(results: Results, method: Method, seed: int) -> Check:
    """After a third of its evaluations a search has an error at most a tenth above the smallest of all searches."""
    frame = frame_of(results, "resnet")
    rows = cell_rows(frame, set_of(frame), method)
    early = rows[rows["evaluation"] <= np.ceil(rows["evaluation"].max() / 3)]
    errors = early.groupby("run")["loss"].min().to_numpy() / frame["loss"].min()
    interval = bootstrap_interval(errors, lambda drawn: drawn.mean(-1), seed)
    return judge(interval, upper=GOOD, detail=f"{method}: {interval.text()} times the smallest error")


@shape
def validation_error_of_baseline(results: Results, method: Method, seed: int) -> Check:
    """The incumbents of a search end with a validation error at most that of the network tuned by hand."""
    frame = frame_of(results, "resnet")
    errors = cell_rows(frame, set_of(frame), method).groupby("run")["loss"].min().to_numpy()
    ratios = errors / baseline_error(frame_of(results, "resnet_retrained"))
    interval = bootstrap_interval(ratios, lambda drawn: drawn.mean(-1), seed)
    return judge(interval, upper=1.0, detail=f"{interval.text()} times the error of the network tuned by hand")


@shape
def test_error_of_baseline(results: Results, method: Method, seed: int) -> Check:
    """The test error of the network that a search found is at most 1.1 times that of the one tuned by hand."""
    frame = frame_of(results, "resnet_retrained")
    samples = []
    for name in (method, "original"):
        rows = frame[frame["method"] == name]
        if rows.empty:
            raise NotRunError(f"resnet_retrained/{name}")
        samples.append(rows["test_error"].to_numpy())
    interval = bootstrap_interval(tuple(samples), lambda ours, theirs: ours.mean(-1) / theirs.mean(-1), seed)
    return judge(interval, upper=GOOD, detail=f"{interval.text()} times its test error")
