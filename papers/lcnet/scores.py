"""How good the predictions of learning curves are, curve by curve: squared errors and log-likelihoods."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.experiment.results import Results
from core.report import NotRunError
from core.report.runs.memo import once
from papers.lcnet.curve_sets import curve_sets

GLOBAL = ("lcnet", "lcnet_ours", "bnn", "forest", "freeze_thaw")
"""Models that learn from all curves."""
LOCAL = ("lc_extrapolation", "decaying_gp", "last_seen_value")
"""Models of single curves."""


@once
def partial_scores(results: Results) -> pd.DataFrame:
    """Predictions from the first epochs (5.4.2) with their `truth`, `squared` error, `log_likelihood` and `share` seen.

    Raises:
        NotRunError: there are none.
    """
    parts = [results.frame(name) for name in ("partial", "partial_once")]
    return _scored(results, pd.concat([part for part in parts if len(part)] or parts, ignore_index=True), "partial")


@once
def unobserved_scores(results: Results) -> pd.DataFrame:
    """The same for curves of which nothing was observed (5.4.3), without the share.

    Raises:
        NotRunError: there are none.
    """
    return _scored(results, results.frame("unobserved"), "unobserved")


def last_epoch(scores: pd.DataFrame) -> pd.DataFrame:
    """The rows about the value after the last epoch."""
    return scores[scores["epoch"] == scores["epochs"]]


def by_curve(scores: pd.DataFrame, method: str, column: str) -> pd.Series:
    """A score of a method by curve, averaged over the runs; the rows are of one set and one share."""
    return scores[scores["method"] == method].groupby("number")[column].mean()


def paired(scores: pd.DataFrame, methods: tuple[str, str], column: str) -> tuple[NDArray[np.float64], ...]:
    """Scores of two methods on the curves that both predicted, (n,) each."""
    both = pd.concat([by_curve(scores, method, column) for method in methods], axis=1, join="inner")
    return tuple(both.to_numpy().T)


def _scored(results: Results, frame: pd.DataFrame, experiment: str) -> pd.DataFrame:
    sets = curve_sets(results)
    parts = []
    for name, rows in frame.groupby("benchmark", sort=False) if len(frame) else ():
        if name not in sets:
            continue
        finished = sets[str(name)].finished().curves
        truth = finished[rows["number"], rows["epoch"] - 1]
        squared = (rows["mean"] - truth) ** 2
        likelihood = -0.5 * (np.log(2 * np.pi * rows["variance"]) + squared / rows["variance"])
        scored = rows.assign(truth=truth, squared=squared, log_likelihood=likelihood, epochs=finished.shape[1])
        parts.append(scored.assign(share=rows["observed"] / finished.shape[1]) if "observed" in rows else scored)
    if not parts:
        raise NotRunError(experiment)
    return pd.concat(parts, ignore_index=True)
