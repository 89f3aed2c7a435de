"""Checks of Fig 1 and Table 1: how the time of a suggestion grows, and what the methods find."""

from __future__ import annotations

import numpy as np
import pandas as pd

from core.experiment.results import Results
from core.report.bootstrap import bootstrap_interval
from core.report.checks import Check, NotRunError, all_of, judge
from core.report.trajectories import incumbent, per_run

SEED = 2015
HPOLIB = {
    "hpolib": ("branin", "hartmann6"),
    "hpolib_grids": ("lda_on_grid", "svm_on_grid"),
    "hpolib_logistic": ("logistic_regression",),
}
"""The experiments behind Table 1 and their problems; each has scales of its own."""
LARGE = 1000
"""Observations from which on DNGO's growth is measured: below, what does not depend on them is most of the time."""
TPE_MARGINS = {
    "branin": 0.064,
    "hartmann6": 0.247,
    "logistic_regression": 0.0066,
    "lda_on_grid": 2.65,
    "svm_on_grid": 0.0005,
}
"""Half of how far TPE is above the Gaussian process in the published table: what "competitive" may cost."""


def dngo_grows_linearly(results: Results) -> Check:
    """Slope of log seconds over log N from 1,000 observations on; below 1.15."""
    sizes, seconds = times(results, "dngo")
    large = sizes >= LARGE
    if large.sum() < 2:
        raise NotRunError("suggestion_time/dngo from 1,000 observations on")
    interval = bootstrap_interval(_slopes(sizes[large], seconds[:, large]), _mean, SEED)
    return judge(interval, "linear", upper=1.15, detail="slope of log seconds over log N")


def gp_grows_cubically(results: Results) -> Check:
    """The same slope for the Gaussian process between its two largest numbers of observations; above 2."""
    sizes, seconds = times(results, "gp")
    interval = bootstrap_interval(_slopes(sizes[-2:], seconds[:, -2:]), _mean, SEED)
    return judge(interval, "cubic", lower=2.0, detail=f"slope from {sizes[-2]:.0f} to {sizes[-1]:.0f} observations")


def gp_is_slower_with_many(results: Results) -> Check:
    """Seconds of the Gaussian process over those of DNGO at the former's largest number of observations; above 1."""
    (sizes, gp), (dngo_sizes, dngo) = times(results, "gp"), times(results, "dngo")
    both = np.intersect1d(sizes, dngo_sizes)
    gp, dngo = gp[:, np.isin(sizes, both)], dngo[:, np.isin(dngo_sizes, both)]
    slower = both[gp.mean(0) > dngo.mean(0)]
    first = f"slower from {slower[0]:.0f} observations on" if len(slower) else "never slower"
    interval = bootstrap_interval((gp[:, -1], dngo[:, -1]), lambda a, b: a.mean(1) / b.mean(1), SEED)
    return judge(interval, "slower", lower=1.0, detail=f"ratio of seconds at {both[-1]:.0f} observations; {first}")


def dngo_beats_tpe(results: Results) -> Check:
    """TPE's smallest loss minus DNGO's, above 0 on each of the five problems."""
    return _above(results, "tpe", tuple(TPE_MARGINS))


def dngo_beats_smac(results: Results) -> Check:
    """The same for SMAC, on the four problems where it is published as worse."""
    return _above(results, "smac", ("branin", "hartmann6", "logistic_regression", "lda_on_grid"))


def dngo_ties_gp(results: Results) -> Check:
    """DNGO's smallest loss minus the Gaussian process', below half of TPE's published distance on each problem."""
    checks = []
    for name, margin in TPE_MARGINS.items():
        interval = bootstrap_interval((final(results, name, "dngo"), final(results, name, "gp")), _gap, SEED)
        checks.append(judge(interval, "", upper=margin, detail=f"{name}: {interval.estimate:+.3g} (below {margin:g})"))
    return all_of(checks, "5 of 5")


def final(results: Results, benchmark: str, method: str) -> np.ndarray:
    """The smallest loss of each run, (runs,)."""
    return incumbent(per_run(hpolib_runs(results), "loss", benchmark, method))[:, -1]


def hpolib_runs(results: Results) -> pd.DataFrame:
    """Evaluations of all five problems."""
    return pd.concat([results.frame(name) for name in HPOLIB], ignore_index=True)


def times(results: Results, method: str) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of observations that all repetitions reached, (n,), and processor seconds (runs, n).

    Raises:
        NotRunError: fewer than two.
    """
    frame = results.frame("suggestion_time")
    rows = frame[frame["method"] == method] if len(frame) else frame
    if rows.empty:
        raise NotRunError(f"suggestion_time/{method}")
    table = rows.pivot(index="run", columns="observations", values="cpu_seconds").dropna(axis="columns")
    if table.shape[1] < 2:
        raise NotRunError(f"suggestion_time/{method}: two numbers of observations")
    return table.columns.to_numpy(dtype=float), table.to_numpy(dtype=float)


def _above(results: Results, other: str, problems: tuple[str, ...]) -> Check:
    checks = []
    for name in problems:
        interval = bootstrap_interval((final(results, name, other), final(results, name, "dngo")), _gap, SEED)
        detail = f"{name}: {interval.estimate:+.3g} [{interval.low:.3g}, {interval.high:.3g}]"
        checks.append(judge(interval, "", lower=0.0, detail=detail))
    return all_of(checks, f"{len(problems)} of {len(problems)}")


def _gap(above: np.ndarray, below: np.ndarray) -> np.ndarray:
    return above.mean(1) - below.mean(1)


def _slopes(sizes: np.ndarray, seconds: np.ndarray) -> np.ndarray:
    """Least-squares slope of log seconds over log N of each run, (runs,)."""
    x = np.log(sizes) - np.log(sizes).mean()
    return np.log(seconds) @ x / (x @ x)


def _mean(values: np.ndarray) -> np.ndarray:
    return values.mean(1)
