"""Claims about the toys of chapter 3 (Figs 3.1 and 3.2)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from core.experiment.results import Results
from core.report import Check, all_of, bootstrap_interval, claim, judge, rows_of
from core.report.statistics import mean, mean_ratio
from papers.bohamiann.mixture_modes import VISIT, smaller_mode_share

SEED = 2016
VARIATIONAL = ("bayes_by_backprop", "mc_dropout", "pbp")


@claim(
    artifact="fig3_1",
    place="thesis Fig 3.1, bottom right",
    kind="shape",
    sentence="SGHMC's predictive standard deviation grows away from the data.",
)
def sghmc_uncertain_away_from_data(results: Results) -> Check:
    """SGHMC's mean predictive sd outside the data over that at the data; above 3."""
    outside, inside = _sinc_sd(results, "sghmc")
    interval = bootstrap_interval((outside, inside), mean_ratio, SEED, paired=True)
    return judge(interval, "grows away from the data", lower=3.0, detail="sd outside over sd at the data")


@claim(
    artifact="fig3_1",
    place="thesis 3.3 and Fig 3.1",
    kind="shape",
    sentence="The three other approximations underfit, or are less uncertain than SGHMC away from the data.",
)
def others_overconfident_or_underfit(results: Results) -> Check:
    """Each of the other methods underfits (RMSE at the data above 0.1) or is less uncertain outside than SGHMC."""
    reference, _ = _sinc_sd(results, "sghmc")
    checks = []
    for name in VARIATIONAL:
        error = _sinc_error(results, name)
        underfits = judge(
            bootstrap_interval(error, mean, SEED), "", lower=0.1, detail=f"{name}: RMSE {error.mean():.2g}"
        )
        outside, _ = _sinc_sd(results, name)
        interval = bootstrap_interval((outside, reference), mean_ratio, SEED, paired=True)
        narrow = judge(interval, "", upper=1.0, detail=f"{name}: sd outside {interval.estimate:.2g} of SGHMC's")
        checks.append(underfits if underfits.holds == "holds" else narrow)
    return all_of(checks, "3 of 3")


@claim(
    artifact="fig3_2",
    place="thesis 3.5.1",
    sentence="At a step length of 0.01 SGHMC makes too little progress and stays in one mode.",
)
def sghmc_stays_in_one_mode(results: Results) -> Check:
    """Share of chains that spend less than 1% of the sampling phase in one of the modes, above one half."""
    return _most_chains(results, "sghmc", "one chain, stuck", "stuck chains", lambda share: share < VISIT)


@claim(
    artifact="fig3_2", place="thesis 3.5.1", sentence="At the same step length the adaptive sampler visits both modes."
)
def adaptive_visits_both_modes(results: Results) -> Check:
    """Share of chains that spend at least 1% of the sampling phase in each mode, above one half."""
    return _most_chains(results, "adaptive_sghmc", "one chain, both", "such chains", lambda share: share >= VISIT)


def _most_chains(
    results: Results, method: str, published: str, words: str, counts: Callable[[np.ndarray], np.ndarray]
) -> Check:
    """The share of chains that count, by the authors' notebook; the detail has that by the text's equations."""
    frame = results.frame("mixture")
    interval = bootstrap_interval(counts(smaller_mode_share(frame, method)), mean, SEED)
    text = counts(smaller_mode_share(frame, f"{method}_text")).mean()
    detail = f"share of {words}; with the text's equations and our start and priors {text:.2g}"
    return judge(interval, published, lower=0.5, detail=detail)


def _sinc_sd(results: Results, method: str) -> tuple[np.ndarray, np.ndarray]:
    """Mean predictive sd outside the interval that the observations span, and at the grid points nearest to them."""
    grid, data = (rows_of(results, "sinc", method=method, part=part) for part in ("grid", "data"))
    outside, inside = [], []
    for run, rows in grid.groupby("run"):
        x = data.loc[data["run"] == run, "x"].to_numpy()
        places = rows["x"].to_numpy()
        beyond = (places < x.min()) | (places > x.max())
        near = np.abs(places[:, None] - x[None, :]).argmin(0)
        outside.append(rows["sd"].to_numpy()[beyond].mean())
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
