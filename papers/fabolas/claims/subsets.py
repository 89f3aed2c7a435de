"""Claims about Gaussian processes of subset sizes: extrapolation (4.4.1), and noise (4.4.5)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from core.experiment.results import Results
from core.report import Check, all_of, bootstrap_interval, both, claim, frame_of, judge, worded
from papers.fabolas.artifacts.grid_figures import observed_noise
from papers.fabolas.claims.thesis_grid import of_thesis_grid
from papers.fabolas.grid_runs import noise_machines, share_text

SEED = 5
RESAMPLES = 1000


@claim(
    artifact="fig4_3",
    place="thesis 4.4.1",
    sentence="The kernel lets the model of the loss extrapolate to all of the data without evaluations there.",
    published="extrapolates",
)
def loss_is_extrapolated(results: Results) -> Check:
    return _extrapolated(results, "error")


@claim(
    artifact="fig4_3",
    place="thesis 4.4.1",
    sentence="The kernel lets the model of the cost extrapolate to all of the data without evaluations there.",
    published="extrapolates",
)
def cost_is_extrapolated(results: Results) -> Check:
    return _extrapolated(results, "log seconds")


@claim(
    artifact="fig4_4",
    place="thesis 4.4.5, Fig 4.4",
    sentence="The noise that a Gaussian process estimates is always larger than that of subsampling.",
    published="larger",
)
def model_noise_above_subsampling(results: Results) -> Check:
    """The mean estimate over the machines' mean variance, for each size below all of the data; above 1."""
    frame, parts = frame_of(results, "size_noise"), []
    estimates = frame.groupby("share")["noise"].mean()
    for share, noise in observed_noise(results).items():
        if share == 1 or share not in estimates.index:
            continue
        interval = bootstrap_interval(noise, lambda v, e=estimates[share]: e / v.mean(1), SEED, RESAMPLES)
        parts.append(worded(judge(interval, lower=1.0), f"s = {share_text(share)}"))
    return of_thesis_grid(all_of(parts), *noise_machines(results))


def _extrapolated(results: Results, quantity: str) -> Check:
    """The mean absolute error at s = 1 over that of the value on the largest subset of the training; below 1."""

    def on(experiment: str) -> Callable[[], Check]:
        return lambda: _of_models(frame_of(results, experiment), quantity)

    return both(on("subset_models"), on("authors_subset_models"))


def _of_models(frame: pd.DataFrame, quantity: str) -> Check:
    rows = frame[frame["quantity"] == quantity]
    keys = ["run", "machine"]
    last = rows[rows["trained"]].sort_values("share").groupby(keys)["actual"].last().rename("last")
    whole = rows[rows["share"] == 1].join(last, on=keys, how="inner")
    wrong = np.abs(whole[["mean", "last"]].to_numpy() - whole[["actual"]].to_numpy())
    interval = bootstrap_interval(wrong, lambda drawn: drawn[..., 0].mean(1) / drawn[..., 1].mean(1), SEED, RESAMPLES)
    detail = f"{len(whole)} predictions, {wrong[:, 0].mean():.3g} against {wrong[:, 1].mean():.3g}"
    return judge(interval, upper=1.0, detail=detail)
