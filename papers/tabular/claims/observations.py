"""What 7.4.1 observes of the methods on a set, each observation as a check of the runs on that set.

"Better" and "as good" are probabilities, see `pairs_of_methods`. Where an observation is about the end of a set, the
outcome is unknown for methods whose runs end before it.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import numpy as np
import pandas as pd

from core.report import Check, all_of, contrary, judge, slightly, worded
from core.report.statistics.win_probability import probabilities, resampled_interval, wins
from papers.tabular.claims.pairs_of_methods import (
    AHEAD,
    END,
    alike,
    better,
    better_at_the_end,
    each,
    later,
    probability,
    regret_at,
    together,
    unfinished,
)
from papers.tabular.comparison_runs import METHODS, ends

MODEL_BASED = ("smac", "tpe", "bohamiann")
BEGINNING, EARLY = 0.002, 0.04  # shares of the end: 1 and 20 of random search's 500 evaluations


def begin_like_random(frame: pd.DataFrame, name: str) -> Check:
    """SMAC, TPE and BOHAMIANN against random search after the time of 20 evaluations: near one half."""
    check = lambda method: alike(frame, method, "random", EARLY, name)  # noqa: E731
    return all_of(each(frame, MODEL_BASED, check, name), "as well as")


def end_below_random(frame: pd.DataFrame, name: str) -> Check:
    """SMAC, TPE and BOHAMIANN against random search at the end, or where their own runs end: above one half."""
    check = lambda method: better(frame, method, "random", END, name)  # noqa: E731
    return all_of(each(frame, MODEL_BASED, check, name), "superior")


def leave_random_together(frame: pd.DataFrame, name: str) -> Check:
    """SMAC, TPE and BOHAMIANN in pairs: the times from which they lead random search, within a factor of two."""
    return _of_each_two(frame, name, lambda a, b: together(frame, a, b, name), "at roughly the same time")


def end_differently(frame: pd.DataFrame, name: str) -> Check:
    """SMAC, TPE and BOHAMIANN in pairs at the end: not near one half."""
    check = lambda a, b: contrary(alike(frame, a, b, END, name), "not about 0.5")  # noqa: E731
    return _of_each_two(frame, name, check, "different optima")


def bohb_like_hyperband(frame: pd.DataFrame, name: str) -> Check:
    """BOHB against Hyperband after the time of one evaluation of 100 epochs, when both finish a rung: near one half.

    BOHB has a model from 18 observations on, 2 (d + 1); before that, both are the same by construction.
    """
    return alike(frame, "bohb", "hyperband", BEGINNING, name)


def bohb_below_hyperband(frame: pd.DataFrame, name: str) -> Check:
    """BOHB against Hyperband at the end: above one half."""
    return better_at_the_end(frame, "bohb", "hyperband", name)


def hyperband_below_random_early(frame: pd.DataFrame, name: str) -> Check:
    """Hyperband against random search after the time of 20 evaluations: above one half."""
    return better(frame, "hyperband", "random", EARLY, name)


def hyperband_slightly_below_random(frame: pd.DataFrame, name: str) -> Check:
    """Hyperband against random search at the end: above one half, and less than after the time of 20 evaluations.

    "Only slightly improves" is less than the 0.6 from which a method counts as having left random search behind.
    """
    published = "only slightly improves"
    if (short := unfinished(frame, ("hyperband",), name)) is not None:
        return all_of([short], published)
    end = min(END, ends(frame, name, "hyperband") / ends(frame, name))
    matrix = wins(*(regret_at(frame, name, method, (EARLY, end)) for method in ("hyperband", "random")))

    def change(ours: np.ndarray, theirs: np.ndarray) -> np.ndarray:
        found = probabilities(matrix, ours, theirs)
        return found[:, 1] - found[:, 0]

    interval, detail = probability(frame, "hyperband", "random", END, name)
    shrinks = worded(
        judge(resampled_interval(change, *matrix.shape[1:]), "", upper=0.0), "change since 0.04 of the end"
    )
    return all_of([slightly(judge(interval, "", 0.5, AHEAD, detail=detail), AHEAD), shrinks], published)


def evolution_needs_longer(frame: pd.DataFrame, name: str) -> Check:
    """Regularized evolution gets ahead of random search later than SMAC, TPE and BOHAMIANN."""
    return _is_later(frame, name, "regularized_evolution", MODEL_BASED, "more time")


def evolution_ends_best(frame: pd.DataFrame, name: str) -> Check:
    """Regularized evolution against each other method at the end: above one half."""
    others = [method for method in METHODS if method != "regularized_evolution"]
    check = lambda method: better_at_the_end(frame, "regularized_evolution", method, name)  # noqa: E731
    return all_of(each(frame, others, check, name), "best final performance")


def evolution_ends_below_random(frame: pd.DataFrame, name: str) -> Check:
    """Regularized evolution against random search at the end: above one half."""
    return better_at_the_end(frame, "regularized_evolution", "random", name)


def reinforce_later_than_all(frame: pd.DataFrame, name: str) -> Check:
    """REINFORCE gets ahead of random search later than regularized evolution, SMAC, TPE and BOHAMIANN."""
    return _is_later(frame, name, "reinforce", ("regularized_evolution", *MODEL_BASED), "even more time")


def _of_each_two(frame: pd.DataFrame, name: str, check: Callable[[str, str], Check], published: str) -> Check:
    """The check of each pair that was run and is long enough; the other methods are separate parts."""
    parts = each(frame, MODEL_BASED, lambda method: unfinished(frame, (method,), name), name)
    usable = [method for method, part in zip(MODEL_BASED, parts, strict=True) if part is None]
    known = [check(first, second) for first, second in combinations(usable, 2)]
    return all_of([*known, *(part for part in parts if part is not None)], published)


def _is_later(frame: pd.DataFrame, name: str, ours: str, others: tuple[str, ...], published: str) -> Check:
    check = lambda method: unfinished(frame, (ours, method), name) or later(frame, ours, method, name)  # noqa: E731
    return all_of(each(frame, others, check, name), published)
