"""Checks of what the thesis says of optimizers on the tables (7.4.1, 7.4.2).

"Better" is the probability that a run of one method has the smaller test regret at a time than a run of another, ties
counted half: regrets span orders of magnitude and are often 0 on a small table, where neither a mean nor a median of
logarithms says much. "As good" is a probability near one half. Times are shares of a set's end, the duration of random
search's runs: at 1/25 of it random search has made 20 of 500 evaluations. Methods draw from seeds of their own, so
that the runs of each are resampled by themselves.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from core.experiment.results import Results
from core.report.bootstrap import Interval, bootstrap_interval
from core.report.checks import Check, NotRunError, all_of, judge
from core.report.style import label as method_label
from core.report.trajectories import regret_over_time
from papers.tabular.comparison_figures import METHODS, benchmarks_of, comparison_runs, ends
from papers.tabular.tables import label

SEED = 5
RESAMPLES = 1000
PROTEIN = "protein"
MODEL_BASED = ("smac", "tpe", "bohamiann")
BEGINNING, EARLY, MIDDLE, END = 0.002, 0.04, 0.25, 1.0  # shares of the end: 1, 20, 125, 500 random evaluations
ALIKE = (0.4, 0.6)  # of methods that are as good
TARGET, OFTEN = 1e-3, 0.6  # the test regret of 7.4.2, and the share of runs


def model_based_begin_like_random(results: Results) -> Check:
    """SMAC, TPE and BOHAMIANN against random search after the time of 20 evaluations: near one half."""
    frame = comparison_runs(results)
    return all_of([_alike(frame, name, "random", EARLY) for name in _run(frame, MODEL_BASED)], "as well as")


def model_based_end_below_random(results: Results) -> Check:
    """The same at the end, or where their own runs end: above one half."""
    frame = comparison_runs(results)
    return all_of([_better(frame, name, "random", END) for name in _run(frame, MODEL_BASED)], "superior")


def bohb_begins_like_hyperband(results: Results) -> Check:
    """After the time of one evaluation, about that of the first rung: near one half."""
    return _alike(comparison_runs(results), "bohb", "hyperband", BEGINNING)


def bohb_ends_below_hyperband(results: Results) -> Check:
    """At the end: above one half."""
    return _better(comparison_runs(results), "bohb", "hyperband", END)


def hyperband_is_fast(results: Results) -> Check:
    """Hyperband against random search after the time of 20 evaluations: above one half."""
    return _better(comparison_runs(results), "hyperband", "random", EARLY)


def hyperband_ends_little_below_random(results: Results) -> Check:
    """Hyperband's advantage over random search at the end minus that after the time of 20 evaluations: below 0."""
    frame = comparison_runs(results)
    samples = tuple(_regret(frame, PROTEIN, name, (EARLY, END)) for name in ("hyperband", "random"))

    def change(ours: np.ndarray, theirs: np.ndarray) -> np.ndarray:
        early, late = (_share_below(ours[..., k], theirs[..., k]) for k in (0, 1))
        return late - early

    return judge(bootstrap_interval(samples, change, SEED, RESAMPLES), "only slightly improves", upper=0.0)


def evolution_needs_longer_than_tpe(results: Results) -> Check:
    """TPE against regularized evolution after a quarter of the time: above one half."""
    return _better(comparison_runs(results), "tpe", "regularized_evolution", MIDDLE)


def evolution_is_best_at_the_end(results: Results) -> Check:
    """Regularized evolution against each other method at the end: above one half."""
    frame = comparison_runs(results)
    others = [name for name in _run(frame, METHODS) if name != "regularized_evolution"]
    return all_of([_better(frame, "regularized_evolution", name, END) for name in others], "best final performance")


def reinforce_is_slowest(results: Results) -> Check:
    """Regularized evolution and TPE against REINFORCE at the end: above one half."""
    frame = comparison_runs(results)
    return all_of(
        [_better(frame, name, "reinforce", END) for name in ("regularized_evolution", "tpe")], "even more time"
    )


def evolution_has_a_lower_mean_than_tpe(results: Results) -> Check:
    """Mean final regret of regularized evolution minus TPE's: below 0."""
    return _evolution_minus_tpe(results, lambda regret: regret.mean(axis=1), "lower mean", upper=0.0)


def evolution_is_less_robust_than_tpe(results: Results) -> Check:
    """Standard deviation of the final regret of regularized evolution minus TPE's: above 0."""
    return _evolution_minus_tpe(results, lambda regret: regret.std(axis=1, ddof=1), "less robust", lower=0.0)


def every_method_reaches_1e_3(results: Results) -> Check:
    """Smallest share, over the methods, of runs with a final regret of at most 1e-3; one run is enough to show it."""
    frame = comparison_runs(results)
    shares = {name: float(_reached(frame, name).mean()) for name in _run(frame, METHODS)}
    return _extreme(min(shares, key=shares.get), shares, "non-zero", lambda share: "holds" if share else "inconclusive")


