"""Checks behind claims.yaml: what the NIPS paper and thesis chapter 3 say in words or show as curves."""

from __future__ import annotations

import numpy as np
import pandas as pd

from core.experiment.results import Results
from core.report.bootstrap import bootstrap_interval
from core.report.checks import Check, NotRunError, all_of, judge, runs_of
from papers.bohamiann.grid import select_constants
from papers.bohamiann.regret_claims import (  # noqa: F401
    above_dngo_everywhere,
    bohamiann_beats_dngo_on_three,
    bohamiann_beats_random_on_branin,
    fit_covers_the_function,
    fit_is_certain_at_the_optimum,
    gp_is_best_on_branin,
    gp_is_best_on_low_dimensional,
    less_sensitive_to_width,
    less_sensitive_to_width_on_branin,
    matches_gp_on_four_of_five,
    optimization_finds_the_minimum,
)

SEED = 2016
NIPS_SETS = ("boston", "yacht", "concrete", "wine_red")
UCI_SETS = ("boston", "concrete", "yacht", "wine_red", "power_plant")
STEP_LENGTHS = ("sghmc_1e-6", "sghmc_1e-5", "sghmc_1e-4", "sghmc_1e-3")
VARIATIONAL = ("bayes_by_backprop", "mc_dropout", "pbp")


def adaptive_beats_best_average(results: Results) -> Check:
    return _adaptive_against(results, "sghmc_best_average", NIPS_SETS, "4 of 4")


def adaptive_beats_tuned_except_boston(results: Results) -> Check:
    return _adaptive_against(results, "sghmc_tuned", ("yacht", "concrete", "wine_red"), "3 of 3")


def tuned_constants_differ(results: Results) -> Check:
    """How many different (step length, decay) the four sets choose; the claim needs more than one."""
    frame = results.frame("uci_nips")
    grid = frame[frame["method"] == "sghmc_grid"]
    if not set(NIPS_SETS) <= set(grid["benchmark"]):
        raise NotRunError("uci_nips/sghmc_grid")
    names = grid["step_size"].map("{:g}".format) + "/" + grid["momentum_decay"].map("{:g}".format)
    return _choices_differ(grid.assign(choice=names), NIPS_SETS)


def adaptive_rmse_at_least_as_good(results: Results) -> Check:
    return _adaptive_at_least_best_step(results, "rmse", sign=-1, worst=np.inf)


def adaptive_likelihood_at_least_as_good(results: Results) -> Check:
    return _adaptive_at_least_best_step(results, "log_likelihood", sign=1, worst=-np.inf)


def best_step_differs_by_set(results: Results) -> Check:
    """How many different step lengths are best in log-likelihood over the five sets; the claim needs more than one."""
    frame = results.frame("uci")
    steps = frame[frame["method"].isin(STEP_LENGTHS)]
    if not set(UCI_SETS) <= set(steps["benchmark"]):
        raise NotRunError("uci/sghmc")
    return _choices_differ(steps.assign(choice=steps["method"]), UCI_SETS)


def sghmc_stays_in_one_mode(results: Results) -> Check:
    """Share of chains that spend less than 1% of the sampling phase in one of the modes, above one half."""
    stuck = smaller_mode_share(results.frame("mixture"), "sghmc") < 0.01
    return judge(bootstrap_interval(stuck, _mean, SEED), "one chain, stuck", lower=0.5, detail="share of stuck chains")


def adaptive_visits_both_modes(results: Results) -> Check:
    """Share of chains that spend at least 1% of the sampling phase in each mode, above one half."""
    both = smaller_mode_share(results.frame("mixture"), "adaptive_sghmc") >= 0.01
    return judge(bootstrap_interval(both, _mean, SEED), "one chain, both", lower=0.5, detail="share of such chains")


def sghmc_uncertain_away_from_data(results: Results) -> Check:
    """Mean predictive sd outside the data over that at the data: above 3 for SGHMC."""
    outside, inside = _sinc_sd(results, "sghmc")
    interval = bootstrap_interval((outside, inside), _ratio, SEED, paired=True)
    return judge(interval, "grows away from the data", lower=3.0, detail="sd outside over sd at the data")


def others_overconfident_or_underfit(results: Results) -> Check:
    """Each other method either underfits (RMSE at the data above 0.1) or is less uncertain outside than SGHMC."""
    reference, _ = _sinc_sd(results, "sghmc")
    checks = []
    for name in VARIATIONAL:
        error = _sinc_error(results, name)
        underfits = judge(
            bootstrap_interval(error, _mean, SEED), "", lower=0.1, detail=f"{name}: RMSE {error.mean():.2g}"
        )
        outside, _ = _sinc_sd(results, name)
        interval = bootstrap_interval((outside, reference), _ratio, SEED, paired=True)
        narrow = judge(interval, "", upper=1.0, detail=f"{name}: sd outside {interval.estimate:.2g} of SGHMC's")
        checks.append(underfits if underfits.holds == "holds" else narrow)
    return all_of(checks, "3 of 3")


def sghmc_fits_the_data(results: Results) -> Check:
    """RMSE of SGHMC's mean at the 20 observations, below 0.1 (their standard deviation is about 0.4)."""
    return judge(bootstrap_interval(_sinc_error(results, "sghmc"), _mean, SEED), "passes through the data", upper=0.1)


