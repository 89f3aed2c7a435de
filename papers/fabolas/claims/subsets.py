"""Claims about subset sizes: extrapolation to all of the data (4.4.1), the shape of the table, and noise (4.4.5)."""

from __future__ import annotations

from typing import Literal

import numpy as np

from core.experiment.results import Results
from core.report import Check, all_of, bootstrap_interval, claim, frame_of, judge, worded
from core.report.runs.trajectories import SMALLEST
from core.report.verdicts.shapes.shape import Experiment, shape
from papers.fabolas.artifacts.grid_figures import observed_noise
from papers.fabolas.claims.thesis_grid import of_thesis_grid
from papers.fabolas.grid_runs import noise_machines, share_text

SEEDS = {"noise": 4, "models": 5}
RESAMPLES = 1000


@shape
def error_of_extrapolation(
    results: Results, experiment: Experiment, quantity: Literal["error", "log seconds"], below: float
) -> Check:
    """The mean absolute error at s = 1 over that of the value on the largest training subset is below a limit."""
    frame = frame_of(results, experiment)
    rows, keys = frame[frame["quantity"] == quantity], ["run", "machine"]
    last = rows[rows["trained"]].sort_values("share").groupby(keys)["actual"].last().rename("last")
    whole = rows[rows["share"] == 1].join(last, on=keys, how="inner")
    wrong = np.abs(whole[["mean", "last"]].to_numpy() - whole[["actual"]].to_numpy())

    def ratio(drawn: np.ndarray) -> np.ndarray:
        return drawn[..., 0].mean(1) / drawn[..., 1].mean(1)

    detail = f"{len(whole)} predictions, {wrong[:, 0].mean():.3g} against {wrong[:, 1].mean():.3g}"
    return judge(bootstrap_interval(wrong, ratio, SEEDS["models"], RESAMPLES), upper=below, detail=detail)


@claim(
    artifact="fig4_4",
    place="thesis 4.4.5, Fig 4.4",
    sentence="The noise of subsampling decreases as the subset grows.",
    published="decreases",
)
def noise_decreases(results: Results) -> Check:
    """The slope of the logarithm of the mean variance over the machines against that of the size; below 0."""
    noise = {share: values for share, values in observed_noise(results).items() if share < 1}
    x = np.log2(list(noise)) - np.log2(list(noise)).mean()

    def slope(drawn: np.ndarray) -> np.ndarray:
        return np.log2(np.maximum(drawn.mean(1), SMALLEST)) @ x / (x @ x)

    interval = bootstrap_interval(np.stack(list(noise.values()), axis=1), slope, SEEDS["noise"], RESAMPLES)
    sizes = f"s = {share_text(min(noise))} to {share_text(max(noise))}, exponent"
    return of_thesis_grid(judge(interval, upper=0.0, detail=sizes), *noise_machines(results))


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
        interval = bootstrap_interval(noise, lambda v, e=estimates[share]: e / v.mean(1), SEEDS["models"], RESAMPLES)
        parts.append(worded(judge(interval, lower=1.0), f"s = {share_text(share)}"))
    return of_thesis_grid(all_of(parts), *noise_machines(results))
