"""Checks of what the thesis says about the surrogates of fully connected networks (6.4.2.2, C.4).

Times are full evaluations, of which a Hyperband bracket costs about four. Data sets that were not run are left out; a
claim about all of them is about those that were.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from core.experiment.results import Results
from core.report import Check, Interval, NotRunError, all_of, judge
from papers.bohb.curves import frame_of
from papers.bohb.measures import described, faster, log_speedup, lower_than, within_factor
from papers.bohb.surrogate_figures import EXPERIMENTS, LABELS

EARLY, FIRST_ITERATIONS = 2, 20  # half a bracket, five of them


def hyperband_starts_ahead(results: Results) -> Check:
    """After two full evaluations Hyperband is below TPE and GP-BO on every set."""
    frame, names = _sets(results)
    return all_of(
        [lower_than(frame, name, "hyperband", other, time=EARLY) for name in names for other in ("tpe", "gp")],
        "all six sets",
    )


def hyperband_three_times_faster_than_random(results: Results) -> Check:
    """Hyperband reaches random search's regret of a quarter of the run 1.5 to 6 times sooner, the sets' median."""
    frame, names = _sets(results)
    return _median_speedup(frame, names, "random", "hyperband", "quarter", (1.5, 6.0), "about 3")


def model_based_overtake_hyperband(results: Results) -> Check:
    """TPE and GP-BO end below Hyperband at the same time, on every set."""
    frame, names = _sets(results)
    return all_of(
        [lower_than(frame, name, other, "hyperband") for name in names for other in ("tpe", "gp")], "all six sets"
    )


def bohb_starts_like_hyperband(results: Results) -> Check:
    """After one full evaluation, the first rung, BOHB and Hyperband differ by less than half, on every set."""
    frame, names = _sets(results)
    return all_of([within_factor(frame, name, "bohb", "hyperband", 1.5, time=1) for name in names], "identical")


def bohb_100_times_faster_than_hyperband(results: Results) -> Check:
    """BOHB reaches Hyperband's final regret 33 to 300 times sooner, the sets' median."""
    frame, names = _sets(results)
    return _median_speedup(frame, names, "hyperband", "bohb", "end", (100 / 3, 300.0), "100")


def bohb_ends_best(results: Results) -> Check:
    """BOHB ends below Hyperband, TPE and GP-BO at the same time, on every set."""
    frame, names = _sets(results)
    others = ("hyperband", "tpe", "gp")
    return all_of([lower_than(frame, name, "bohb", other) for name in names for other in others], "all six sets")


def random_ends_worst(results: Results) -> Check:
    """TPE, GP-BO and BOHB end below random search at the same time, on every set."""
    frame, names = _sets(results)
    others = ("tpe", "gp", "bohb")
    return all_of([lower_than(frame, name, other, "random") for name in names for other in others], "all six sets")


def hyperband_ends_like_random(results: Results) -> Check:
    """The final regrets of Hyperband and random search differ by less than a factor of 2, on every set."""
    frame, names = _sets(results)
    return all_of([within_factor(frame, name, "hyperband", "random", 2.0) for name in names], "approached")


def bohb_beats_hyperband_after_first_iterations(results: Results) -> Check:
    """After five brackets BOHB is below Hyperband on every set."""
    frame, names = _sets(results)
    checks = [lower_than(frame, name, "bohb", "hyperband", time=FIRST_ITERATIONS) for name in names]
    return all_of(checks, "all six sets")


def traditional_methods_catch_up_on_letter(results: Results) -> Check:
    """On letter TPE ends below BOHB."""
    return lower_than(frame_of(results, *EXPERIMENTS), "letter", "tpe", "bohb")


def _sets(results: Results) -> tuple[pd.DataFrame, list[str]]:
    """The runs, and the thesis' data sets among them."""
    frame = frame_of(results, *EXPERIMENTS)
    names = [name for name in LABELS if name in set(frame["benchmark"])]
    if not names:
        raise NotRunError("surrogates")
    return frame, names


def _median_speedup(
    frame: pd.DataFrame, names: list[str], slow: str, fast: str, level: str, between: tuple[float, float], said: str
) -> Check:
    """The median over the sets of the speed-up, of its interval's ends as well."""
    if len(names) == 1:
        return faster(frame, names[0], slow, fast, level, between, said)
    intervals = [log_speedup(frame, name, slow, fast, level) for name in names]
    check = judge(Interval(*np.median(intervals, axis=0)), said, *np.log10(between))
    ours, low, high = (10.0**value for value in np.median(intervals, axis=0))
    detail = "; ".join(f"{name} {described(interval)}" for name, interval in zip(names, intervals, strict=True))
    return Check(float(ours), said, float(low), float(high), check.holds, detail)