def smaller_mode_share(frame: pd.DataFrame, method: str) -> np.ndarray:
    """Share of the sampling phase that each chain spends in the mode it visits less, (runs,).

    Exchanging the mixture's components maps theta_1 to -theta_1, so its sign tells the modes apart.
    """
    rows = frame[(frame["method"] == method) & ~frame["burn_in"].astype(bool)] if len(frame) else frame
    if rows.empty:
        raise NotRunError(f"mixture/{method}")
    share = rows.assign(positive=rows["theta_1"] > 0).groupby("run")["positive"].mean().to_numpy()
    return np.minimum(share, 1 - share)


def _adaptive_against(results: Results, row: str, sets: tuple[str, ...], published: str) -> Check:
    frame = results.frame("uci_nips")
    chosen = select_constants(frame, "log_likelihood").rows
    if not chosen:
        raise NotRunError("uci_nips/sghmc_grid")
    other = pd.concat(chosen)
    other = other[other["row"] == row]
    checks = []
    for name in sets:
        ours = runs_of(frame, "log_likelihood", name, "adaptive_sghmc", failed=-np.inf)
        theirs = runs_of(other, "log_likelihood", name, "sghmc_grid", failed=-np.inf)
        checks.append(_difference(ours, theirs, name))
    return all_of(checks, published)


def _adaptive_at_least_best_step(results: Results, metric: str, sign: int, worst: float) -> Check:
    """The adaptive method against the step length that is best on each set; a tie is inconclusive."""
    frame = results.frame("uci")
    checks = []
    for name in UCI_SETS:
        best = _best_step(frame, name, metric, sign, worst)
        ours = sign * runs_of(frame, metric, name, "adaptive_sghmc", failed=worst)
        theirs = sign * runs_of(frame, metric, name, best, failed=worst)
        checks.append(_difference(ours, theirs, f"{name} against {best}"))
    return all_of(checks, "5 of 5")


def _choices_differ(rows: pd.DataFrame, sets: tuple[str, ...]) -> Check:
    """Number of different best choices over the sets, by the mean likelihood; runs are resampled, the same for all."""
    values = rows.assign(value=np.where(rows["status"] == "ok", rows["log_likelihood"], -np.inf))
    table = values.pivot(index="run", columns=["benchmark", "choice"], values="value")
    choices = sorted(values["choice"].unique())
    scores = np.stack([table[name][choices].to_numpy() for name in sets], axis=1)  # (runs, sets, choices)
    interval = bootstrap_interval(scores, _distinct_best, SEED)
    best = scores.mean(0).argmax(-1)
    detail = ", ".join(f"{name}: {choices[index]}" for name, index in zip(sets, best, strict=True))
    return judge(interval, "more than 1", lower=1, detail=detail)


def _distinct_best(scores: np.ndarray) -> np.ndarray:
    """(batch, runs, sets, choices) -> (batch,), the number of different choices that are best on some set."""
    best = np.sort(scores.mean(1).argmax(-1), axis=-1)
    return 1.0 + (np.diff(best, axis=-1) > 0).sum(-1)


def _difference(ours: np.ndarray, theirs: np.ndarray, name: str) -> Check:
    """Ours above theirs; the runs share their splits, so the difference is bootstrapped in pairs."""
    interval = bootstrap_interval((ours, theirs), lambda a, b: a.mean(1) - b.mean(1), SEED, paired=True)
    detail = f"{name}: {interval.estimate:+.3g} [{interval.low:.3g}, {interval.high:.3g}]"
    return judge(interval, 0.0, lower=0.0, detail=detail)


def _best_step(frame: pd.DataFrame, benchmark: str, metric: str, sign: int, worst: float) -> str:
    means = {name: sign * runs_of(frame, metric, benchmark, name, failed=worst).mean() for name in STEP_LENGTHS}
    return max(means, key=means.__getitem__)


def _sinc_part(results: Results, method: str, part: str) -> pd.DataFrame:
    frame = results.frame("sinc")
    rows = frame[(frame["method"] == method) & (frame["part"] == part)] if len(frame) else frame
    if rows.empty:
        raise NotRunError(f"sinc/{method}")
    return rows


def _sinc_sd(results: Results, method: str) -> tuple[np.ndarray, np.ndarray]:
    """Mean predictive sd outside the interval that the observations span, and at the grid points nearest to them."""
    grid, data = _sinc_part(results, method, "grid"), _sinc_part(results, method, "data")
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
    grid, data = _sinc_part(results, method, "grid"), _sinc_part(results, method, "data")
    errors = []
    for run, rows in grid.groupby("run"):
        seen = data[data["run"] == run]
        predicted = np.interp(seen["x"], rows["x"], rows["mean"])
        errors.append(np.sqrt(np.mean((predicted - seen["mean"]) ** 2)))
    return np.array(errors)


def _mean(values: np.ndarray) -> np.ndarray:
    return values.mean(1)


def _ratio(above: np.ndarray, below: np.ndarray) -> np.ndarray:
    return above.mean(1) / below.mean(1)
