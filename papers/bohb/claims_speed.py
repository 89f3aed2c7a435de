"""Checks of what the thesis says about speed-ups on the surrogates: of one method over another (6, 6.4.2.2)."""

from __future__ import annotations

import numpy as np
import pandas as pd

from core.experiment.results import Results
from core.report import Check, all_of
from papers.bohb.claims_surrogates import sets_of
from papers.bohb.measures import before_the_model, cells_of, open_where
from papers.bohb.speedups import Pair, estimate, judge_known, median, of_speedups, shown
from papers.bohb.surrogate_figures import LABELS

GOOD = 1e-2  # the regret of which Fig 6.1 speaks
COMPARABLE = 3.0  # speed-ups that differ by less than this factor


def hyperband_three_times_faster_than_random(results: Results) -> Check:
    """Hyperband reaches random search's regret of a quarter of the run 1.5 to 6 times sooner, the sets' median."""
    return _median(results, "random", "hyperband", "quarter", (1.5, 6.0), "about 3")


def bohb_100_times_faster_than_hyperband(results: Results) -> Check:
    """BOHB reaches Hyperband's final regret 33 to 300 times sooner, the sets' median."""
    return _median(results, "hyperband", "bohb", "end", (100 / 3, 300.0), "100")


def bohb_ten_times_faster_than_bayesian_optimization(results: Results) -> Check:
    """BOHB reaches a regret of 0.01 more than ten times sooner than TPE and than GP-BO, the sets' medians."""
    return all_of(
        [_median(results, slow, "bohb", GOOD, (10.0, np.inf), "over 10") for slow in ("tpe", "gp")], "over 10"
    )


def speedups_are_comparable(results: Results) -> Check:
    """TPE's and GP-BO's speed-up over random search to its end is within 3 times BOHB's over Hyperband to its end.

    Of both the sets' medians.
    """
    frame, names = sets_of(results)
    checks = []
    for method in ("tpe", "gp"):
        ours = [Pair.of(frame, name, "random", method, "end") for name in names]
        theirs = [Pair.of(frame, name, "hyperband", "bohb", "end") for name in names]
        found = of_speedups([*ours, *theirs], lambda b: median(b[: len(names)]) - median(b[len(names) :]))
        words = f"{method} over random search, by BOHB over Hyperband: "
        check = judge_known(found, "comparable", (1 / COMPARABLE, COMPARABLE), words)
        checks.append(open_where(check, _no_model(frame, names, [method])))
    return all_of(checks, "comparable", f"{len(names)} of {len(LABELS)} sets run")


def _median(
    results: Results, slow: str, fast: str, level: float | str, between: tuple[float, float], said: str
) -> Check:
    """The median over the sets of the speed-up."""
    frame, names = sets_of(results)
    pairs = {name: Pair.of(frame, name, slow, fast, level) for name in names}
    each = ", ".join(f"{name} {shown(estimate(pair))}" for name, pair in pairs.items())
    words = f"{fast} over {slow} on {len(names)} of {len(LABELS)} sets: {each}; median "
    check = judge_known(of_speedups(list(pairs.values()), median), said, between, words)
    return open_where(check, _no_model(frame, names, [slow, fast]))


def _no_model(frame: pd.DataFrame, names: list[str], methods: list[str]) -> str:
    return "; ".join(filter(None, (before_the_model(cells_of(frame, name, methods)) for name in names)))
