"""Claims about Bayesian optimization and random search on XGBoost (8, E.2).

The final losses of a set's runs are compared in pairs, since methods share their initial designs run by run.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd

from core.experiment.results import Results
from core.report import Check, Interval, NotRunError, bootstrap_interval, claim, frame_of, judge
from core.report.statistics import mean
from core.report.trajectories import incumbent, per_run
from papers.profet.xgboost_runs import EXPERIMENT, LABELS, METHODS, UNLUCKY, both_ran

SEED = 81


@claim(
    artifact="fig8_1",
    place="thesis 8 and E.2, Fig 8.1",
    sentence="Boston housing, power plant and concrete do not show clearly that BO-GP is better than random search.",
)
def three_sets_do_not_decide(results: Results) -> Check:
    """On how many of the three BO-GP ends below random search beyond doubt: fails if on all.

    It holds if random search ends as low on one of them; a wide interval alone leaves it open.
    """
    found = _differences(results, UNLUCKY)
    wins = sum(interval.low > 0 for interval in found.values())
    varies = any(interval.estimate <= 0 for interval in found.values())
    holds = "fails" if wins == len(UNLUCKY) else "holds" if varies and len(found) == len(UNLUCKY) else "inconclusive"
    return Check(f"{wins} of {len(found)}", "not on all", np.nan, np.nan, holds, _words(found))


@claim(
    artifact="figE_2",
    place="thesis E.2, Fig E.2",
    sentence="Over all regression sets BO-GP performs better than random search.",
)
def gp_is_better_overall(results: Results) -> Check:
    """The share of the sets on which BO-GP ends below random search; above one half (published 10 of 13)."""
    frame = frame_of(results, EXPERIMENT)
    names = both_ran(frame)
    samples = np.stack([_ends(frame, name) for name in names], 1)
    interval = bootstrap_interval(samples, lambda drawn: (drawn.mean(1) > 0).mean(1), SEED)
    detail = f"share of {len(names)} sets; {_words(_differences(results, names))}"
    return judge(interval, "better on 10, worse on 1, ties on 2", lower=0.5, detail=detail)


def _differences(results: Results, names: Iterable[str]) -> dict[str, Interval]:
    """What random search ends above BO-GP on each set that was run, with its interval.

    Raises:
        NotRunError: none of the sets was run.
    """
    frame = frame_of(results, EXPERIMENT)
    found = {name: bootstrap_interval(_ends(frame, name), mean, SEED) for name in names if name in both_ran(frame)}
    if not found:
        raise NotRunError(EXPERIMENT)
    return found


def _ends(frame: pd.DataFrame, name: str) -> np.ndarray:
    """Final loss of random search less that of BO-GP, (runs,)."""
    random, gp = (incumbent(per_run(frame, "loss", name, method))[:, -1] for method in METHODS)
    return random - gp


def _words(found: dict[str, Interval]) -> str:
    return "; ".join(f"{LABELS[name]} {interval.text('+.3g')}" for name, interval in found.items())
