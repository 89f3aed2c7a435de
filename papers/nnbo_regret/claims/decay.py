"""How the probability of a large average regret decays (Fig 3): shapes of claims, and one that is a function."""

from __future__ import annotations

import numpy as np

from core.experiment.results import Results
from core.report import Check, claim, judge, outside, worded
from core.report.verdicts.shapes.shape import Benchmark, shape
from papers.nnbo_regret.decay import SEED, fit_decay, ratio_of_rates
from papers.nnbo_regret.recorded_paths import THRESHOLD, average_with_initial, recorded_paths

UNSTATED = "the kernel and the scale of the authors' draws are not stated"
"""Why what they print of their target in one dimension is outside: rates and n_0 depend on both."""


@shape
def rate_of_decay(results: Results, benchmark: Benchmark, above: float, below: float) -> Check:
    """The rate by likelihood lies in a region; the detail has other ways to fit and count."""
    over = _above(results, benchmark)
    fit, late = fit_decay(over, SEED), fit_decay(over, SEED, start=0.5)
    counted = fit_decay(average_with_initial(results, benchmark) > THRESHOLD, SEED)
    detail = (
        f"per query, from n_0 = {fit.start.estimate:.0f} on; by least squares of logs {fit.rate_of_logs.text()}; "
        f"from half the highest share on {late.rate.estimate:.3g}; "
        f"with the initial design counted {counted.rate.text()}"
    )
    return judge(fit.rate, above, below, detail)


@shape
def late_over_early_rate(results: Results, benchmark: Benchmark, above: float, below: float) -> Check:
    """The rate below 0.3 of the highest share over that above it lies in a region."""
    ratio = fit_decay(_above(results, benchmark), SEED).late_over_early
    return judge(ratio, above, below, "late over early rate")


@shape
def ratio_of_rates_of_decay(results: Results, first: Benchmark, second: Benchmark, below: float) -> Check:
    """The rate on one benchmark over that on another is below a limit."""
    ratio = ratio_of_rates(_above(results, first), _above(results, second), SEED)
    return worded(judge(ratio, upper=below), f"ratio of the rates, {second}")


@claim(
    artifact="fig3a",
    place="Fig 3, caption",
    sentence="The authors speculate that the probability falls from about 400 queries on.",
    published=400.0,
)
def decay_starts_at_400(results: Results) -> Check:
    """n_0, the last query with nine tenths of the highest share of runs above eps; within 300 to 500."""
    fit = fit_decay(_above(results, "gaussian_process"), SEED)
    counted = fit_decay(average_with_initial(results, "gaussian_process") > THRESHOLD, SEED).start.estimate
    quartic = fit_decay(_above(results, "brofos_quartic"), SEED)
    detail = (
        f"n_0; {counted:.0f} with the initial design counted; {quartic.start.text()} on the function of the authors' "
        f"code, with a rate of {quartic.rate.text()}"
    )
    return outside(judge(fit.start, lower=300, upper=500, detail=detail), UNSTATED)


def _above(results: Results, name: str) -> np.ndarray:
    return recorded_paths(results, name).average_regret > THRESHOLD