def three_methods_reach_1e_3_mostly(results: Results) -> Check:
    """The same share above 0.6 for BOHAMIANN, regularized evolution and TPE, and below it for all others."""
    frame = comparison_runs(results)
    often = ("bohamiann", "regularized_evolution", "tpe")
    checks = []
    for name in _run(frame, METHODS):
        interval = bootstrap_interval(_reached(frame, name), lambda drawn: drawn.mean(axis=1), SEED, RESAMPLES)
        bounds = {"lower" if name in often else "upper": OFTEN}
        checks.append(judge(interval, "", **bounds, detail=f"{method_label(name)} {interval.estimate:.2f}"))
    return all_of(checks, "above 60% for three")


def no_method_always_ends_alike(results: Results) -> Check:
    """Largest share, over the methods, of runs that end with the same regret; all of them would refute it."""
    frame = comparison_runs(results)
    shares = {}
    for name in _run(frame, METHODS):
        _, counts = np.unique(_regret(frame, PROTEIN, name, (END,)), return_counts=True)
        shares[name] = float(counts.max() / counts.sum())
    return _extreme(max(shares, key=shares.get), shares, "below 1", lambda share: "holds" if share < 1 else "fails")


def evolution_ends_below_random_everywhere(results: Results) -> Check:
    """Regularized evolution against random search at the end of each set: above one half."""
    return _everywhere(results, "regularized_evolution", "random")


def bohb_ends_below_hyperband_everywhere(results: Results) -> Check:
    """BOHB against Hyperband at the end of each set: above one half."""
    return _everywhere(results, "bohb", "hyperband")


def _everywhere(results: Results, ours: str, theirs: str) -> Check:
    frame = comparison_runs(results)
    return all_of([_better(frame, ours, theirs, END, name) for name in benchmarks_of(frame)], "on all sets")


def _better(frame: pd.DataFrame, ours: str, theirs: str, share: float, benchmark: str = PROTEIN) -> Check:
    interval, detail = _probability(frame, ours, theirs, share, benchmark)
    return judge(interval, "above 0.5", lower=0.5, detail=detail)


def _alike(frame: pd.DataFrame, ours: str, theirs: str, share: float) -> Check:
    interval, detail = _probability(frame, ours, theirs, share, PROTEIN)
    return judge(interval, "about 0.5", *ALIKE, detail=detail)


def _probability(frame: pd.DataFrame, ours: str, theirs: str, share: float, benchmark: str) -> tuple[Interval, str]:
    """That a run of `ours` is below one of `theirs` at this share of the end, but not after the runs of either end."""
    end = ends(frame, benchmark)
    share = min(share, *(ends(frame, benchmark, name) / end for name in (ours, theirs)))
    samples = tuple(_regret(frame, benchmark, name, (share,))[:, 0] for name in (ours, theirs))
    interval = bootstrap_interval(samples, _share_below, SEED, RESAMPLES)
    words = f"{label(benchmark)}, {method_label(ours)} below {method_label(theirs)} at {share:.2g} of the end"
    return interval, f"{words}: {interval.estimate:.2f} [{interval.low:.2f}, {interval.high:.2f}]"


def _share_below(ours: np.ndarray, theirs: np.ndarray) -> np.ndarray:
    """Of all pairs of (batch, n) and (batch, m) those where ours is smaller, ties counted half, (batch,)."""
    found = np.empty(len(ours))
    for row, (a, b) in enumerate(zip(ours, np.sort(theirs, axis=1), strict=True)):
        above = 2 * len(b) - np.searchsorted(b, a, side="left") - np.searchsorted(b, a, side="right")
        found[row] = above.mean() / (2 * len(b))
    return found


def _evolution_minus_tpe(results: Results, statistic, published: str, **bounds: float) -> Check:
    frame = comparison_runs(results)
    samples = tuple(_regret(frame, PROTEIN, name, (END,))[:, 0] for name in ("regularized_evolution", "tpe"))
    difference = lambda evolution, tpe: statistic(evolution) - statistic(tpe)  # noqa: E731
    return judge(bootstrap_interval(samples, difference, SEED, RESAMPLES), published, **bounds)


def _reached(frame: pd.DataFrame, method: str) -> np.ndarray:
    """Which runs are at or below `TARGET` at the end, (runs,)."""
    return _regret(frame, PROTEIN, method, (END,))[:, 0] <= TARGET


def _extreme(name: str, shares: dict[str, float], published: str, judged: Callable[[float], str]) -> Check:
    """The Check that one method's share decides, which is a fact of the runs and has no interval."""
    share = shares[name]
    detail = ", ".join(f"{method_label(method)} {value:.2f}" for method, value in shares.items())
    return Check(share, published, share, share, judged(share), detail)


def _regret(frame: pd.DataFrame, benchmark: str, method: str, shares: tuple[float, ...]) -> np.ndarray:
    """At shares of the end, (runs, shares); before a run's first evaluation it is infinite."""
    found = regret_over_time(frame, benchmark, method, np.array(shares) * ends(frame, benchmark))
    return np.where(np.isnan(found), np.inf, found)


def _run(frame: pd.DataFrame, methods: tuple[str, ...]) -> list[str]:
    """Those methods that were run on protein.

    Raises:
        NotRunError: none.
    """
    found = [name for name in methods if ((frame["benchmark"] == PROTEIN) & (frame["method"] == name)).any()]
    if not found:
        raise NotRunError(f"methods/{PROTEIN}")
    return found
