"""Claims about the toys of chapter 3 (Figs 3.1 and 3.2)."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pandas as pd

from core.experiment.results import Results
from core.report import Check, all_of, bootstrap_interval, claim, judge, rows_of, worded
from core.report.statistics.reductions import mean, mean_difference
from core.report.verdicts.shapes.shape import Method, shape
from papers.bohamiann.mixture_modes import VISIT, smaller_mode_share

SEED = 2016
VARIATIONAL = ("bayes_by_backprop", "mc_dropout", "pbp")
NOMINAL = 0.95  # the share that two standard deviations hold where the uncertainty is right


@claim(
    artifact="fig3_1",
    place="thesis 3.3 and Fig 3.1, bottom right",
    sentence="SGHMC represents the uncertainty of the model more faithfully than the three other approximations.",
    published="3 of 3",
)
def sghmc_is_most_faithful(results: Results) -> Check:
    """Log-density of the function under the prediction, mean over the grid: SGHMC's is above that of each other method.

    The score counts both what the thesis finds in the others: a bad fit, and bands that miss the function.
    """
    ours = _log_density(results, "sghmc")
    outside, inside = _sinc_sd(results, "sghmc")
    checks = []
    for name in VARIATIONAL:
        interval = bootstrap_interval((ours, _log_density(results, name)), mean_difference, SEED, paired=True)
        checks.append(worded(judge(interval, lower=0.0), f"SGHMC against {name}, nats", "+.3g"))
    return all_of(checks, f"SGHMC's sd away from the data is {(outside / inside).mean():.3g} times that there")


@claim(
    artifact="fig3_1",
    place="thesis 3.3 and Fig 3.1",
    kind="shape",
    sentence="The three other approximations underfit, or predict too little uncertainty away from the data.",
    published="3 of 3",
)
def others_overconfident_or_underfit(results: Results) -> Check:
    """Each has an RMSE above 0.1 at the data, or two standard deviations that hold less than 95% beyond the data."""
    checks = []
    for name in VARIATIONAL:
        error = bootstrap_interval(_sinc_error(results, name), mean, SEED)
        underfits = worded(judge(error, lower=0.1), f"{name}: RMSE at the data")
        share = bootstrap_interval(_covered_outside(results, name), mean, SEED)
        narrow = worded(judge(share, upper=NOMINAL), f"{name}: share within two sd away from the data")
        checks.append(underfits if underfits.holds == "holds" else narrow)
    return all_of(checks, f"SGHMC's share {_covered_outside(results, 'sghmc').mean():.2g}")


@shape
def most_chains(results: Results, method: Method, visit: Literal["one mode", "both modes"]) -> Check:
    """More than half of the chains visit one mode alone, or both.

    A mode is visited if a chain spends at least 1% of the sampling phase there. Counted by the authors' notebook; the
    detail has the share by the text's equations.
    """
    frame = results.frame("mixture")
    by_notebook, by_text = (
        (smaller_mode_share(frame, name) >= VISIT) == (visit == "both modes") for name in (method, f"{method}_text")
    )
    interval = bootstrap_interval(by_notebook, mean, SEED)
    detail = (
        f"share of chains that visit {visit}; with the text's equations and our start and priors {by_text.mean():.2g}"
    )
    return judge(interval, lower=0.5, detail=detail)


def _log_density(results: Results, method: str) -> np.ndarray:
    """Log-density of the function under the normal prediction, mean over the grid, (runs,)."""
    scores = []
    for _, rows in rows_of(results, "sinc", method=method, part="grid").groupby("run"):
        z = (np.sinc(10 * rows["x"] - 5) - rows["mean"]) / rows["sd"]
        scores.append((-0.5 * z**2 - np.log(rows["sd"]) - 0.5 * np.log(2 * np.pi)).mean())
    return np.array(scores)


def _covered_outside(results: Results, method: str) -> np.ndarray:
    """Share of the grid beyond the observations where the function is within two sd of the mean, (runs,)."""
    grid, data = (rows_of(results, "sinc", method=method, part=part) for part in ("grid", "data"))
    shares = []
    for run, rows in grid.groupby("run"):
        beyond = _beyond(rows, data[data["run"] == run])
        within = (np.sinc(10 * rows["x"] - 5) - rows["mean"]).abs() <= 2 * rows["sd"]
        shares.append(within[beyond].mean())
    return np.array(shares)


def _beyond(rows: pd.DataFrame, data: pd.DataFrame) -> pd.Series:
    """Which rows of a grid lie outside the interval that the observations span."""
    return ~rows["x"].between(data["x"].min(), data["x"].max())


def _sinc_sd(results: Results, method: str) -> tuple[np.ndarray, np.ndarray]:
    """Mean predictive sd outside the interval that the observations span, and at the grid points nearest to them."""
    grid, data = (rows_of(results, "sinc", method=method, part=part) for part in ("grid", "data"))
    outside, inside = [], []
    for run, rows in grid.groupby("run"):
        x = data.loc[data["run"] == run, "x"].to_numpy()
        places = rows["x"].to_numpy()
        near = np.abs(places[:, None] - x[None, :]).argmin(0)
        outside.append(rows.loc[_beyond(rows, data[data["run"] == run]), "sd"].mean())
        inside.append(rows["sd"].to_numpy()[near].mean())
    return np.array(outside), np.array(inside)


def _sinc_error(results: Results, method: str) -> np.ndarray:
    """RMSE of the predictive mean at the observations, interpolated on the grid, (runs,)."""
    grid, data = (rows_of(results, "sinc", method=method, part=part) for part in ("grid", "data"))
    errors = []
    for run, rows in grid.groupby("run"):
        seen = data[data["run"] == run]
        predicted = np.interp(seen["x"], rows["x"], rows["mean"])
        errors.append(np.sqrt(np.mean((predicted - seen["mean"]) ** 2)))
    return np.array(errors)
