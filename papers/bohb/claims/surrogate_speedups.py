"""The shape of the claims about speed-ups on the surrogates of networks (6.4.2.2), and one beside the table."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from core.experiment.results import Results
from core.report import Check, all_of, claim, open_where
from core.report.verdicts.mean_comparisons import cells_of
from core.report.verdicts.shapes.searches import Level
from core.report.verdicts.shapes.shape import Method, shape
from core.report.verdicts.speedups import Pair, estimate, judge_factor, median, of_speedups, shown
from papers.bohb.claims.comparisons import COMPARABLE, before_the_model, sets_of
from papers.bohb.names import DATA_SETS


@shape
def median_speed_up(
    results: Results, slow: Method, fast: Method, level: Level, above: float, below: float = math.inf
) -> Check:
    """The median speed-up over the data sets lies between two factors."""
    frame, names = sets_of(results)
    pairs = {name: _pair(frame, name, slow, fast, level) for name in names}
    each = ", ".join(f"{name} {shown(estimate(pair))}" for name, pair in pairs.items())
    words = f"{fast} over {slow} on {len(names)} of {len(DATA_SETS)} sets: {each}; median "
    check = judge_factor(of_speedups(list(pairs.values()), median), (above, below), words)
    return open_where(check, _no_model(frame, names, [slow, fast]))


@claim(
    artifact="figC_2",
    place="thesis 6.4.2.2",
    sentence="TPE and GP-BO are faster than random search by about the same factor by which BOHB is faster than "
    "Hyperband.",
    published="comparable",
)
def speedups_are_comparable(results: Results) -> Check:
    """The speed-ups to the final regret of the slower method, in the median of the sets, are within a factor of 2."""
    frame, names = sets_of(results)
    checks = []
    for method in ("tpe", "gp"):
        ours = [_pair(frame, name, "random", method, "end") for name in names]
        theirs = [_pair(frame, name, "hyperband", "bohb", "end") for name in names]
        ratio = of_speedups([*ours, *theirs], lambda b: median(b[: len(names)]) - median(b[len(names) :]))
        words = f"{method} over random search, by BOHB over Hyperband: "
        check = judge_factor(ratio, (1 / COMPARABLE, COMPARABLE), words)
        checks.append(open_where(check, _no_model(frame, names, [method])))
    return all_of(checks, f"{len(names)} of {len(DATA_SETS)} sets run")


def _pair(frame: pd.DataFrame, name: str, slow: str, fast: str, level: float | str) -> Pair:
    return Pair.of(frame, name, slow, fast, level, average=np.median)


def _no_model(frame: pd.DataFrame, names: list[str], methods: list[str]) -> str:
    return "; ".join(filter(None, (before_the_model(cells_of(frame, name, methods)) for name in names)))
